! greet.f90 - as greet.c, with the module pvm.
program greet
  use pvm
  implicit none
  integer, parameter :: copies = 2
  integer :: parent, number, started, info, buffer, i, size, tids(copies)
  character(len=16) :: text
  character(len=256) :: name

  call pvmfparent(parent)
  if (parent == PvmNoParent) then
    call get_command_argument(0, name)
    call pvmfspawn(trim(name), PvmTaskDefault, '*', copies, tids, started)
    if (started /= copies) stop 1
  end if
  call pvmfjoingroup('greeters', number)
  call pvmfbarrier('greeters', copies + 1, info)
  if (number < 0 .or. info < 0) stop 2
  if (parent /= PvmNoParent) then
    call pvmflvgroup('greeters', info)
    call pvmfinitsend(PvmDataDefault, buffer)
    call pvmfpack(STRING, 'hello', 5, 1, info)
    call pvmfsend(parent, 1, info)
  else
    do i = 1, copies
      call pvmfrecv(-1, 1, buffer)
      text = ' '
      call pvmfunpack(STRING, text, 5, 1, info)
      call pvmfgsize('greeters', size)
      print '(a,a,i0)', trim(text), ' from one of ', merge(copies + 1, 0, size > 0)
    end do
  end if
  call pvmfexit(info)
end program greet
