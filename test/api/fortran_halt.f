c     Halting the machine from Fortran.
      program halting
      implicit none
      include 'fpvm3.h'
      integer, parameter :: SIGTERM = 15, IGNORED = 1
      integer info, me

      call signal(SIGTERM, IGNORED)
      call area('halt')
      call pvmfmytid(me)
      call see('mytid', me)
      call pvmfhalt(info)
      call see('halt', info)
      call pvmfpstat(me, info)
      call see('pstat', info)
      call pvmfparent(info)
      call see('parent', info)
      call pvmfgetcontext(info)
      call see('getcontext', info)
      call pvmfexit(info)
      call see('exit', info)
      end
      include 'observe.f'
