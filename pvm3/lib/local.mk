# libpvm3: the PVM calls, a thin skin over core and ck.
lib_LTLIBRARIES += libpvm3.la
libpvm3_la_SOURCES = \
	pvm3/lib/task/abi.c pvm3/lib/task/abi.h \
	pvm3/lib/task/active_buffer.c pvm3/lib/task/active_buffer.h \
	pvm3/lib/link/answerer.c pvm3/lib/link/answerer.h \
	pvm3/lib/task/buffer.c pvm3/lib/task/buffer.h \
	pvm3/lib/calls/buffer_calls.c \
	pvm3/lib/task/caller.c pvm3/lib/task/caller.h \
	pvm3/lib/serve/catchout.c pvm3/lib/serve/catchout.h \
	pvm3/lib/calls/context.c \
	pvm3/lib/link/dialect.c pvm3/lib/link/dialect.h \
	pvm3/lib/life/belongings.c pvm3/lib/life/belongings.h \
	pvm3/lib/life/enrolment.c pvm3/lib/life/enrolment.h \
	pvm3/lib/calls/export.c \
	pvm3/lib/life/fork.c pvm3/lib/life/fork.h \
	pvm3/lib/calls/format.c \
	pvm3/lib/serve/handler.c pvm3/lib/serve/handler.h \
	pvm3/lib/calls/handler_calls.c \
	pvm3/lib/life/handler_run.c pvm3/lib/life/handler_run.h \
	pvm3/lib/calls/helpers.c \
	pvm3/lib/calls/kernel.c pvm3/lib/calls/kernel.h \
	pvm3/lib/link/lease.c pvm3/lib/link/lease.h \
	pvm3/lib/link/host_list.c pvm3/lib/link/host_list.h \
	pvm3/lib/task/lock_ranks.h \
	pvm3/lib/calls/machine.c pvm3/lib/calls/machine.h \
	pvm3/lib/serve/mailbox.c pvm3/lib/serve/mailbox.h \
	pvm3/lib/calls/mailbox_calls.c \
	pvm3/lib/task/luggage.c pvm3/lib/task/luggage.h \
	pvm3/lib/life/move.c \
	pvm3/lib/link/move_order.c pvm3/lib/link/move_order.h \
	pvm3/lib/link/park_order.c pvm3/lib/link/park_order.h \
	pvm3/lib/calls/migrate.c \
	pvm3/lib/link/manager_watch.c pvm3/lib/link/manager_watch.h \
	pvm3/lib/calls/matcher.c pvm3/lib/calls/matcher.h \
	pvm3/lib/life/new_task.c pvm3/lib/life/new_task.h \
	pvm3/lib/calls/notify.c \
	pvm3/lib/serve/options.c pvm3/lib/serve/options.h \
	pvm3/lib/calls/output.c \
	pvm3/lib/serve/printed.c pvm3/lib/serve/printed.h \
	pvm3/lib/task/own_program.c pvm3/lib/task/own_program.h \
	pvm3/lib/calls/program_calls.c \
	pvm3/lib/calls/pack.c pvm3/lib/calls/pack.h \
	pvm3/lib/life/process.c pvm3/lib/task/process.h \
	pvm3/lib/task/public.h \
	pvm3/lib/link/pvmd_address.c pvm3/lib/link/pvmd_address.h \
	pvm3/lib/link/pvmd_link.c pvm3/lib/link/pvmd_link.h \
	pvm3/lib/link/region_numbers.c pvm3/lib/link/region_numbers.h \
	pvm3/lib/calls/receive.c \
	pvm3/lib/link/results.c pvm3/lib/link/results.h \
	pvm3/lib/serve/own_notice.c pvm3/lib/serve/own_notice.h \
	pvm3/lib/calls/send.c pvm3/lib/calls/send.h \
	pvm3/lib/calls/service.c pvm3/lib/calls/service.h \
	pvm3/lib/calls/share.c \
	pvm3/lib/link/siblings.c pvm3/lib/link/siblings.h \
	pvm3/lib/calls/spawn.c \
	pvm3/lib/calls/checkpoint.c pvm3/lib/calls/checkpoint.h \
	pvm3/lib/calls/checkpoint_file.c pvm3/lib/calls/checkpoint_file.h \
	pvm3/lib/spawn/door.c pvm3/lib/spawn/door.h \
	pvm3/lib/spawn/functions.c pvm3/lib/spawn/functions.h \
	pvm3/lib/spawn/guest.c pvm3/lib/spawn/guest.h \
	pvm3/lib/spawn/hold.c pvm3/lib/spawn/hold.h \
	pvm3/lib/spawn/hold_order.c pvm3/lib/spawn/hold_order.h \
	pvm3/lib/spawn/holder.c pvm3/lib/spawn/holder.h \
	pvm3/lib/spawn/knock.c \
	pvm3/lib/spawn/park.c pvm3/lib/spawn/park.h \
	pvm3/lib/spawn/placement.c pvm3/lib/spawn/placement.h \
	pvm3/lib/spawn/processors.c pvm3/lib/spawn/processors.h \
	pvm3/lib/spawn/program.c pvm3/lib/spawn/program.h \
	pvm3/lib/calls/restart.c \
	pvm3/lib/spawn/stack_source.h \
	pvm3/lib/spawn/stacks.c pvm3/lib/spawn/stacks.h \
	pvm3/lib/spawn/thread_hosts.c pvm3/lib/spawn/thread_hosts.h \
	pvm3/lib/spawn/carried.c pvm3/lib/spawn/carried.h \
	pvm3/lib/spawn/thread_start.c pvm3/lib/spawn/thread_start.h \
	pvm3/lib/spawn/thread_task.c pvm3/lib/spawn/thread_task.h \
	pvm3/lib/link/spin_setting.c pvm3/lib/link/spin_setting.h \
	pvm3/lib/calls/stand_in.c pvm3/lib/calls/stand_in.h \
	pvm3/lib/calls/start.c \
	pvm3/lib/calls/tag_name.c \
	pvm3/lib/life/tasks.h \
	pvm3/lib/task/task.c pvm3/lib/task/task.h \
	pvm3/lib/calls/task_calls.c \
	pvm3/lib/task/trace.c pvm3/lib/task/trace.h \
	pvm3/lib/calls/trace_abi.c \
	pvm3/lib/task/trace_layout.c pvm3/lib/task/trace_layout.h \
	pvm3/lib/task/trace_names.c \
	pvm3/lib/serve/trace_settings.c pvm3/lib/serve/trace_settings.h \
	pvm3/lib/calls/traced_calls.c \
	pvm3/lib/calls/tracer.c \
	pvm3/lib/task/turns.c pvm3/lib/task/turns.h \
	pvm3/lib/task/variables.c pvm3/lib/task/variables.h
libpvm3_la_LIBADD = libck.la libcore.la
libpvm3_la_LDFLAGS = $(AM_LDFLAGS) -version-number 3:4:6 -Wl,--version-script=$(top_srcdir)/pvm3/lib/libpvm3.map
libpvm3_la_DEPENDENCIES = libck.la libcore.la pvm3/lib/libpvm3.map
EXTRA_DIST += pvm3/lib/libpvm3.map

static_libraries += libpvm3.a
libpvm3.a: libpvm3.la conf/static-library
	$(AM_V_AR)$(static_library) $@ libpvm3.la \
	  $(libpvm3_la_OBJECTS) libck.la libcore.la
