libmpi_la_SOURCES += \
	pvm3/mpi/values/errors.c pvm3/mpi/values/errors.h \
	pvm3/mpi/values/program_numbers.c pvm3/mpi/values/program_numbers.h \
	pvm3/mpi/values/status.c pvm3/mpi/values/status.h

# The names of all functions, for the texts of errors.
CLEANFILES += pvm3/mpi/values/function_names.c
EXTRA_DIST += pvm3/mpi/values/names.awk
pvm3/mpi/values/function_names.c: $(mpi_table) $(srcdir)/pvm3/mpi/values/names.awk
	$(AM_V_GEN)$(MKDIR_P) pvm3/mpi/values && $(AWK) -f $(srcdir)/pvm3/mpi/values/names.awk \
	  -f $(srcdir)/pvm3/mpi/include/expand.awk $(mpi_functions) >$@.tmp && mv $@.tmp $@
