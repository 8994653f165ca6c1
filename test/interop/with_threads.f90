! Threads of OpenMP go through the lists, each by itself, and send messages to each other.
program with_threads
  use pvm
  use omp_lib
  implicit none
  integer, parameter :: ROUNDS = 100
  integer :: me, wrong, info

  call pvmfmytid(me)
  wrong = 0
  !$omp parallel num_threads(4) reduction(+:wrong)
  call lists(wrong)
  call messages(wrong)
  !$omp end parallel
  print *, 'wrong', wrong
  call pvmfexit(info)

contains

  subroutine lists(wrong)
    integer, intent(inout) :: wrong
    integer :: i, nhost, narch, dtid, speed, ntask, tid, ptid, flag, info
    character(len=20) :: name, arch, aout
    do i = 1, ROUNDS
      nhost = -1
      call pvmfconfig(nhost, narch, dtid, name, arch, speed, info)
      if (info /= 1 .or. nhost /= 1 .or. arch /= 'LINUX64') wrong = wrong + 1
      ntask = -1
      call pvmftasks(0, ntask, tid, ptid, dtid, flag, aout, info)
      if (info /= 1 .or. ntask /= 1 .or. tid /= me) wrong = wrong + 1
    end do
  end subroutine

  ! Each thread has a tag of its own, and buffers of its own.
  subroutine messages(wrong)
    integer, intent(inout) :: wrong
    integer :: i, tag, bufid, number, info
    tag = 100 + omp_get_thread_num()
    do i = 1, ROUNDS
      call pvmfinitsend(PVMDATADEFAULT, bufid)
      call pvmfpack(1000 * tag + i, info)
      call pvmfsend(me, tag, info)
      call pvmfrecv(me, tag, bufid)
      call pvmfunpack(number, info)
      if (number /= 1000 * tag + i) wrong = wrong + 1
    end do
  end subroutine
end program
