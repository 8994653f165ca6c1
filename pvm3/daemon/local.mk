# pvmd: the daemon.
bin_PROGRAMS += pvmd
pvmd_SOURCES = pvm3/daemon/main.c
pvmd_LDADD = libdaemon.la libcore.la

# Its parts, which the unit tests take one by one.
noinst_LTLIBRARIES += libdaemon.la
libdaemon_la_SOURCES = \
	pvm3/daemon/base/address_file.c pvm3/daemon/base/address_file.h \
	pvm3/daemon/command_line.c pvm3/daemon/command_line.h \
	pvm3/daemon/rooms.c pvm3/daemon/rooms.h \
	pvm3/daemon/start.c pvm3/daemon/start.h \
	pvm3/daemon/base/backlog.c pvm3/daemon/base/backlog.h \
	pvm3/daemon/base/cipher.c pvm3/daemon/base/cipher.h \
	pvm3/daemon/base/complaint.c pvm3/daemon/base/complaint.h \
	pvm3/daemon/base/daemon.h \
	pvm3/daemon/base/flows.c pvm3/daemon/base/flows.h \
	pvm3/daemon/base/frame_queue.c pvm3/daemon/base/frame_queue.h \
	pvm3/daemon/base/holds.c pvm3/daemon/base/holds.h \
	pvm3/daemon/base/inquiry.c pvm3/daemon/base/inquiry.h \
	pvm3/daemon/base/kept_frames.c pvm3/daemon/base/kept_frames.h \
	pvm3/daemon/base/keyed_hash.c pvm3/daemon/base/keyed_hash.h \
	pvm3/daemon/base/line_writer.c pvm3/daemon/base/line_writer.h \
	pvm3/daemon/base/list.h \
	pvm3/daemon/base/log.c pvm3/daemon/base/log.h \
	pvm3/daemon/base/loop.c pvm3/daemon/base/loop.h \
	pvm3/daemon/base/memory.c pvm3/daemon/base/memory.h \
	pvm3/daemon/base/probe.c pvm3/daemon/base/probe.h \
	pvm3/daemon/base/settings.c pvm3/daemon/base/settings.h \
	pvm3/daemon/base/signals.c pvm3/daemon/base/signals.h \
	pvm3/daemon/base/statistics.h \
	pvm3/daemon/base/unsent.c pvm3/daemon/base/unsent.h \
	pvm3/daemon/post/datagrams.c pvm3/daemon/post/datagrams.h \
	pvm3/daemon/post/doorman.c pvm3/daemon/post/doorman.h \
	pvm3/daemon/post/far_feeders.c pvm3/daemon/post/far_feeders.h \
	pvm3/daemon/post/host_key.c pvm3/daemon/post/host_key.h \
	pvm3/daemon/post/host_link.c pvm3/daemon/post/host_link.h \
	pvm3/daemon/post/host_packets.c pvm3/daemon/post/host_packets.h \
	pvm3/daemon/post/host_stream.c pvm3/daemon/post/host_stream.h \
	pvm3/daemon/post/hosts.c pvm3/daemon/post/hosts.h \
	pvm3/daemon/post/lease.c pvm3/daemon/post/lease.h \
	pvm3/daemon/post/link_upgrade.c pvm3/daemon/post/link_upgrade.h \
	pvm3/daemon/post/machine_key.c pvm3/daemon/post/machine_key.h \
	pvm3/daemon/post/multicast.c pvm3/daemon/post/multicast.h \
	pvm3/daemon/post/notify.c pvm3/daemon/post/notify.h \
	pvm3/daemon/post/post_room.h \
	pvm3/daemon/post/pending.c pvm3/daemon/post/pending.h \
	pvm3/daemon/post/places.c pvm3/daemon/post/places.h \
	pvm3/daemon/post/proof.c pvm3/daemon/post/proof.h \
	pvm3/daemon/post/records.c pvm3/daemon/post/records.h \
	pvm3/daemon/post/region_blocks.c pvm3/daemon/post/region_blocks.h \
	pvm3/daemon/post/request.c pvm3/daemon/post/request.h \
	pvm3/daemon/post/router.c pvm3/daemon/post/router.h \
	pvm3/daemon/post/seal.c pvm3/daemon/post/seal.h \
	pvm3/daemon/post/strangers.c pvm3/daemon/post/strangers.h \
	pvm3/daemon/post/suspicion.c pvm3/daemon/post/suspicion.h \
	pvm3/daemon/post/talk.c pvm3/daemon/post/talk.h \
	pvm3/daemon/post/task_link.c pvm3/daemon/post/task_link.h \
	pvm3/daemon/post/tasks.c pvm3/daemon/post/tasks.h \
	pvm3/daemon/post/tree.c pvm3/daemon/post/tree.h \
	pvm3/daemon/post/tree_branch.c pvm3/daemon/post/tree_branch.h \
	pvm3/daemon/post/tree_origin.c pvm3/daemon/post/tree_origin.h \
	pvm3/daemon/post/upcalls.h \
	pvm3/daemon/post/watch.c pvm3/daemon/post/watch.h \
	pvm3/daemon/tasks/authenticate.c pvm3/daemon/tasks/authenticate.h \
	pvm3/daemon/tasks/execute.c pvm3/daemon/tasks/execute.h \
	pvm3/daemon/tasks/execution.c pvm3/daemon/tasks/execution.h \
	pvm3/daemon/tasks/finding.c pvm3/daemon/tasks/finding.h \
	pvm3/daemon/post/listener.c pvm3/daemon/post/listener.h \
	pvm3/daemon/tasks/options.c pvm3/daemon/tasks/options.h \
	pvm3/daemon/tasks/output.c pvm3/daemon/tasks/output.h \
	pvm3/daemon/tasks/route_sockets.c pvm3/daemon/tasks/route_sockets.h \
	pvm3/daemon/tasks/services.c pvm3/daemon/tasks/services.h \
	pvm3/daemon/tasks/spawn.c pvm3/daemon/tasks/spawn.h \
	pvm3/daemon/tasks/task_room.h \
	pvm3/daemon/tasks/tasker.c pvm3/daemon/tasks/tasker.h \
	pvm3/daemon/tasks/trace.c pvm3/daemon/tasks/trace.h \
	pvm3/daemon/hosts/datagram_reader.c pvm3/daemon/hosts/datagram_reader.h \
	pvm3/daemon/hosts/former_hosts.c pvm3/daemon/hosts/former_hosts.h \
	pvm3/daemon/hosts/host_room.h \
	pvm3/daemon/hosts/keep_alive.c pvm3/daemon/hosts/keep_alive.h \
	pvm3/daemon/hosts/local_health.h \
	pvm3/daemon/hosts/lookup.c pvm3/daemon/hosts/lookup.h \
	pvm3/daemon/hosts/membership.c pvm3/daemon/hosts/membership.h \
	pvm3/daemon/hosts/own_host.c pvm3/daemon/hosts/own_host.h \
	pvm3/daemon/hosts/relay.c pvm3/daemon/hosts/relay.h \
	pvm3/daemon/hosts/witness.c pvm3/daemon/hosts/witness.h \
	pvm3/daemon/members/add_hosts.c pvm3/daemon/members/add_hosts.h \
	pvm3/daemon/members/addition.c pvm3/daemon/members/addition.h \
	pvm3/daemon/members/copies.c pvm3/daemon/members/copies.h \
	pvm3/daemon/members/deputies.c pvm3/daemon/members/deputies.h \
	pvm3/daemon/members/halt.c pvm3/daemon/members/halt.h \
	pvm3/daemon/members/host_end.c pvm3/daemon/members/host_end.h \
	pvm3/daemon/members/host_file.c pvm3/daemon/members/host_file.h \
	pvm3/daemon/members/host_settings.c pvm3/daemon/members/host_settings.h \
	pvm3/daemon/members/host_spec.c pvm3/daemon/members/host_spec.h \
	pvm3/daemon/members/host_start.c pvm3/daemon/members/host_start.h \
	pvm3/daemon/members/member_room.h \
	pvm3/daemon/members/remote_shell.c pvm3/daemon/members/remote_shell.h \
	pvm3/daemon/members/slave.c pvm3/daemon/members/slave.h \
	pvm3/daemon/members/starter.c pvm3/daemon/members/starter.h \
	pvm3/daemon/members/succession.c pvm3/daemon/members/succession.h \
	pvm3/daemon/members/table_replica.c pvm3/daemon/members/table_replica.h \
	pvm3/daemon/members/table_update.c pvm3/daemon/members/table_update.h \
	pvm3/daemon/members/terminal.c pvm3/daemon/members/terminal.h \
	pvm3/daemon/requests/again.c pvm3/daemon/requests/again.h \
	pvm3/daemon/requests/arrivals.c pvm3/daemon/requests/arrivals.h \
	pvm3/daemon/requests/contexts.c pvm3/daemon/requests/contexts.h \
	pvm3/daemon/requests/departures.c pvm3/daemon/requests/departures.h \
	pvm3/daemon/requests/facts.c pvm3/daemon/requests/facts.h \
	pvm3/daemon/requests/followers.c pvm3/daemon/requests/followers.h \
	pvm3/daemon/requests/host_requests.c pvm3/daemon/requests/host_requests.h \
	pvm3/daemon/requests/inbound.c pvm3/daemon/requests/inbound.h \
	pvm3/daemon/requests/lease_requests.c pvm3/daemon/requests/lease_requests.h \
	pvm3/daemon/requests/lifetime.c pvm3/daemon/requests/lifetime.h \
	pvm3/daemon/requests/mailbox.c pvm3/daemon/requests/mailbox.h \
	pvm3/daemon/requests/mailbox_requests.c pvm3/daemon/requests/mailbox_requests.h \
	pvm3/daemon/requests/move_orders.c pvm3/daemon/requests/move_orders.h \
	pvm3/daemon/requests/move_record.c pvm3/daemon/requests/move_record.h \
	pvm3/daemon/requests/move_words.c pvm3/daemon/requests/move_words.h \
	pvm3/daemon/requests/moves.c pvm3/daemon/requests/moves.h \
	pvm3/daemon/requests/pattern.c pvm3/daemon/requests/pattern.h \
	pvm3/daemon/requests/peer_requests.c pvm3/daemon/requests/peer_requests.h \
	pvm3/daemon/requests/region_requests.c pvm3/daemon/requests/region_requests.h \
	pvm3/daemon/requests/replica.c pvm3/daemon/requests/replica.h \
	pvm3/daemon/requests/request_room.h \
	pvm3/daemon/requests/revivals.c pvm3/daemon/requests/revivals.h \
	pvm3/daemon/requests/secrecy.c pvm3/daemon/requests/secrecy.h \
	pvm3/daemon/requests/service_requests.c pvm3/daemon/requests/service_requests.h \
	pvm3/daemon/requests/status.c pvm3/daemon/requests/status.h \
	pvm3/daemon/requests/task_requests.c pvm3/daemon/requests/task_requests.h \
	pvm3/daemon/requests/tickle.c pvm3/daemon/requests/tickle.h
