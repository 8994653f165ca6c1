# Trace records: how they come from tasks, and their text form. Part of the console and the tools.

noinst_LTLIBRARIES += libtracing.la
libtracing_la_SOURCES = \
	pvm3/tracing/clock.c pvm3/tracing/clock.h \
	pvm3/tracing/collect.c pvm3/tracing/collect.h \
	pvm3/tracing/decode.c pvm3/tracing/decode.h \
	pvm3/tracing/events.c pvm3/tracing/events.h \
	pvm3/tracing/record.c pvm3/tracing/record.h \
	pvm3/tracing/sddf.h pvm3/tracing/sddf_read.c pvm3/tracing/sddf_write.c \
	pvm3/tracing/wait.c pvm3/tracing/wait.h
libtracing_la_LIBADD = libcore.la
