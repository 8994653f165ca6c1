"""The recipe for Spack, in a repository of one's own as packages/pvm/package.py:

    spack repo create myrepo && spack repo add myrepo
    mkdir -p myrepo/packages/pvm && cp package.py myrepo/packages/pvm

Spack looks for the release in the folder in which it is called: spack install --no-checksum pvm
"""
import os

from spack.package import AutotoolsPackage, depends_on, variant, version


class Pvm(AutotoolsPackage):
    """PVM, the Parallel Virtual Machine, makes one machine of several hosts. Any thread may call its library, and
    nothing polls. It takes the place of PVM 3.4.6."""

    manual_download = True

    version("3.4.6.1")

    variant("mpi", default=False, description="MPI 5 with the standard binary interface")
    variant("top", default=True, description="pvmtop, which shows what hosts and tasks use")
    variant("ulp", default=True, description="pvmulp, which runs programs as user-level processes")
    variant("ucx", default=False, description="Reach tasks of other hosts by UCX")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("boost", type="build", when="+ulp")
    depends_on("hwloc")
    depends_on("libedit")
    depends_on("libsodium")
    depends_on("ncurses", when="+top")
    depends_on("libmicrohttpd", when="+top")
    depends_on("ucx@1.11:", when="+ucx")

    def url_for_version(self, version):
        return f"file://{os.getcwd()}/pvm-{version}.tar.gz"

    def configure_args(self):
        return [*self.enable_or_disable("mpi"), f"--with-ucx={'yes' if self.spec.satisfies('+ucx') else 'no'}"]

    def setup_run_environment(self, env):
        env.set("PVM_ROOT", self.prefix.lib.pvm3)
        env.prepend_path("PYTHONPATH", self.prefix.lib.pvm3.python)
