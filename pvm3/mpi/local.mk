# libmpi_abi: MPI, a second owner of ck beside libpvm3. The rooms make libmpi, which unit tests use too; calls/ are the
# exported functions. Each room names its files in a local.mk of its own.
libmpi_la_SOURCES =
libmpi_abi_la_SOURCES =
nodist_libmpi_abi_la_SOURCES = pvm3/mpi/calls/unsupported.c
mpi_commands =

include pvm3/mpi/include/local.mk
include pvm3/mpi/values/local.mk
include pvm3/mpi/objects/local.mk
include pvm3/mpi/datatypes/local.mk
include pvm3/mpi/operations/local.mk
include pvm3/mpi/messages/local.mk
include pvm3/mpi/schedules/local.mk
include pvm3/mpi/communicators/local.mk
include pvm3/mpi/collectives/local.mk
include pvm3/mpi/windows/local.mk
include pvm3/mpi/calls/local.mk
include pvm3/mpi/commands/local.mk

if HAVE_MPI
noinst_LTLIBRARIES += libmpi.la
lib_LTLIBRARIES += libmpi_abi.la
bin_SCRIPTS += $(mpi_commands)
endif
mpi_cppflags = $(AM_CPPFLAGS) -I$(top_builddir)/pvm3/mpi/include -I$(top_builddir)/pvm3
libmpi_la_CPPFLAGS = $(mpi_cppflags)
libmpi_abi_la_CPPFLAGS = $(mpi_cppflags)
nodist_libmpi_la_SOURCES = pvm3/mpi/values/function_names.c
# Programs that were compiled for another library with this ABI find ours by this name.
libmpi_abi_la_LDFLAGS = $(AM_LDFLAGS) -version-info 1:0:0 -no-undefined -Wl,-z,nodelete \
	-Wl,--version-script=$(top_srcdir)/pvm3/mpi/libmpi_abi.map
libmpi_abi_la_LIBADD = libmpi.la libpvm3.la
EXTRA_libmpi_abi_la_DEPENDENCIES = pvm3/mpi/libmpi_abi.map
EXTRA_DIST += pvm3/mpi/libmpi_abi.map