libdaemon_la_LIBADD = $(SODIUM_LIBS)

# A part is tested alone. A test that brings a function itself is linked without the object of the
# part that defines the function.
if HAVE_CMOCKA
daemon_tests = \
	test/unit/test_daemon_addition \
	test/unit/test_daemon_backlog \
	test/unit/test_daemon_execution \
	test/unit/test_daemon_flows \
	test/unit/test_daemon_followers \
	test/unit/test_daemon_frame_queue \
	test/unit/test_daemon_holds \
	test/unit/test_daemon_host_end \
	test/unit/test_daemon_host_key \
	test/unit/test_daemon_host_spec \
	test/unit/test_daemon_inbound \
	test/unit/test_daemon_lease \
	test/unit/test_daemon_line_writer \
	test/unit/test_daemon_complaint \
	test/unit/test_daemon_loop \
	test/unit/test_daemon_machine_key \
	test/unit/test_daemon_mailbox \
	test/unit/test_daemon_mailbox_requests \
	test/unit/test_daemon_notify \
	test/unit/test_daemon_pattern \
	test/unit/test_daemon_places \
	test/unit/test_daemon_records \
	test/unit/test_daemon_region_blocks \
	test/unit/test_daemon_region_requests \
	test/unit/test_daemon_router \
	test/unit/test_daemon_salts \
	test/unit/test_search \
	test/unit/test_daemon_spawn \
	test/unit/test_daemon_succession \
	test/unit/test_daemon_suspicion \
	test/unit/test_daemon_talk \
	test/unit/test_daemon_task_link \
	test/unit/test_daemon_tasks \
	test/unit/test_daemon_tree \
	test/unit/test_daemon_unsent
