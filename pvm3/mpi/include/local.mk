# mpi.h, made of what is written by hand and of the table of functions. It has a folder of its own, so that the header
# of another MPI can stand in the usual one.
mpi_functions = $(srcdir)/pvm3/mpi/include/functions.txt
mpi_table = $(mpi_functions) $(srcdir)/pvm3/mpi/include/expand.awk

if HAVE_MPI
mpiincludedir = $(includedir)/pvm-mpi
nodist_mpiinclude_HEADERS = pvm3/mpi/include/mpi.h
BUILT_SOURCES += pvm3/mpi/include/mpi.h
endif
CLEANFILES += pvm3/mpi/include/mpi.h
EXTRA_DIST += pvm3/mpi/include/expand.awk pvm3/mpi/include/functions.txt pvm3/mpi/include/mpi.h.in \
	pvm3/mpi/include/prototypes.awk

pvm3/mpi/include/mpi.h: $(mpi_table) $(srcdir)/pvm3/mpi/include/prototypes.awk $(srcdir)/pvm3/mpi/include/mpi.h.in
	$(AM_V_GEN)$(MKDIR_P) pvm3/mpi/include && $(AWK) -f $(srcdir)/pvm3/mpi/include/prototypes.awk \
	  -f $(srcdir)/pvm3/mpi/include/expand.awk $(mpi_functions) $(srcdir)/pvm3/mpi/include/mpi.h.in >$@.tmp && mv $@.tmp $@
