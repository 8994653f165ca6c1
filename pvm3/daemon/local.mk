# pvmd: the daemon.
bin_PROGRAMS += pvmd
pvmd_SOURCES = \
	pvm3/daemon/add_hosts.c pvm3/daemon/add_hosts.h \
	pvm3/daemon/addition.c pvm3/daemon/addition.h \
	pvm3/daemon/address_file.c pvm3/daemon/address_file.h \
	pvm3/daemon/complaint.c pvm3/daemon/complaint.h \
	pvm3/daemon/authenticate.c pvm3/daemon/authenticate.h \
	pvm3/daemon/backlog.c pvm3/daemon/backlog.h \
	pvm3/daemon/command_line.c pvm3/daemon/command_line.h \
	pvm3/daemon/contexts.c pvm3/daemon/contexts.h \
	pvm3/daemon/daemon.c pvm3/daemon/daemon.h \
	pvm3/daemon/datagram_reader.c pvm3/daemon/datagram_reader.h \
	pvm3/daemon/datagrams.c pvm3/daemon/datagrams.h \
	pvm3/daemon/doorman.c pvm3/daemon/doorman.h \
	pvm3/daemon/flows.c pvm3/daemon/flows.h \
	pvm3/daemon/host_stream.c pvm3/daemon/host_stream.h \
	pvm3/daemon/link_upgrade.c pvm3/daemon/link_upgrade.h \
	pvm3/daemon/host_end.c pvm3/daemon/host_end.h \
	pvm3/daemon/host_key.c pvm3/daemon/host_key.h \
	pvm3/daemon/host_link.c pvm3/daemon/host_link.h \
	pvm3/daemon/host_packets.c pvm3/daemon/host_packets.h \
	pvm3/daemon/host_requests.c pvm3/daemon/host_requests.h \
	pvm3/daemon/peer_requests.c pvm3/daemon/peer_requests.h \
	pvm3/daemon/keep_alive.c pvm3/daemon/keep_alive.h \
	pvm3/daemon/pending.c pvm3/daemon/pending.h \
	pvm3/daemon/relay.c pvm3/daemon/relay.h \
	pvm3/daemon/remote_shell.c pvm3/daemon/remote_shell.h \
	pvm3/daemon/terminal.c pvm3/daemon/terminal.h \
	pvm3/daemon/slave.c pvm3/daemon/slave.h \
	pvm3/daemon/starter.c pvm3/daemon/starter.h \
	pvm3/daemon/table_replica.c pvm3/daemon/table_replica.h \
	pvm3/daemon/table_update.c pvm3/daemon/table_update.h \
	pvm3/daemon/execute.c pvm3/daemon/execute.h \
	pvm3/daemon/execution.c pvm3/daemon/execution.h \
	pvm3/daemon/expand.c pvm3/daemon/expand.h \
	pvm3/daemon/former_hosts.c pvm3/daemon/former_hosts.h \
	pvm3/daemon/finding.c pvm3/daemon/finding.h \
	pvm3/daemon/frame_queue.c pvm3/daemon/frame_queue.h \
	pvm3/daemon/facts.c pvm3/daemon/facts.h \
	pvm3/daemon/far_feeders.c pvm3/daemon/far_feeders.h \
	pvm3/daemon/inbound.c pvm3/daemon/inbound.h \
	pvm3/daemon/inquiry.c pvm3/daemon/inquiry.h \
	pvm3/daemon/halt.c pvm3/daemon/halt.h \
	pvm3/daemon/host_file.c pvm3/daemon/host_file.h \
	pvm3/daemon/host_settings.c pvm3/daemon/host_settings.h \
	pvm3/daemon/host_start.c pvm3/daemon/host_start.h \
	pvm3/daemon/host_spec.c pvm3/daemon/host_spec.h \
	pvm3/daemon/hosts.c pvm3/daemon/hosts.h \
	pvm3/daemon/lifetime.c pvm3/daemon/lifetime.h \
	pvm3/daemon/line_writer.c pvm3/daemon/line_writer.h \
	pvm3/daemon/list.h \
	pvm3/daemon/listener.c pvm3/daemon/listener.h \
	pvm3/daemon/log.c pvm3/daemon/log.h \
	pvm3/daemon/lookup.c pvm3/daemon/lookup.h \
	pvm3/daemon/loop.c pvm3/daemon/loop.h \
	pvm3/daemon/mailbox.c pvm3/daemon/mailbox.h \
	pvm3/daemon/mailbox_requests.c pvm3/daemon/mailbox_requests.h \
	pvm3/daemon/main.c \
	pvm3/daemon/membership.c pvm3/daemon/membership.h \
	pvm3/daemon/memory.c pvm3/daemon/memory.h \
	pvm3/daemon/multicast.c pvm3/daemon/multicast.h \
	pvm3/daemon/notify.c pvm3/daemon/notify.h \
	pvm3/daemon/options.c pvm3/daemon/options.h \
	pvm3/daemon/output.c pvm3/daemon/output.h \
	pvm3/daemon/own_host.c pvm3/daemon/own_host.h \
	pvm3/daemon/pattern.c pvm3/daemon/pattern.h \
	pvm3/daemon/probe.c pvm3/daemon/probe.h \
	pvm3/daemon/proof.c pvm3/daemon/proof.h \
	pvm3/daemon/request.c pvm3/daemon/request.h \
	pvm3/daemon/route_sockets.c pvm3/daemon/route_sockets.h \
	pvm3/daemon/router.c pvm3/daemon/router.h \
	pvm3/daemon/search.c pvm3/daemon/search.h \
	pvm3/daemon/service_requests.c pvm3/daemon/service_requests.h \
	pvm3/daemon/services.c pvm3/daemon/services.h \
	pvm3/daemon/settings.c pvm3/daemon/settings.h \
	pvm3/daemon/signals.c pvm3/daemon/signals.h \
	pvm3/daemon/spawn.c pvm3/daemon/spawn.h \
	pvm3/daemon/statistics.h \
	pvm3/daemon/status.c pvm3/daemon/status.h \
	pvm3/daemon/strangers.c pvm3/daemon/strangers.h \
	pvm3/daemon/task_link.c pvm3/daemon/task_link.h \
	pvm3/daemon/task_requests.c pvm3/daemon/task_requests.h \
	pvm3/daemon/tasker.c pvm3/daemon/tasker.h \
	pvm3/daemon/tasks.c pvm3/daemon/tasks.h \
	pvm3/daemon/tickle.c pvm3/daemon/tickle.h \
	pvm3/daemon/trace.c pvm3/daemon/trace.h \
	pvm3/daemon/unsent.c pvm3/daemon/unsent.h \
	pvm3/daemon/upcalls.h \
	pvm3/daemon/watch.c pvm3/daemon/watch.h
