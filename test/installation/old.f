c     old.f - as greet.c, as one has written it for 3.4.6.
      program greet
      include 'fpvm3.h'
      integer parent, number, n, info, buf, i, isize, tids(2)
      character*16 text
      character*256 name

      call pvmfparent(parent)
      if (parent .eq. PvmNoParent) then
         call getarg(0, name)
         call pvmfspawn(name, PvmTaskDefault, '*', 2, tids, n)
         if (n .ne. 2) stop 1
      end if
      call pvmfjoingroup('greeters', number)
      call pvmfbarrier('greeters', 3, info)
      if (number .lt. 0 .or. info .lt. 0) stop 2
      if (parent .ne. PvmNoParent) then
         call pvmflvgroup('greeters', info)
         call pvmfinitsend(PvmDataDefault, buf)
         call pvmfpack(STRING, 'hello', 5, 1, info)
         call pvmfsend(parent, 1, info)
      else
         do 10 i = 1, 2
            call pvmfrecv(-1, 1, buf)
            text = ' '
            call pvmfunpack(STRING, text, 5, 1, info)
            call pvmfgsize('greeters', isize)
            if (isize .gt. 0) print '(a,a,i0)', text(1:5),
     &         ' from one of ', 3
 10      continue
      end if
      call pvmfexit(info)
      end
