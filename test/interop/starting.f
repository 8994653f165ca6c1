c     Starts a pvmd with options, tells what it said of itself, and halts it.
      program starting
      implicit none
      include 'fpvm3.h'
      integer, parameter :: SIGTERM = 15, IGNORED = 1
      integer info, me, nhost, narch, dtid, speed
      character*20 name, arch

      call signal(SIGTERM, IGNORED)
      call pvmfstartpvmd(' -d0x0    -n127.0.0.1   ', 1, info)
      call see('startpvmd', info)
      call pvmfmytid(me)
      nhost = -1
      call pvmfconfig(nhost, narch, dtid, name, arch, speed, info)
      call see('nhost', nhost)
      call seetext('name', name)
      call pvmfhalt(info)
      call see('halt', info)
      end
      include 'observe.f'
