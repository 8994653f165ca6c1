c     Lists of hosts, tasks and mailboxes, and what concerns other tasks.
c     It is its own child, which waits for a message.
      program lists
      implicit none
      include 'fpvm3.h'
      integer info, me, bufid, index, i, nhost, narch, dtid, speed
      integer ntask, tid, ptid, flag, tids(3), numt, n, old
      integer nclasses, nentries, owner(9), flags(9), host, ind(9)
      integer cs, cu, ds, du
      character*40 name
      character*4 short
      character*20 arch, aout
      character*300 over

      over = repeat('y', 300)
      call pvmfmytid(me)
      call pvmfparent(tid)
      if (tid .gt. 0) then
        call pvmfinitsend(PVMDATADEFAULT, bufid)
        call pvmfsend(tid, 3, info)
        call pvmfrecv(-1, -1, bufid)
        stop
      end if
      call area('config')
      do i = 1, 3
        nhost = 99
        narch = 99
        name = 'xxxxxxxx'
        arch = 'xxxxxxxx'
        info = 99
        call pvmfconfig(nhost, narch, dtid, name, arch, speed, info)
        call see('nhost', nhost)
        call see('narch', narch)
        call see('dtid', dtid)
        call seetext('arch', arch)
        call see('speed', speed)
        call see('info', info)
      end do
      call pvmfconfig(nhost, narch, dtid, short, short, speed, info)
      call seetext('arch in four', short)
      call see('info', info)
      nhost = -1
      call pvmfconfig(nhost, narch, dtid, name, arch, speed, info)
      call see('nhost', nhost)
      call see('info', info)
      call pvmftidtohost(me, host)
      call see('host', host)
      call pvmftidtohost(-1, host)
      call see('host', host)
      call pvmfhostsync(host, cs, cu, ds, du, info)
      call see('hostsync', info)
      cs = 99
      cu = 99
      ds = 99
      du = 99
      call pvmfhostsync(dtid, cs, cu, ds, du, info)
      call see('hostsync', info)
      if (abs(ds) .gt. 60) call see('wrong', ds)
      if (cs .gt. 1000000000) call see('clock', 1)
      if (cu .lt. 0 .or. cu .gt. 999999) call see('wrong', cu)
      if (du .lt. 0 .or. du .gt. 999999) call see('wrong', du)
      cs = 99
      call pvmfhostsync(5, cs, cu, ds, du, info)
      call see('hostsync', info)
      call area('siblings')
      n = 99
      tid = 99
      call pvmfsiblings(n, -1, tid)
      call see('n', n)
      call see('tid', tid)
      call pvmfsiblings(n, 0, tid)
      call see('n', n)
      call see('tid', tid)
      n = 99
      call pvmfsiblings(n, 1, tid)
      call see('n', n)
      call see('tid', tid)
      n = 99
      tid = 99
      call pvmfsiblings(n, -2, tid)
      call see('n', n)
      call see('tid', tid)
      call pvmfparent(tid)
      call see('parent', tid)
      call area('tasks')
      tids = 77
      call pvmfspawn('fortran_lists', PVMTASKDEFAULT, '*', 2, tids,
     &  numt)
      call see('numt', numt)
      do i = 1, 3
        call see('tid', tids(i))
      end do
      do i = 1, 2
        call pvmfrecv(-1, 3, bufid)
      end do
      do i = 1, 5
        ntask = 99
        aout = 'xxxxxxxxxxxxxxxxxxxxxxx'
        tid = 99
        info = 99
        call pvmftasks(0, ntask, tid, ptid, dtid, flag, aout, info)
        call see('ntask', ntask)
        call see('tid', tid)
        call see('ptid', ptid)
        call see('dtid', dtid)
        call see('flag', flag)
        call seetext('aout', aout)
        call see('info', info)
      end do
      ntask = -1
      call pvmftasks(me, ntask, tid, ptid, dtid, flag, short, info)
      call see('ntask', ntask)
      call see('tid', tid)
      call see('flag', flag)
      call seetext('aout', short)
      call see('info', info)
      call pvmftasks(5, ntask, tid, ptid, dtid, flag, short, info)
      call see('ntask', ntask)
      call see('info', info)
      ntask = -1
      call pvmftasks(99999, ntask, tid, ptid, dtid, flag, short, info)
      call see('ntask', ntask)
      call see('info', info)
      call pvmftasks(me, ntask, tid, ptid, dtid, flag, '', info)
      call see('info', info)
      call pvmfpstat(tids(1), info)
      call see('pstat', info)
      call pvmfnotify(PVMTASKEXIT, 44, 2, tids, info)
      call see('notify', info)
      call pvmfsendsig(tids(1), 15, info)
      call see('sendsig', info)
      call pvmfkill(tids(2), info)
      call see('kill', info)
      call pvmfrecv(-1, 44, bufid)
      call pvmfrecv(-1, 44, bufid)
      call pvmfunpack(INTEGER4, tid, 1, 1, info)
      call see('unpack', info)
      do i = 1, 2
        call pvmfpstat(tids(i), info)
        call see('pstat', info)
      end do
      call area('errors')
      call pvmfpstat(5, info)
      call pvmfsetopt(99, 17, old)
      call pvmfpack(99, me, 1, 1, info)
      call see('pack', info)
      call pvmfdelhost(over, info)
      call see('delhost', info)
      call pvmfmkbuf(99, bufid)
      call pvmfpack(99, me, 1, 1, info)
      call pvmfputinfo(over, bufid, 0, index)
      call pvmfperror('neither is noted', info)
      call area('mailboxes')
      call pvmfinitsend(PVMDATADEFAULT, bufid)
      call pvmfputinfo('one', bufid, PVMMBOXMULTIINSTANCE, index)
      call see('one', index)
      call pvmfputinfo('one', bufid, PVMMBOXMULTIINSTANCE, index)
      call see('one', index)
      call pvmfputinfo('two', bufid, PVMMBOXOVERWRITABLE, index)
      call see('two', index)
      nclasses = -1
      do i = 1, 4
        info = 99
        nentries = 99
        ind = 99
        owner = 99
        flags = 99
        name = 'xxxxxxxxxx'
        call pvmfgetmboxinfo('', name, nclasses, nentries, ind,
     &    owner, flags, info)
        call seetext('name', name)
        call see('nclasses', nclasses)
        call see('nentries', nentries)
        write(*,'(9(I0,1X))') ind, owner, flags
        flush(6)
        call see('info', info)
        nclasses = 99
      end do
      nclasses = -1
      call pvmfgetmboxinfo('two', name, nclasses, nentries, ind,
     &    owner, flags, info)
      call seetext('name', name)
      call see('nclasses', nclasses)
      call see('nentries', nentries)
      call see('info', info)
      nclasses = -1
      call pvmfgetmboxinfo('three', name, nclasses, nentries, ind,
     &    owner, flags, info)
      call see('nclasses', nclasses)
      call see('nentries', nentries)
      call see('info', info)
      call pvmfgetmboxinfo(over, name, nclasses, nentries, ind,
     &    owner, flags, info)
      call see('info', info)
      call pvmfrecvinfo('one', 1, PVMMBOXDEFAULT, bufid)
      if (bufid .gt. 0) call see('recvinfo', 1)
      call pvmfdelinfo('one', 0, PVMMBOXDEFAULT, info)
      call see('delinfo', info)
      call pvmfdelinfo('one', 0, PVMMBOXDEFAULT, info)
      call see('delinfo', info)
      call pvmfrecvinfo('one', 0, PVMMBOXDEFAULT, bufid)
      call see('recvinfo', bufid)
      call area('options')
      do i = 0, 26
        info = 99
        call pvmfgetopt(i, info)
        call see('getopt', info)
      end do
      call pvmfsetopt(PVMROUTE, PVMROUTEDIRECT, old)
      call see('setopt', old)
      call pvmfsetopt(PVMROUTE, 17, old)
      call see('setopt', old)
      call pvmfsetopt(99, 17, old)
      call see('setopt', old)
      call pvmfcatchout(1, info)
      call see('catchout', info)
      call pvmfcatchout(0, info)
      call see('catchout', info)
      call pvmfsleep(0)
      call pvmfexit(info)
      call see('exit', info)
      end
      include 'observe.f'
