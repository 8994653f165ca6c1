# The tools for traces: users of libpvm3.

bin_PROGRAMS += pvmtrace tracer trcsort
pvmroot_tasks += tracer
tracer_SOURCES = \
	pvm3/tools/tracer.c \
	pvm3/tools/tracer_prompt.c pvm3/tools/tracer_prompt.h \
	pvm3/console/input.c pvm3/console/input.h \
	pvm3/console/parse.c pvm3/console/parse.h
tracer_LDADD = libtracing.la libpvm3.la
pvmtrace_SOURCES = \
	pvm3/tools/chrome.c pvm3/tools/chrome.h \
	pvm3/tools/fields.c pvm3/tools/fields.h \
	pvm3/tools/live.c pvm3/tools/live.h \
	pvm3/tools/messages.c pvm3/tools/messages.h \
	pvm3/tools/pvmtrace.c \
	pvm3/tools/recording.c pvm3/tools/recording.h \
	pvm3/tools/timeline.c pvm3/tools/timeline.h \
	pvm3/console/json.c pvm3/console/json.h
pvmtrace_LDADD = libtracing.la libpvm3.la
trcsort_SOURCES = pvm3/tools/trcsort.c
trcsort_LDADD = libtracing.la libpvm3.la
