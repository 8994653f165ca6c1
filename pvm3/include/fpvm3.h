! fpvm3.h - the constants of PVM for programs in Fortran.
!
! Include it in each program unit that needs the constants, in free or
! fixed form, and tell the compiler -I and the folder of this file. The
! manual page of the C function pvm_x describes pvmfx, too, and says what
! the constants are for. libfpvm(3) is an introduction, also to the
! module pvm, which has the same constants.

! What pvmfspawn goes by; add them up.
      integer, parameter :: PVMTASKDEFAULT = 0  ! wherever there is room
      integer, parameter :: PVMTASKHOST = 1     ! on the host named
      integer, parameter :: PVMTASKARCH = 2     ! on hosts of its kind
      integer, parameter :: PVMTASKDEBUG = 4    ! under a debugger
      integer, parameter :: PVMTASKTRACE = 8    ! tracing their calls
      integer, parameter :: PVMMPPFRONT = 16    ! of no effect here
      integer, parameter :: PVMHOSTCOMPL = 32   ! on all hosts but those
      integer, parameter :: PVMNOSPAWNPARENT = 64 ! without a parent
      integer, parameter :: PVMTASKTHREAD = 1024 ! functions (added)
      integer, parameter :: PVMTASKULP = 2048 ! user-level processes (added)
      integer, parameter :: PVMHOST = 1         ! older names of these
      integer, parameter :: PVMARCH = 2
      integer, parameter :: PVMDEBUG = 4
      integer, parameter :: PVMTRACE = 8

! How messages are encoded.
      integer, parameter :: PVMDATADEFAULT = 0  ! for any host
      integer, parameter :: PVMDATARAW = 1      ! as it stands in memory
      integer, parameter :: PVMDATAINPLACE = 2  ! read when it is sent
      integer, parameter :: PVMDATATRACE = 4    ! of tracing libraries
      integer, parameter :: PVMDEFAULT = 0      ! older names
      integer, parameter :: PVMRAW = 1
      integer, parameter :: PVMINPLACE = 2

! What is packed, and the types of elements everywhere else.
      integer, parameter :: STRING = 0          ! bytes, no length
      integer, parameter :: BYTE1 = 1           ! bytes
      integer, parameter :: INTEGER2 = 2
      integer, parameter :: INTEGER4 = 3
      integer, parameter :: REAL4 = 4
      integer, parameter :: COMPLEX8 = 5        ! two REAL4
      integer, parameter :: REAL8 = 6
      integer, parameter :: COMPLEX16 = 7       ! two REAL8
      integer, parameter :: INTEGER8 = 8

! What pvmfnotify tells of.
      integer, parameter :: PVMTASKEXIT = 1
      integer, parameter :: PVMHOSTDELETE = 2
      integer, parameter :: PVMHOSTADD = 3
      integer, parameter :: PVMROUTEADD = 4
      integer, parameter :: PVMROUTEDELETE = 5
      integer, parameter :: PVMNOTIFYCANCEL = 256 ! added: no more

! Options of pvmfsetopt and pvmfgetopt.
      integer, parameter :: PVMROUTE = 1
      integer, parameter :: PVMDEBUGMASK = 2
      integer, parameter :: PVMAUTOERR = 3
      integer, parameter :: PVMOUTPUTTID = 4
      integer, parameter :: PVMOUTPUTCODE = 5
      integer, parameter :: PVMTRACETID = 6
      integer, parameter :: PVMTRACECODE = 7
      integer, parameter :: PVMTRACEBUFFER = 8
      integer, parameter :: PVMTRACEOPTIONS = 9
      integer, parameter :: PVMFRAGSIZE = 10
      integer, parameter :: PVMRESVTIDS = 11
      integer, parameter :: PVMSOUTPUTTID = 12
      integer, parameter :: PVMSOUTPUTCODE = 13
      integer, parameter :: PVMSTRACETID = 14
      integer, parameter :: PVMSTRACECODE = 15
      integer, parameter :: PVMSTRACEBUFFER = 16
      integer, parameter :: PVMSTRACEOPTIONS = 17
      integer, parameter :: PVMSHOWTIDS = 18
      integer, parameter :: PVMPOLLTYPE = 19
      integer, parameter :: PVMPOLLTIME = 20
      integer, parameter :: PVMOUTPUTCTX = 21
      integer, parameter :: PVMTRACECTX = 22
      integer, parameter :: PVMSOUTPUTCTX = 23
      integer, parameter :: PVMSTRACECTX = 24
      integer, parameter :: PVMNORESET = 25

! Values of these options: of PVMROUTE, PVMTRACEOPTIONS, PVMPOLLTYPE.
      integer, parameter :: PVMDONTROUTE = 1
      integer, parameter :: PVMALLOWDIRECT = 2
      integer, parameter :: PVMROUTEDIRECT = 3
      integer, parameter :: PVMTRACEFULL = 1
      integer, parameter :: PVMTRACETIME = 2
      integer, parameter :: PVMTRACECOUNT = 3
      integer, parameter :: PVMPOLLCONSTANT = 1
      integer, parameter :: PVMPOLLSLEEP = 2

! Mailboxes; add them up.
      integer, parameter :: PVMMBOXDEFAULT = 0
      integer, parameter :: PVMMBOXPERSISTENT = 1 ! outlives its owner
      integer, parameter :: PVMMBOXMULTIINSTANCE = 2 ! beside others
      integer, parameter :: PVMMBOXOVERWRITABLE = 4 ! by anybody
      integer, parameter :: PVMMBOXFIRSTAVAIL = 8 ! from this index on
      integer, parameter :: PVMMBOXREADANDDELETE = 16
      integer, parameter :: PVMMBOXWAITFORINFO = 32

! Results.
      integer, parameter :: PvmOk = 0
      integer, parameter :: PvmBadParam = -2
      integer, parameter :: PvmMismatch = -3
      integer, parameter :: PvmOverflow = -4
      integer, parameter :: PvmNoData = -5
      integer, parameter :: PvmNoHost = -6
      integer, parameter :: PvmNoFile = -7
      integer, parameter :: PvmDenied = -8
      integer, parameter :: PvmNoMem = -10
      integer, parameter :: PvmBadMsg = -12
      integer, parameter :: PvmSysErr = -14
      integer, parameter :: PvmNoBuf = -15
      integer, parameter :: PvmNoSuchBuf = -16
      integer, parameter :: PvmNullGroup = -17
      integer, parameter :: PvmDupGroup = -18
      integer, parameter :: PvmNoGroup = -19
      integer, parameter :: PvmNotInGroup = -20
      integer, parameter :: PvmNoInst = -21
      integer, parameter :: PvmHostFail = -22
      integer, parameter :: PvmNoParent = -23
      integer, parameter :: PvmNotImpl = -24
      integer, parameter :: PvmDSysErr = -25
      integer, parameter :: PvmBadVersion = -26
      integer, parameter :: PvmOutOfRes = -27
      integer, parameter :: PvmDupHost = -28
      integer, parameter :: PvmCantStart = -29
      integer, parameter :: PvmAlready = -30
      integer, parameter :: PvmNoTask = -31
      integer, parameter :: PvmNotFound = -32
      integer, parameter :: PvmExists = -33
      integer, parameter :: PvmHostrNMstr = -34
      integer, parameter :: PvmParentNotSet = -35
      integer, parameter :: PvmIPLoopback = -36
      integer, parameter :: PvmNoEntry = -32    ! older names of PvmNotFound
      integer, parameter :: PvmDupEntry = -33   ! and PvmExists