pvmd_LDADD = libcore.la

# The parts that need no virtual machine are tested alone.
if HAVE_CMOCKA
daemon_tests = \
	test/unit/test_daemon_backlog \
	test/unit/test_daemon_execution \
	test/unit/test_daemon_flows \
	test/unit/test_daemon_frame_queue \
	test/unit/test_daemon_host_key \
	test/unit/test_daemon_host_spec \
	test/unit/test_daemon_line_writer \
	test/unit/test_daemon_complaint \
	test/unit/test_daemon_loop \
	test/unit/test_daemon_mailbox \
	test/unit/test_daemon_pattern \
	test/unit/test_daemon_search \
	test/unit/test_daemon_unsent
check_PROGRAMS += $(daemon_tests)
TESTS += $(daemon_tests)
endif

test_unit_test_daemon_backlog_SOURCES = test/unit/test_daemon_backlog.c pvm3/daemon/backlog.c
test_unit_test_daemon_backlog_CFLAGS = $(AM_CFLAGS)
test_unit_test_daemon_backlog_LDFLAGS = $(unit_ldflags)
test_unit_test_daemon_backlog_LDADD = $(unit_core)

test_unit_test_daemon_host_key_SOURCES = test/unit/test_daemon_host_key.c pvm3/daemon/host_key.c
test_unit_test_daemon_host_key_CFLAGS = $(AM_CFLAGS)
test_unit_test_daemon_host_key_LDFLAGS = $(unit_ldflags)
test_unit_test_daemon_host_key_LDADD = $(unit_core)

test_unit_test_daemon_execution_SOURCES = test/unit/test_daemon_execution.c pvm3/daemon/execution.c
test_unit_test_daemon_execution_CFLAGS = $(AM_CFLAGS)
test_unit_test_daemon_execution_LDFLAGS = $(unit_ldflags)
test_unit_test_daemon_execution_LDADD = $(unit_core)

test_unit_test_daemon_flows_SOURCES = test/unit/test_daemon_flows.c pvm3/daemon/flows.c \
	pvm3/daemon/frame_queue.c pvm3/daemon/backlog.c