check_PROGRAMS += $(daemon_tests)
TESTS += $(daemon_tests)
endif

# Tables without a virtual machine; and a router that keeps what it is given.
quiet_daemon = test/unit/quiet_daemon.c test/unit/quiet_daemon.h
sent = test/unit/sent.c test/unit/sent.h
unit_daemon = libdaemon.la $(unit_core)

test_unit_test_daemon_addition_SOURCES = test/unit/test_daemon_addition.c $(quiet_daemon) $(sent)
test_unit_test_daemon_addition_LDFLAGS = $(unit_ldflags)
test_unit_test_daemon_addition_LDADD = $(unit_daemon)

test_unit_test_daemon_backlog_SOURCES = test/unit/test_daemon_backlog.c
test_unit_test_daemon_backlog_LDFLAGS = $(unit_ldflags)
test_unit_test_daemon_backlog_LDADD = $(unit_daemon)

test_unit_test_daemon_holds_SOURCES = test/unit/test_daemon_holds.c
test_unit_test_daemon_holds_LDFLAGS = $(unit_ldflags)
test_unit_test_daemon_holds_LDADD = $(unit_daemon)

test_unit_test_daemon_host_end_SOURCES = test/unit/test_daemon_host_end.c $(quiet_daemon) $(sent)
test_unit_test_daemon_host_end_LDFLAGS = $(unit_ldflags)
test_unit_test_daemon_host_end_LDADD = $(unit_daemon)

