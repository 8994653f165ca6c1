# The tools for traces: users of libpvm3.

bin_PROGRAMS += tracer trcsort
pvmroot_tasks += tracer
tracer_SOURCES = \
	pvm3/tools/tracer.c \
	pvm3/tools/tracer_prompt.c pvm3/tools/tracer_prompt.h \
	pvm3/console/input.c pvm3/console/input.h \
	pvm3/console/parse.c pvm3/console/parse.h
tracer_LDADD = libtracing.la libpvm3.la
trcsort_SOURCES = pvm3/tools/trcsort.c
trcsort_LDADD = libtracing.la libpvm3.la
