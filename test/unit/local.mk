# The unit tests: one program for each file that needs no virtual machine, run by 'make check'.
#
# Each is linked with libunit, which stands between the program and the C library's allocator (--wrap).
if HAVE_CMOCKA
unit_tests = \
	test/unit/test_address \
	test/unit/test_arena \
	test/unit/test_assemble \
	test/unit/test_chunk \
	test/unit/test_control \
	test/unit/test_direct \
	test/unit/test_direct_use \
	test/unit/test_directory \
	test/unit/test_doorbell \
	test/unit/test_encode \
	test/unit/test_encode_model \
	test/unit/test_endpoint \
	test/unit/test_environment \
	test/unit/test_error \
	test/unit/test_examine \
	test/unit/test_fibers \
	test/unit/test_frame \
	test/unit/test_frame_reader \
	test/unit/test_groups_operations \
	test/unit/test_known_groups \
	test/unit/test_groups_table \
	test/unit/test_handed \
	test/unit/test_inbox \
	test/unit/test_item \
	test/unit/test_rendezvous \
	test/unit/test_line \
	test/unit/test_link_word \
	test/unit/test_lock \
	test/unit/test_match \
	test/unit/test_message \
	test/unit/test_one_copy \
	test/unit/test_owned_lock \
	test/unit/test_packed \
	test/unit/test_packet_link \
	test/unit/test_peer \
	test/unit/test_pool \
	test/unit/test_ports \
	test/unit/test_request \
	test/unit/test_retire \
	test/unit/test_ring \
	test/unit/test_sched \
	test/unit/test_sched_meter \
	test/unit/test_shared_array \
	test/unit/test_shm \
	test/unit/test_shm_gate \
	test/unit/test_shm_growth \
	test/unit/test_shm_rendezvous \
	test/unit/test_shm_order \
	test/unit/test_shm_parting \
	test/unit/test_signature \
	test/unit/test_replay_window \
	test/unit/test_siphash \
	test/unit/test_spin \
	test/unit/test_stream_port \
	test/unit/test_taken \
	test/unit/test_tid \
	test/unit/test_top_usage \
	test/unit/test_wait \
	test/unit/test_xdr \
	test/unit/test_xdr_plain
if HAVE_ULP
unit_tests += test/unit/test_ulp_cargo test/unit/test_ulp_files test/unit/test_ulp_heap test/unit/test_ulp_image \
	test/unit/test_ulp_region
endif
if HAVE_MPI
unit_tests += test/unit/test_mpi_datatypes test/unit/test_mpi_groups test/unit/test_mpi_objects test/unit/test_mpi_operations \
	test/unit/test_mpi_windows
endif
check_PROGRAMS += $(unit_tests)
check_LTLIBRARIES += libunit.la libdialect.la
TESTS += $(unit_tests)
endif

AM_CPPFLAGS += $(CMOCKA_CFLAGS)

libunit_la_SOURCES = \
	pvm3/ck/ports/lossy/lossy.c pvm3/ck/ports/lossy/lossy.h \
	test/unit/body.c test/unit/body.h \
	test/unit/cast.c test/unit/cast.h \
	test/unit/check.h \
	test/unit/neighbours.c test/unit/neighbours.h \
	test/unit/post.c test/unit/post.h \
	test/unit/quiet_owner.h \
	test/unit/shortage.c test/unit/shortage.h \
	test/unit/stage.c test/unit/stage.h \
	test/unit/talk.c test/unit/talk.h \
	test/unit/unit.c test/unit/unit.h

libdialect_la_SOURCES = pvm3/lib/link/dialect.c pvm3/lib/link/dialect.h