test_unit_test_daemon_records_SOURCES = test/unit/test_daemon_records.c
test_unit_test_daemon_records_LDFLAGS = $(unit_ldflags)
test_unit_test_daemon_records_LDADD = $(unit_daemon)

test_unit_test_daemon_host_key_SOURCES = test/unit/test_daemon_host_key.c
test_unit_test_daemon_host_key_LDFLAGS = $(unit_ldflags)
test_unit_test_daemon_host_key_LDADD = $(unit_daemon)

test_unit_test_daemon_execution_SOURCES = test/unit/test_daemon_execution.c
test_unit_test_daemon_execution_LDFLAGS = $(unit_ldflags)
test_unit_test_daemon_execution_LDADD = $(unit_daemon)

test_unit_test_daemon_flows_SOURCES = test/unit/test_daemon_flows.c
test_unit_test_daemon_flows_LDFLAGS = $(unit_ldflags)
test_unit_test_daemon_flows_LDADD = $(unit_daemon)

test_unit_test_daemon_followers_SOURCES = test/unit/test_daemon_followers.c $(quiet_daemon)
test_unit_test_daemon_followers_LDFLAGS = $(unit_ldflags)
test_unit_test_daemon_followers_LDADD = $(unit_daemon)

test_unit_test_daemon_frame_queue_SOURCES = test/unit/test_daemon_frame_queue.c
test_unit_test_daemon_frame_queue_LDFLAGS = $(unit_ldflags)
test_unit_test_daemon_frame_queue_LDADD = $(unit_daemon)

