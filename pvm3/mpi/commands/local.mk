# mpicc and mpicxx, and what finds the library for pkg-config. CMake's FindMPI asks mpicc.
mpi_commands += pvm3/mpi/commands/mpicc pvm3/mpi/commands/mpicxx
mpi_filled = $(mpi_commands) pvm3/mpi/commands/pvm-mpi.pc
if HAVE_MPI
mpipkgconfigdir = $(libdir)/pkgconfig
mpipkgconfig_DATA = pvm3/mpi/commands/pvm-mpi.pc
noinst_DATA = $(mpi_filled)
endif
CLEANFILES += $(mpi_filled)
EXTRA_DIST += pvm3/mpi/commands/mpicc.in pvm3/mpi/commands/pvm-mpi.pc.in

mpi_fill_in = $(AM_V_GEN)$(MKDIR_P) pvm3/mpi/commands && $(fill_in) -e 's|@mpiincludedir[@]|$(includedir)/pvm-mpi|g'
pvm3/mpi/commands/mpicc: $(srcdir)/pvm3/mpi/commands/mpicc.in places.h Makefile
	$(mpi_fill_in) -e 's|@LANGUAGE@|C|; s|@VARIABLE@|MPICH_CC|; s|@COMPILER@|cc|' \
	  $(srcdir)/pvm3/mpi/commands/mpicc.in >$@.tmp && chmod +x $@.tmp && mv $@.tmp $@
pvm3/mpi/commands/mpicxx: $(srcdir)/pvm3/mpi/commands/mpicc.in places.h Makefile
	$(mpi_fill_in) -e 's|@LANGUAGE@|C++|; s|@VARIABLE@|MPICH_CXX|; s|@COMPILER@|c++|' \
	  $(srcdir)/pvm3/mpi/commands/mpicc.in >$@.tmp && chmod +x $@.tmp && mv $@.tmp $@
pvm3/mpi/commands/pvm-mpi.pc: $(srcdir)/pvm3/mpi/commands/pvm-mpi.pc.in places.h Makefile
	$(mpi_fill_in) $(srcdir)/pvm3/mpi/commands/pvm-mpi.pc.in >$@.tmp && mv $@.tmp $@
