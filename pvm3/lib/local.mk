# libpvm3: the PVM calls, a thin skin over core and ck.
lib_LTLIBRARIES += libpvm3.la
libpvm3_la_SOURCES = \
	pvm3/lib/abi.c pvm3/lib/abi.h \
	pvm3/lib/active_buffer.c pvm3/lib/active_buffer.h \
	pvm3/lib/answerer.c pvm3/lib/answerer.h \
	pvm3/lib/buffer.c pvm3/lib/buffer.h \
	pvm3/lib/buffer_calls.c \
	pvm3/lib/caller.c pvm3/lib/caller.h \
	pvm3/lib/catchout.c pvm3/lib/catchout.h \
	pvm3/lib/context.c \
	pvm3/lib/dialect.c pvm3/lib/dialect.h \
	pvm3/lib/enrolment.c pvm3/lib/enrolment.h \
	pvm3/lib/export.c \
	pvm3/lib/fork.c pvm3/lib/fork.h \
	pvm3/lib/format.c \
	pvm3/lib/handler.c pvm3/lib/handler.h \
	pvm3/lib/handler_calls.c \
	pvm3/lib/handler_run.c pvm3/lib/handler_run.h \
	pvm3/lib/helpers.c \
	pvm3/lib/lock_ranks.h \
	pvm3/lib/machine.c pvm3/lib/machine.h \
	pvm3/lib/mailbox.c pvm3/lib/mailbox.h \
	pvm3/lib/mailbox_calls.c \
	pvm3/lib/manager_watch.c pvm3/lib/manager_watch.h \
	pvm3/lib/matcher.c pvm3/lib/matcher.h \
	pvm3/lib/new_task.c pvm3/lib/new_task.h \
	pvm3/lib/notify.c \
	pvm3/lib/options.c pvm3/lib/options.h \
	pvm3/lib/output.c \
	pvm3/lib/pack.c pvm3/lib/pack.h \
	pvm3/lib/process.c pvm3/lib/process.h \
	pvm3/lib/public.h \
	pvm3/lib/pvmd_address.c pvm3/lib/pvmd_address.h \
	pvm3/lib/pvmd_link.c pvm3/lib/pvmd_link.h \
	pvm3/lib/receive.c \
	pvm3/lib/results.c pvm3/lib/results.h \
	pvm3/lib/own_notice.c pvm3/lib/own_notice.h \
	pvm3/lib/send.c pvm3/lib/send.h \
	pvm3/lib/service.c pvm3/lib/service.h \
	pvm3/lib/siblings.c pvm3/lib/siblings.h \
	pvm3/lib/spawn.c \
	pvm3/lib/spin_setting.c pvm3/lib/spin_setting.h \
	pvm3/lib/start.c \
	pvm3/lib/tag_name.c \
	pvm3/lib/task.c pvm3/lib/task.h \
	pvm3/lib/task_calls.c \
	pvm3/lib/trace.c pvm3/lib/trace.h \
	pvm3/lib/trace_abi.c \
	pvm3/lib/trace_layout.c pvm3/lib/trace_layout.h \
	pvm3/lib/trace_names.c \
	pvm3/lib/trace_settings.c pvm3/lib/trace_settings.h \
	pvm3/lib/traced_calls.c \
	pvm3/lib/tracer.c \
	pvm3/lib/turns.c pvm3/lib/turns.h \
	pvm3/lib/variables.c pvm3/lib/variables.h
libpvm3_la_LIBADD = libck.la libcore.la
libpvm3_la_LDFLAGS = $(AM_LDFLAGS) -version-number 3:4:6 -Wl,--version-script=$(top_srcdir)/pvm3/lib/libpvm3.map
libpvm3_la_DEPENDENCIES = libck.la libcore.la pvm3/lib/libpvm3.map
EXTRA_DIST += pvm3/lib/libpvm3.map

static_libraries += libpvm3.a
libpvm3.a: libpvm3.la conf/static-library
	$(AM_V_AR)$(static_library) $@ libpvm3.la \
	  $(libpvm3_la_OBJECTS) libck.la libcore.la