test_unit_test_daemon_flows_CFLAGS = $(AM_CFLAGS)
test_unit_test_daemon_flows_LDFLAGS = $(unit_ldflags)
test_unit_test_daemon_flows_LDADD = $(unit_core)

test_unit_test_daemon_frame_queue_SOURCES = test/unit/test_daemon_frame_queue.c \
	pvm3/daemon/frame_queue.c pvm3/daemon/backlog.c
test_unit_test_daemon_frame_queue_CFLAGS = $(AM_CFLAGS)
test_unit_test_daemon_frame_queue_LDFLAGS = $(unit_ldflags)
test_unit_test_daemon_frame_queue_LDADD = $(unit_core)

test_unit_test_daemon_host_spec_SOURCES = test/unit/test_daemon_host_spec.c pvm3/daemon/host_spec.c
test_unit_test_daemon_host_spec_CFLAGS = $(AM_CFLAGS)
test_unit_test_daemon_host_spec_LDFLAGS = $(unit_ldflags)
test_unit_test_daemon_host_spec_LDADD = $(unit_core)

test_unit_test_daemon_line_writer_SOURCES = \
	test/unit/test_daemon_line_writer.c pvm3/daemon/line_writer.c
test_unit_test_daemon_line_writer_CFLAGS = $(AM_CFLAGS)
test_unit_test_daemon_line_writer_LDFLAGS = $(unit_ldflags)
test_unit_test_daemon_line_writer_LDADD = $(unit_core)

test_unit_test_daemon_complaint_SOURCES = test/unit/test_daemon_complaint.c \
	pvm3/daemon/complaint.c pvm3/daemon/line_writer.c pvm3/daemon/log.c pvm3/daemon/loop.c
test_unit_test_daemon_complaint_CFLAGS = $(AM_CFLAGS)
test_unit_test_daemon_complaint_LDFLAGS = $(unit_ldflags)
test_unit_test_daemon_complaint_LDADD = $(unit_core)

test_unit_test_daemon_loop_SOURCES = test/unit/test_daemon_loop.c pvm3/daemon/loop.c
test_unit_test_daemon_loop_CFLAGS = $(AM_CFLAGS)
test_unit_test_daemon_loop_LDFLAGS = $(unit_ldflags) -Wl,--wrap=clock_gettime
test_unit_test_daemon_loop_LDADD = $(unit_core)

test_unit_test_daemon_mailbox_SOURCES = test/unit/test_daemon_mailbox.c pvm3/daemon/mailbox.c
test_unit_test_daemon_mailbox_CFLAGS = $(AM_CFLAGS)
test_unit_test_daemon_mailbox_LDFLAGS = $(unit_ldflags)
test_unit_test_daemon_mailbox_LDADD = $(unit_core)

test_unit_test_daemon_pattern_SOURCES = test/unit/test_daemon_pattern.c pvm3/daemon/pattern.c
test_unit_test_daemon_pattern_CFLAGS = $(AM_CFLAGS)
test_unit_test_daemon_pattern_LDFLAGS = $(unit_ldflags)
test_unit_test_daemon_pattern_LDADD = $(unit_core)

test_unit_test_daemon_search_SOURCES = test/unit/test_daemon_search.c pvm3/daemon/search.c pvm3/daemon/expand.c
test_unit_test_daemon_search_CFLAGS = $(AM_CFLAGS)
test_unit_test_daemon_search_LDFLAGS = $(unit_ldflags)
test_unit_test_daemon_search_LDADD = $(unit_core)

test_unit_test_daemon_unsent_SOURCES = test/unit/test_daemon_unsent.c pvm3/daemon/unsent.c
test_unit_test_daemon_unsent_CFLAGS = $(AM_CFLAGS)
test_unit_test_daemon_unsent_LDFLAGS = $(unit_ldflags)
test_unit_test_daemon_unsent_LDADD = $(unit_core)

# The unit by which a user's systemd runs the daemon.
if HAVE_SYSTEMD_UNIT
systemduserunit_DATA = pvm3/daemon/pvmd.service
endif
EXTRA_DIST += pvm3/daemon/pvmd.service.in
CLEANFILES += pvm3/daemon/pvmd.service
pvm3/daemon/pvmd.service: $(srcdir)/pvm3/daemon/pvmd.service.in places.h Makefile
	$(AM_V_GEN)$(MKDIR_P) pvm3/daemon && \
	sed 's|@bindir[@]|$(bindir)|' $(srcdir)/pvm3/daemon/pvmd.service.in >$@.tmp && mv $@.tmp $@