test_unit_test_daemon_host_spec_SOURCES = test/unit/test_daemon_host_spec.c
test_unit_test_daemon_host_spec_LDFLAGS = $(unit_ldflags)
test_unit_test_daemon_host_spec_LDADD = $(unit_daemon)

test_unit_test_daemon_inbound_SOURCES = test/unit/test_daemon_inbound.c $(quiet_daemon)
test_unit_test_daemon_inbound_LDFLAGS = $(unit_ldflags)
test_unit_test_daemon_inbound_LDADD = $(unit_daemon)

test_unit_test_daemon_lease_SOURCES = test/unit/test_daemon_lease.c $(quiet_daemon)
test_unit_test_daemon_lease_LDFLAGS = $(unit_ldflags)
test_unit_test_daemon_lease_LDADD = $(unit_daemon)

test_unit_test_daemon_line_writer_SOURCES = test/unit/test_daemon_line_writer.c
test_unit_test_daemon_line_writer_LDFLAGS = $(unit_ldflags)
test_unit_test_daemon_line_writer_LDADD = $(unit_daemon)

test_unit_test_daemon_complaint_SOURCES = test/unit/test_daemon_complaint.c
test_unit_test_daemon_complaint_LDFLAGS = $(unit_ldflags)
test_unit_test_daemon_complaint_LDADD = $(unit_daemon)

test_unit_test_daemon_loop_SOURCES = test/unit/test_daemon_loop.c
test_unit_test_daemon_loop_LDFLAGS = $(unit_ldflags) -Wl,--wrap=clock_gettime
test_unit_test_daemon_loop_LDADD = $(unit_daemon)

test_unit_test_daemon_machine_key_SOURCES = test/unit/test_daemon_machine_key.c
test_unit_test_daemon_machine_key_LDFLAGS = $(unit_ldflags)
test_unit_test_daemon_machine_key_LDADD = $(unit_daemon)

test_unit_test_daemon_mailbox_SOURCES = test/unit/test_daemon_mailbox.c
test_unit_test_daemon_mailbox_LDFLAGS = $(unit_ldflags)
test_unit_test_daemon_mailbox_LDADD = $(unit_daemon)

test_unit_test_daemon_mailbox_requests_SOURCES = test/unit/test_daemon_mailbox_requests.c $(quiet_daemon) $(sent)
test_unit_test_daemon_mailbox_requests_LDFLAGS = $(unit_ldflags)
test_unit_test_daemon_mailbox_requests_LDADD = $(unit_daemon)

test_unit_test_daemon_notify_SOURCES = test/unit/test_daemon_notify.c $(quiet_daemon) $(sent)
test_unit_test_daemon_notify_LDFLAGS = $(unit_ldflags)
test_unit_test_daemon_notify_LDADD = $(unit_daemon)

test_unit_test_daemon_pattern_SOURCES = test/unit/test_daemon_pattern.c
test_unit_test_daemon_pattern_LDFLAGS = $(unit_ldflags)
test_unit_test_daemon_pattern_LDADD = $(unit_daemon)

test_unit_test_daemon_places_SOURCES = test/unit/test_daemon_places.c $(quiet_daemon)
test_unit_test_daemon_places_LDFLAGS = $(unit_ldflags)
test_unit_test_daemon_places_LDADD = $(unit_daemon)

test_unit_test_daemon_region_blocks_SOURCES = test/unit/test_daemon_region_blocks.c
test_unit_test_daemon_region_blocks_LDFLAGS = $(unit_ldflags)
test_unit_test_daemon_region_blocks_LDADD = $(unit_daemon)

