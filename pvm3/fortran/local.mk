# libfpvm3: the calls for Fortran, ordinary users of libpvm3 and libgpvm3.

lib_LTLIBRARIES += libfpvm3.la
libfpvm3_la_SOURCES = \
	pvm3/fortran/buffers.c \
	pvm3/fortran/groups.c \
	pvm3/fortran/lists.c \
	pvm3/fortran/machine.c \
	pvm3/fortran/mailbox.c \
	pvm3/fortran/messages.c \
	pvm3/fortran/options.c \
	pvm3/fortran/routines.h \
	pvm3/fortran/tasks.c \
	pvm3/fortran/text.h
libfpvm3_la_LDFLAGS = $(AM_LDFLAGS) -version-number 3:4:6 -no-undefined
libfpvm3_la_LIBADD = $(fortran_module) libgpvm3.la libpvm3.la

# Nothing in it has a name but what programs call. The objects stay apart: only groups.c needs libgpvm3.
static_libraries += libfpvm3.a
libfpvm3.a: $(libfpvm3_la_OBJECTS) $(fortran_module)
	$(AM_V_AR)rm -f $@ && $(LIBTOOL) $(AM_V_lt) --tag=CC --mode=link $(CC) -o $@ \
	  $(libfpvm3_la_OBJECTS) $(fortran_module)

# The module pvm, for the one compiler that makes it.
fortran_module =
if HAVE_FORTRAN
fortran_module += pvm3/fortran/pvm.lo
fortranmod_DATA = pvm3/fortran/pvm.$(FC_MODEXT) pvm3/fortran/pvm_constants.$(FC_MODEXT) \
	pvm3/fortran/pvm_library.$(FC_MODEXT)
$(fortranmod_DATA): $(fortran_module)
endif
CLEANFILES += pvm3/fortran/pvm.f90 $(fortranmod_DATA)
EXTRA_DIST += pvm3/fortran/pvm.f90.in pvm3/fortran/expand.awk

pvm3/fortran/pvm.f90: $(srcdir)/pvm3/fortran/pvm.f90.in $(srcdir)/pvm3/fortran/expand.awk
	$(AM_V_GEN)$(MKDIR_P) pvm3/fortran && \
	  $(AWK) -f $(srcdir)/pvm3/fortran/expand.awk $(srcdir)/pvm3/fortran/pvm.f90.in >$@.tmp && mv $@.tmp $@
pvm3/fortran/pvm.lo: pvm3/fortran/pvm.f90 $(srcdir)/pvm3/include/fpvm3.h
	$(AM_V_GEN)$(LIBTOOL) $(AM_V_lt) --tag=FC --mode=compile $(FC) $(WARNING_FCFLAGS) $(FCFLAGS) \
	  -I$(srcdir)/pvm3/include $(FC_MODOUT)pvm3/fortran -c -o $@ pvm3/fortran/pvm.f90
