"""Programs of MPI, run by mpiexec in a virtual machine, or alone where none runs."""
from support import programs
from support.machine import VirtualMachine, processes_with
from support.places import OURS

MPIEXEC = OURS.pvmd.with_name("mpiexec")


class NoMachine(VirtualMachine):
    """The surroundings of a virtual machine in which none runs."""

    def __init__(self, **variables):
        super().__init__(OURS, OURS, variables)

    def processes(self):
        return processes_with(f"PVM_TMP={self.folder}")

    def files(self):
        return [name for name in super().files() if not name.startswith("home/")]

    def boot(self):
        return self

    def __exit__(self, kind, value, trace):
        try:
            if kind is None:
                self.check_nothing_left()
        finally:
            self.clean_up()


def mpi_program(name):
    """The path of the program NAME.c of the tests."""
    return programs.build(name, OURS)


def mpiexec(vm, ranks, name, *words, status=0, **options):
    """Runs NAME on so many ranks, and gives what it was; it must end with the status."""
    return vm.run(MPIEXEC, "-n", ranks, mpi_program(name), *words, **options).ok(status)


def start_mpiexec(vm, ranks, name, *words, **options):
    """Likewise, and gives the running task of mpiexec."""
    return vm.start(MPIEXEC, "-n", ranks, mpi_program(name), *words, **options)