unit_ldflags = $(AM_LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc,--wrap=free
unit_core = libunit.la libcore.la $(CMOCKA_LIBS)
unit_mpi = libmpi.la libunit.la libcore.la $(CMOCKA_LIBS)
unit_ck = libunit.la libdialect.la libck.la libcore.la $(CMOCKA_LIBS)

test_unit_test_assemble_SOURCES = test/unit/test_assemble.c
test_unit_test_assemble_LDFLAGS = $(unit_ldflags)
test_unit_test_assemble_LDADD = $(unit_core)

test_unit_test_chunk_SOURCES = test/unit/test_chunk.c
test_unit_test_chunk_LDFLAGS = $(unit_ldflags)
test_unit_test_chunk_LDADD = $(unit_core)

test_unit_test_control_SOURCES = test/unit/test_control.c
test_unit_test_control_LDFLAGS = $(unit_ldflags)
test_unit_test_control_LDADD = $(unit_core)

test_unit_test_direct_SOURCES = test/unit/test_direct.c
test_unit_test_direct_LDFLAGS = $(unit_ldflags)
test_unit_test_direct_LDADD = $(unit_ck)

test_unit_test_direct_use_SOURCES = test/unit/test_direct_use.c
test_unit_test_direct_use_LDFLAGS = $(unit_ldflags)
test_unit_test_direct_use_LDADD = $(unit_ck)

test_unit_test_directory_SOURCES = test/unit/test_directory.c
test_unit_test_directory_LDFLAGS = $(unit_ldflags)
test_unit_test_directory_LDADD = $(unit_ck)

test_unit_test_doorbell_SOURCES = test/unit/test_doorbell.c
test_unit_test_doorbell_LDFLAGS = $(unit_ldflags)
test_unit_test_doorbell_LDADD = $(unit_ck)

test_unit_test_encode_SOURCES = test/unit/test_encode.c
test_unit_test_encode_LDFLAGS = $(unit_ldflags)
test_unit_test_encode_LDADD = $(unit_core)

test_unit_test_encode_model_SOURCES = test/unit/test_encode_model.c
test_unit_test_encode_model_LDFLAGS = $(unit_ldflags)
test_unit_test_encode_model_LDADD = $(unit_core)

test_unit_test_endpoint_SOURCES = test/unit/test_endpoint.c
test_unit_test_endpoint_LDFLAGS = $(unit_ldflags)
test_unit_test_endpoint_LDADD = $(unit_ck)

test_unit_test_environment_SOURCES = test/unit/test_environment.c
test_unit_test_environment_LDFLAGS = $(unit_ldflags)
test_unit_test_environment_LDADD = $(unit_core)

test_unit_test_error_SOURCES = test/unit/test_error.c
test_unit_test_error_LDFLAGS = $(unit_ldflags)
test_unit_test_error_LDADD = $(unit_core)

test_unit_test_examine_SOURCES = test/unit/test_examine.c
test_unit_test_examine_LDFLAGS = $(unit_ldflags)
test_unit_test_examine_LDADD = $(unit_ck)

test_unit_test_frame_SOURCES = test/unit/test_frame.c
test_unit_test_frame_LDFLAGS = $(unit_ldflags)
test_unit_test_frame_LDADD = $(unit_core)

test_unit_test_frame_reader_SOURCES = test/unit/test_frame_reader.c
test_unit_test_frame_reader_LDFLAGS = $(unit_ldflags)
test_unit_test_frame_reader_LDADD = $(unit_core)

test_unit_test_groups_operations_SOURCES = test/unit/test_groups_operations.c pvm3/groups/operations.c
test_unit_test_groups_operations_CFLAGS = $(AM_CFLAGS)
test_unit_test_groups_operations_LDFLAGS = $(unit_ldflags)
test_unit_test_groups_operations_LDADD = $(unit_core)

test_unit_test_known_groups_SOURCES = test/unit/test_known_groups.c pvm3/groups/known_groups.c
test_unit_test_known_groups_CFLAGS = $(AM_CFLAGS)
test_unit_test_known_groups_LDFLAGS = $(unit_ldflags)
test_unit_test_known_groups_LDADD = $(unit_core)

test_unit_test_groups_table_SOURCES = test/unit/test_groups_table.c pvm3/groups/table.c
test_unit_test_groups_table_CFLAGS = $(AM_CFLAGS)
test_unit_test_groups_table_LDFLAGS = $(unit_ldflags)
test_unit_test_groups_table_LDADD = $(unit_core)

test_unit_test_handed_SOURCES = test/unit/test_handed.c
test_unit_test_handed_LDFLAGS = $(unit_ldflags)
test_unit_test_handed_LDADD = $(unit_ck)

test_unit_test_inbox_SOURCES = test/unit/test_inbox.c
test_unit_test_inbox_LDFLAGS = $(unit_ldflags)
test_unit_test_inbox_LDADD = $(unit_ck)

test_unit_test_item_SOURCES = test/unit/test_item.c
test_unit_test_item_LDFLAGS = $(unit_ldflags)
test_unit_test_item_LDADD = $(unit_core)

test_unit_test_line_SOURCES = test/unit/test_line.c
test_unit_test_line_LDFLAGS = $(unit_ldflags)
test_unit_test_line_LDADD = $(unit_ck)

test_unit_test_link_word_SOURCES = test/unit/test_link_word.c
test_unit_test_link_word_LDFLAGS = $(unit_ldflags)
test_unit_test_link_word_LDADD = $(unit_core)

test_unit_test_lock_SOURCES = test/unit/test_lock.c
test_unit_test_lock_LDFLAGS = $(unit_ldflags)
test_unit_test_lock_LDADD = $(unit_ck)
test_unit_test_owned_lock_SOURCES = test/unit/test_owned_lock.c
test_unit_test_owned_lock_LDFLAGS = $(unit_ldflags)
test_unit_test_owned_lock_LDADD = $(unit_ck)

test_unit_test_match_SOURCES = test/unit/test_match.c
test_unit_test_match_LDFLAGS = $(unit_ldflags)
test_unit_test_match_LDADD = $(unit_core)

test_unit_test_message_SOURCES = test/unit/test_message.c
test_unit_test_message_LDFLAGS = $(unit_ldflags)
test_unit_test_message_LDADD = $(unit_core)

test_unit_test_packed_SOURCES = test/unit/test_packed.c
test_unit_test_packed_LDFLAGS = $(unit_ldflags)
test_unit_test_packed_LDADD = $(unit_core)

test_unit_test_packet_link_SOURCES = test/unit/test_packet_link.c
test_unit_test_packet_link_LDFLAGS = $(unit_ldflags)
test_unit_test_packet_link_LDADD = $(unit_core)

test_unit_test_mpi_datatypes_SOURCES = test/unit/test_mpi_datatypes.c
test_unit_test_mpi_datatypes_CPPFLAGS = $(mpi_cppflags)
test_unit_test_mpi_datatypes_LDFLAGS = $(unit_ldflags)
test_unit_test_mpi_datatypes_LDADD = $(unit_mpi)

test_unit_test_mpi_windows_SOURCES = test/unit/test_mpi_windows.c
test_unit_test_mpi_windows_CPPFLAGS = $(mpi_cppflags)
test_unit_test_mpi_windows_LDFLAGS = $(unit_ldflags)
test_unit_test_mpi_windows_LDADD = $(unit_mpi)

test_unit_test_mpi_groups_SOURCES = test/unit/test_mpi_groups.c
test_unit_test_mpi_groups_CPPFLAGS = $(mpi_cppflags)
test_unit_test_mpi_groups_LDFLAGS = $(unit_ldflags)
test_unit_test_mpi_groups_LDADD = $(unit_mpi)

test_unit_test_mpi_objects_SOURCES = test/unit/test_mpi_objects.c
test_unit_test_mpi_objects_CPPFLAGS = $(mpi_cppflags)
test_unit_test_mpi_objects_LDFLAGS = $(unit_ldflags)
test_unit_test_mpi_objects_LDADD = $(unit_mpi)

test_unit_test_mpi_operations_SOURCES = test/unit/test_mpi_operations.c
test_unit_test_mpi_operations_CPPFLAGS = $(mpi_cppflags)
test_unit_test_mpi_operations_LDFLAGS = $(unit_ldflags)
test_unit_test_mpi_operations_LDADD = $(unit_mpi)

test_unit_test_one_copy_SOURCES = test/unit/test_one_copy.c
test_unit_test_one_copy_LDFLAGS = $(unit_ldflags)
test_unit_test_one_copy_LDADD = $(unit_core)

test_unit_test_peer_SOURCES = test/unit/test_peer.c
test_unit_test_peer_LDFLAGS = $(unit_ldflags)
test_unit_test_peer_LDADD = $(unit_ck)

test_unit_test_pool_SOURCES = test/unit/test_pool.c
test_unit_test_pool_LDFLAGS = $(unit_ldflags)
test_unit_test_pool_LDADD = $(unit_core)

test_unit_test_ports_SOURCES = test/unit/test_ports.c
test_unit_test_ports_LDFLAGS = $(unit_ldflags)
test_unit_test_ports_LDADD = $(unit_ck)

test_unit_test_replay_window_SOURCES = test/unit/test_replay_window.c
test_unit_test_replay_window_LDFLAGS = $(unit_ldflags)
test_unit_test_replay_window_LDADD = $(unit_core)

test_unit_test_signature_SOURCES = test/unit/test_signature.c
test_unit_test_signature_LDFLAGS = $(unit_ldflags)
test_unit_test_signature_LDADD = $(unit_core)

test_unit_test_spin_SOURCES = test/unit/test_spin.c
test_unit_test_spin_LDFLAGS = $(unit_ldflags)
test_unit_test_spin_LDADD = $(unit_core)

test_unit_test_stream_port_SOURCES = test/unit/test_stream_port.c
test_unit_test_stream_port_LDFLAGS = $(unit_ldflags)
test_unit_test_stream_port_LDADD = $(unit_ck)

test_unit_test_siphash_SOURCES = test/unit/test_siphash.c
test_unit_test_siphash_LDFLAGS = $(unit_ldflags)
test_unit_test_siphash_LDADD = $(unit_core)

test_unit_test_tid_SOURCES = test/unit/test_tid.c
test_unit_test_tid_LDFLAGS = $(unit_ldflags)
test_unit_test_tid_LDADD = $(unit_core)

test_unit_test_fibers_SOURCES = test/unit/test_fibers.c
test_unit_test_fibers_LDADD = $(unit_ck) -lm

test_unit_test_top_usage_SOURCES = test/unit/test_top_usage.c pvm3/top/usage.c
test_unit_test_top_usage_CFLAGS = $(AM_CFLAGS)
test_unit_test_top_usage_LDFLAGS = $(unit_ldflags)
test_unit_test_top_usage_LDADD = $(unit_core)

test_unit_test_wait_SOURCES = test/unit/test_wait.c
test_unit_test_wait_LDFLAGS = $(unit_ldflags) -Wl,--wrap=epoll_wait
test_unit_test_wait_LDADD = $(unit_ck)

test_unit_test_ulp_cargo_SOURCES = test/unit/test_ulp_cargo.c test/unit/no_lender.c pvm3/ulp/cargo.c \
	pvm3/ulp/program_file.c pvm3/ulp/region.c pvm3/ulp/region_numbers.c pvm3/ulp/written.c
test_unit_test_ulp_cargo_CFLAGS = $(AM_CFLAGS)
test_unit_test_ulp_cargo_LDFLAGS = $(unit_ldflags)
test_unit_test_ulp_cargo_LDADD = $(unit_core)

test_unit_test_ulp_files_SOURCES = test/unit/test_ulp_files.c test/unit/no_lender.c pvm3/ulp/file_calls.c \
	pvm3/ulp/file_moves.c pvm3/ulp/file_numbers.c pvm3/ulp/files.c pvm3/ulp/heap.c pvm3/ulp/heap_calls.c \
	pvm3/ulp/language_files.c pvm3/ulp/program_file.c pvm3/ulp/region.c pvm3/ulp/region_numbers.c pvm3/ulp/room.c
test_unit_test_ulp_files_CFLAGS = $(AM_CFLAGS)
test_unit_test_ulp_files_LDFLAGS = $(unit_ldflags) '-Wl,--export-dynamic-symbol=_ZNSt12__basic_fileIc*'
test_unit_test_ulp_files_LDADD = libblocks.a $(unit_core)

test_unit_test_ulp_heap_SOURCES = test/unit/test_ulp_heap.c test/unit/no_lender.c pvm3/ulp/heap.c pvm3/ulp/program_file.c \
	pvm3/ulp/region.c pvm3/ulp/region_numbers.c
test_unit_test_ulp_heap_CFLAGS = $(AM_CFLAGS)
test_unit_test_ulp_heap_LDFLAGS = $(unit_ldflags)
test_unit_test_ulp_heap_LDADD = libblocks.a $(unit_core)

test_unit_test_ulp_image_SOURCES = test/unit/test_ulp_image.c pvm3/ulp/image.c pvm3/ulp/program_file.c
test_unit_test_ulp_image_CFLAGS = $(AM_CFLAGS)
test_unit_test_ulp_image_LDFLAGS = $(unit_ldflags)
test_unit_test_ulp_image_LDADD = $(unit_core)

test_unit_test_ulp_region_SOURCES = test/unit/test_ulp_region.c test/unit/no_lender.c pvm3/ulp/program_file.c pvm3/ulp/region.c \
	pvm3/ulp/region_numbers.c
test_unit_test_ulp_region_CFLAGS = $(AM_CFLAGS)
test_unit_test_ulp_region_LDFLAGS = $(unit_ldflags)
test_unit_test_ulp_region_LDADD = $(unit_core)

test_unit_test_xdr_SOURCES = test/unit/test_xdr.c
test_unit_test_xdr_LDFLAGS = $(unit_ldflags)
test_unit_test_xdr_LDADD = $(unit_core)

# The same on the loops that every processor can run.
test_unit_test_xdr_plain_SOURCES = test/unit/test_xdr.c pvm3/core/xdr.c
test_unit_test_xdr_plain_CFLAGS = $(AM_CFLAGS)
test_unit_test_xdr_plain_LDFLAGS = $(unit_ldflags)
test_unit_test_xdr_plain_LDADD = $(unit_core)

test_unit_test_address_SOURCES = test/unit/test_address.c
test_unit_test_address_LDFLAGS = $(unit_ldflags)
test_unit_test_address_LDADD = $(unit_ck)

test_unit_test_arena_SOURCES = test/unit/test_arena.c
test_unit_test_arena_LDFLAGS = $(unit_ldflags)
test_unit_test_arena_LDADD = $(unit_ck)

test_unit_test_retire_SOURCES = test/unit/test_retire.c
test_unit_test_retire_LDFLAGS = $(unit_ldflags) -Wl,--wrap=ring_write_short,--wrap=ring_write_long
test_unit_test_retire_LDADD = $(unit_ck)

test_unit_test_request_SOURCES = test/unit/test_request.c
test_unit_test_request_LDFLAGS = $(unit_ldflags)
test_unit_test_request_LDADD = $(unit_ck)

test_unit_test_ring_SOURCES = test/unit/test_ring.c
test_unit_test_ring_LDFLAGS = $(unit_ldflags)
test_unit_test_ring_LDADD = $(unit_ck)

test_unit_test_sched_SOURCES = test/unit/test_sched.c $(sched_decides)
test_unit_test_sched_CFLAGS = $(AM_CFLAGS)
test_unit_test_sched_LDFLAGS = $(unit_ldflags)
test_unit_test_sched_LDADD = $(unit_core)

test_unit_test_sched_meter_SOURCES = test/unit/test_sched_meter.c pvm3/sched/input.c pvm3/sched/memory.c \
	pvm3/sched/meter.c
test_unit_test_sched_meter_CFLAGS = $(AM_CFLAGS)
test_unit_test_sched_meter_LDFLAGS = $(unit_ldflags)
test_unit_test_sched_meter_LDADD = $(unit_core)

test_unit_test_shared_array_SOURCES = test/unit/test_shared_array.c
test_unit_test_shared_array_LDFLAGS = $(unit_ldflags)
test_unit_test_shared_array_LDADD = $(unit_core)

test_unit_test_shm_SOURCES = test/unit/test_shm.c
test_unit_test_shm_LDFLAGS = $(unit_ldflags)
test_unit_test_shm_LDADD = $(unit_ck)

test_unit_test_shm_gate_SOURCES = test/unit/test_shm_gate.c
test_unit_test_shm_gate_LDFLAGS = $(unit_ldflags)
test_unit_test_shm_gate_LDADD = $(unit_ck)

test_unit_test_rendezvous_SOURCES = test/unit/test_rendezvous.c
test_unit_test_rendezvous_LDFLAGS = $(AM_LDFLAGS)
test_unit_test_rendezvous_LDADD = $(unit_ck)

test_unit_test_shm_rendezvous_SOURCES = test/unit/test_shm_rendezvous.c
test_unit_test_shm_rendezvous_LDFLAGS = $(unit_ldflags)
test_unit_test_shm_rendezvous_LDADD = $(unit_ck)

test_unit_test_shm_growth_SOURCES = test/unit/test_shm_growth.c
test_unit_test_shm_growth_LDFLAGS = $(unit_ldflags)
test_unit_test_shm_growth_LDADD = $(unit_ck)

test_unit_test_shm_order_SOURCES = test/unit/test_shm_order.c
test_unit_test_shm_order_LDFLAGS = $(unit_ldflags)
test_unit_test_shm_order_LDADD = $(unit_ck)

test_unit_test_taken_SOURCES = test/unit/test_taken.c
test_unit_test_taken_LDFLAGS = $(unit_ldflags)
test_unit_test_taken_LDADD = $(unit_ck)

test_unit_test_shm_parting_SOURCES = test/unit/test_shm_parting.c
test_unit_test_shm_parting_LDFLAGS = $(unit_ldflags)
test_unit_test_shm_parting_LDADD = $(unit_ck)
