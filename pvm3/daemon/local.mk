# pvmd: the daemon.
bin_PROGRAMS += pvmd
pvmd_SOURCES = \
	pvm3/daemon/add_hosts.c pvm3/daemon/add_hosts.h \
	pvm3/daemon/address_file.c pvm3/daemon/address_file.h \
	pvm3/daemon/authenticate.c pvm3/daemon/authenticate.h \
	pvm3/daemon/contexts.c pvm3/daemon/contexts.h \
	pvm3/daemon/daemon.h \
	pvm3/daemon/execute.c pvm3/daemon/execute.h \
	pvm3/daemon/execution.c pvm3/daemon/execution.h \
	pvm3/daemon/expand.c pvm3/daemon/expand.h \
	pvm3/daemon/frame_queue.c pvm3/daemon/frame_queue.h \
	pvm3/daemon/halt.c pvm3/daemon/halt.h \
	pvm3/daemon/host_file.c pvm3/daemon/host_file.h \
	pvm3/daemon/host_spec.c pvm3/daemon/host_spec.h \
	pvm3/daemon/hosts.c pvm3/daemon/hosts.h \
	pvm3/daemon/lifetime.c pvm3/daemon/lifetime.h \
	pvm3/daemon/list.h \
	pvm3/daemon/listener.c pvm3/daemon/listener.h \
	pvm3/daemon/log.c pvm3/daemon/log.h \
	pvm3/daemon/lookup.c pvm3/daemon/lookup.h \
	pvm3/daemon/loop.c pvm3/daemon/loop.h \
	pvm3/daemon/mailbox.c pvm3/daemon/mailbox.h \
	pvm3/daemon/mailbox_requests.c pvm3/daemon/mailbox_requests.h \
	pvm3/daemon/main.c \
	pvm3/daemon/notify.c pvm3/daemon/notify.h \
	pvm3/daemon/options.c pvm3/daemon/options.h \
	pvm3/daemon/output.c pvm3/daemon/output.h \
	pvm3/daemon/pattern.c pvm3/daemon/pattern.h \
	pvm3/daemon/probe.c pvm3/daemon/probe.h \
	pvm3/daemon/request.h \
	pvm3/daemon/requests.c \
	pvm3/daemon/router.c pvm3/daemon/router.h \
	pvm3/daemon/search.c pvm3/daemon/search.h \
	pvm3/daemon/services.c pvm3/daemon/services.h \
	pvm3/daemon/settings.c pvm3/daemon/settings.h \
	pvm3/daemon/signals.c pvm3/daemon/signals.h \
	pvm3/daemon/spawn.c pvm3/daemon/spawn.h \
	pvm3/daemon/statistics.h \
	pvm3/daemon/status.c pvm3/daemon/status.h \
	pvm3/daemon/task_link.c pvm3/daemon/task_link.h \
	pvm3/daemon/tasks.c pvm3/daemon/tasks.h \
	pvm3/daemon/tickle.c pvm3/daemon/tickle.h \
	pvm3/daemon/trace.c pvm3/daemon/trace.h
pvmd_LDADD = libcore.la
