! A program that uses the module pvm: all types and ranks, in both forms of the calls, to itself.
! Each line tells one observation; the test knows what they must be.
module handlers
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  integer :: handled = 0
contains
  integer(c_int) function handle(bufid) bind(c)
    use pvm
    integer(c_int), value :: bufid
    integer :: bytes, tag, tid, info
    bytes = 0
    tag = 0
    tid = 0
    call pvmfbufinfo(bufid, bytes, tag, tid, info)
    handled = tag
    handle = 0
  end function

  ! For pvmfreduce: the larger of each two.
  subroutine larger(datatype, x, y, num, info)
    use pvm
    integer, intent(in) :: datatype, num
    real(8), intent(inout) :: x(num)
    real(8), intent(in) :: y(num)
    integer, intent(out) :: info
    info = PvmBadParam
    if (datatype /= REAL8) return
    x = max(x, y)
    info = PvmOk
  end subroutine
end module

program with_module
  use pvm
  use, intrinsic :: iso_fortran_env
  use handlers
  implicit none
  integer(int8) :: i1(2) = [1_int8, -2_int8], j1(2)
  integer(int16) :: i2 = -300_int16, j2
  integer(int32) :: i4(2, 3) = reshape([1, 2, 3, 4, 5, 6], [2, 3]), j4(2, 3), k4(3)
  integer(int64) :: i8 = 5000000_int64, j8
  real(real32) :: r4(2) = [0.5, 1.5], s4(2)
  real(real64) :: r8(4) = [1d0, 2d0, 3d0, 4d0], s8(4)
  complex(real32) :: c8 = (1.0, -1.0), d8
  complex(real64) :: c16(1, 1, 2) = reshape([(1d0, 2d0), (3d0, 4d0)], [1, 1, 2]), d16(1, 1, 2)
  character(len=5) :: words(2) = ['one  ', 'three'], back(2)
  character(len=12) :: text
  integer :: me, info, bufid, tid, tag, bytes, mhid, what, inum, numt, tids(1)

  call pvmfmytid(me)

  call pvmfinitsend(PVMDATADEFAULT, bufid)
  call pvmfpack(i1, info)
  call pvmfpack(i2, info)
  call pvmfpack(i4, info)
  call pvmfpack(i8, info)
  call pvmfpack(r4, info)
  call pvmfpack(r8, info)
  call pvmfpack(c8, info)
  call pvmfpack(c16, info)
  call pvmfpack(words, info)
  call pvmfpack('a text', info)
  call pvmfsend(me, 1, info)
  call pvmfrecv(me, 1, bufid)
  call pvmfunpack(BYTE1, j1, 2, 1, info)
  call pvmfunpack(INTEGER2, j2, 1, 1, info)
  call pvmfunpack(INTEGER4, j4, 6, 1, info)
  call pvmfunpack(INTEGER8, j8, 1, 1, info)
  call pvmfunpack(REAL4, s4, 2, 1, info)
  call pvmfunpack(REAL8, s8, 4, 1, info)
  call pvmfunpack(COMPLEX8, d8, 1, 1, info)
  call pvmfunpack(COMPLEX16, d16, 2, 1, info)
  call pvmfunpack(BYTE1, back, 10, 1, info)
  text = ''
  call pvmfunpack(STRING, text, 6, 1, info)
  print *, 'whole, typed', info, all(j1 == i1), j2 == i2, all(j4 == i4), j8 == i8, all(s4 == r4), &
    all(s8 == r8), d8 == c8, all(d16 == c16), all(back == words), text == 'a text'

  call pvmfinitsend(PVMDATADEFAULT, bufid)
  call pvmfpack(INTEGER4, i4(1, 2), 2, 1, info)     ! from an element on
  call pvmfpack(INTEGER4, i4, 3, 2, info)           ! with a stride
  call pvmfpack(i4(2, :), info)                     ! what does not lie in one piece
  call pvmfpack(STRING, 'some text', 4, 1, info)
  call pvmfpack(REAL8, r8(2), 1, 1, info)
  call pvmfpack(BYTE1, i1, 2, 1, info)
  call pvmfpack(INTEGER2, i2, 1, 1, info)
  call pvmfpack(INTEGER8, i8, 1, 1, info)
  call pvmfpack(REAL4, r4, 2, 1, info)
  call pvmfpack(COMPLEX8, c8, 1, 1, info)
  call pvmfpack(COMPLEX16, c16, 2, 1, info)
  call pvmfmcast(1, me, 2, info)                    ! not to the sender itself
  call pvmfsend(me, 2, info)
  call pvmfrecv(me, 2, bufid)
  k4 = 0
  call pvmfunpack(k4(1:2), info)
  print *, 'an element', k4
  call pvmfunpack(k4, info)
  print *, 'a stride', k4
  j4 = 0
  call pvmfunpack(j4(2, :), info)
  print *, 'a row', j4
  text = ''
  call pvmfunpack(text(3:6), info)
  print *, 'a text ', text
  s8 = 0
  call pvmfunpack(s8(3), info)
  print *, 'a number', int(s8)
  call pvmfunpack(j1, info)
  call pvmfunpack(j2, info)
  call pvmfunpack(j8, info)
  call pvmfunpack(s4, info)
  call pvmfunpack(d8, info)
  call pvmfunpack(d16, info)
  print *, 'typed, whole', info, all(j1 == i1), j2 == i2, j8 == i8, all(s4 == r4), d8 == c8, all(d16 == c16)
  call pvmfunpack(j2, info)
  print *, 'the end', info == PvmNoData

  tid = 0
  tag = 0
  bytes = 0
  call pvmfpsend(me, 3, i4, info)
  call pvmfprecv(me, 3, k4, 3, INTEGER4, tid, tag, bytes, info)
  print *, 'precv', info, tid == me, tag, bytes, k4
  call pvmfpsend(me, 4, r8, 2, REAL8, info)
  call pvmfprecv(me, -1, s8, tid, tag, bytes, info)
  print *, 'precv', info, tid == me, tag, bytes, int(s8)
  call pvmfpsend(me, 5, 'text', info)
  text = 'xxxxxxxxxxxx'
  call pvmfprecv(me, 5, text, tid, tag, bytes, info)
  print *, 'precv', info, bytes, ' ', text

  call pvmfaddmhf(-1, 50, 0, 0, handle, mhid)
  call pvmfinitsend(PVMDATADEFAULT, bufid)
  call pvmfsend(me, 50, info)
  call pvmfsend(me, 51, info)
  call pvmfrecv(me, 51, bufid)
  print *, 'handler', handled
  call pvmfdelmhf(mhid, info)

  what = REAL8
  print *, 'constants', what, what == REAL8, what /= REAL4, PVMTASKEXIT, PvmIPLoopback

  call pvmfspawn('there_is_no_such_program', PVMTASKDEFAULT, '*', 1, tids, numt)
  print *, 'spawn', numt, tids == PvmNoFile
  call pvmfspawn('there_is_no_such_program', PVMTASKDEFAULT, '*', 1, tid, numt)
  print *, 'spawn', numt, tid == PvmNoFile
  call pvmfnotify(PVMTASKEXIT, 60, 1, me, info)
  print *, 'notify', info

  call pvmfjoingroup('module', inum)
  call pvmfreduce(larger, r8, 4, REAL8, 6, 'module', 0, info)
  print *, 'own reduction', info
  call pvmfreduce(PvmSum, i4, 6, 'module', 0, info)
  print *, 'sum', info
  call pvmfreduce(PvmMax, r4, 2, REAL4, 6, 'module', 0, info)
  print *, 'maximum', info
  call pvmfgather(j4, i4, 7, 'module', 0, info)
  print *, 'gather', info, all(j4 == i4)
  call pvmfgather(s8, r8, 4, REAL8, 7, 'module', 0, info)
  print *, 'gather', info, all(s8 == r8)
  call pvmfscatter(k4, i4, 8, 'module', 0, info)
  print *, 'scatter', info, k4
  call pvmfscatter(s8, r8, 2, REAL8, 8, 'module', 0, info)
  print *, 'scatter', info, int(s8)
  k4 = [1, 2, 3]
  call PvmSum(INTEGER4, k4, i4, 3, info)
  print *, 'PvmSum', info, k4
  call pvmflvgroup('module', info)
  call pvmfexit(info)
  print *, 'exit', info
end program