test_unit_test_daemon_region_requests_SOURCES = \
	test/unit/test_daemon_region_requests.c $(quiet_daemon) $(sent)
test_unit_test_daemon_region_requests_LDFLAGS = $(unit_ldflags)
test_unit_test_daemon_region_requests_LDADD = $(unit_daemon)

test_unit_test_daemon_router_SOURCES = test/unit/test_daemon_router.c $(quiet_daemon)
test_unit_test_daemon_router_LDFLAGS = $(unit_ldflags)
test_unit_test_daemon_router_LDADD = $(unit_daemon)

test_unit_test_daemon_salts_SOURCES = test/unit/test_daemon_salts.c $(quiet_daemon)
test_unit_test_daemon_salts_LDFLAGS = $(unit_ldflags)
test_unit_test_daemon_salts_LDADD = $(unit_daemon)

test_unit_test_search_SOURCES = test/unit/test_search.c
test_unit_test_search_LDFLAGS = $(unit_ldflags)
test_unit_test_search_LDADD = $(unit_daemon)

test_unit_test_daemon_spawn_SOURCES = test/unit/test_daemon_spawn.c $(quiet_daemon) $(sent)
test_unit_test_daemon_spawn_LDFLAGS = $(unit_ldflags)
test_unit_test_daemon_spawn_LDADD = $(unit_daemon)

test_unit_test_daemon_succession_SOURCES = test/unit/test_daemon_succession.c $(quiet_daemon) $(sent)
test_unit_test_daemon_succession_LDFLAGS = $(unit_ldflags)
test_unit_test_daemon_succession_LDADD = $(unit_daemon)

test_unit_test_daemon_suspicion_SOURCES = test/unit/test_daemon_suspicion.c
test_unit_test_daemon_suspicion_LDFLAGS = $(unit_ldflags)
test_unit_test_daemon_suspicion_LDADD = $(unit_daemon)

test_unit_test_daemon_talk_SOURCES = test/unit/test_daemon_talk.c
test_unit_test_daemon_talk_LDFLAGS = $(unit_ldflags)
test_unit_test_daemon_talk_LDADD = $(unit_daemon)

test_unit_test_daemon_task_link_SOURCES = test/unit/test_daemon_task_link.c $(quiet_daemon)
test_unit_test_daemon_task_link_LDFLAGS = $(unit_ldflags)
test_unit_test_daemon_task_link_LDADD = $(unit_daemon)

test_unit_test_daemon_tasks_SOURCES = test/unit/test_daemon_tasks.c $(quiet_daemon)
test_unit_test_daemon_tasks_LDFLAGS = $(unit_ldflags)
test_unit_test_daemon_tasks_LDADD = $(unit_daemon)

test_unit_test_daemon_tree_SOURCES = test/unit/test_daemon_tree.c
test_unit_test_daemon_tree_LDFLAGS = $(unit_ldflags)
test_unit_test_daemon_tree_LDADD = $(unit_daemon)

test_unit_test_daemon_unsent_SOURCES = test/unit/test_daemon_unsent.c
test_unit_test_daemon_unsent_LDFLAGS = $(unit_ldflags)
test_unit_test_daemon_unsent_LDADD = $(unit_daemon)

# The unit by which a user's systemd runs the daemon.
if HAVE_SYSTEMD_UNIT
systemduserunit_DATA = pvm3/daemon/pvmd.service
endif
EXTRA_DIST += pvm3/daemon/pvmd.service.in
CLEANFILES += pvm3/daemon/pvmd.service
pvm3/daemon/pvmd.service: $(srcdir)/pvm3/daemon/pvmd.service.in places.h Makefile
	$(AM_V_GEN)$(MKDIR_P) pvm3/daemon && \
	sed 's|@bindir[@]|$(bindir)|' $(srcdir)/pvm3/daemon/pvmd.service.in >$@.tmp && mv $@.tmp $@
