# The parts that need no virtual machine.
groups_tests = \
	test/unit/test_groups_operations \
	test/unit/test_groups_static \
	test/unit/test_groups_table

if HAVE_CMOCKA
check_PROGRAMS += $(groups_tests)
TESTS += $(groups_tests)
endif

test_unit_test_groups_operations_SOURCES = \
	test/unit/test_groups_operations.c pvm3/groups/operations.c
test_unit_test_groups_operations_CPPFLAGS = $(unit_cppflags)
test_unit_test_groups_operations_CFLAGS = $(unit_cflags)
test_unit_test_groups_operations_LDFLAGS = $(unit_ldflags)
test_unit_test_groups_operations_LDADD = $(unit_core) -lm
test_unit_test_groups_static_SOURCES = test/unit/test_groups_static.c pvm3/groups/static_groups.c
test_unit_test_groups_static_CPPFLAGS = $(unit_cppflags)
test_unit_test_groups_static_CFLAGS = $(unit_cflags)
test_unit_test_groups_static_LDFLAGS = $(unit_ldflags)
test_unit_test_groups_static_LDADD = $(unit_core)
test_unit_test_groups_table_SOURCES = test/unit/test_groups_table.c pvm3/groups/table.c
test_unit_test_groups_table_CPPFLAGS = $(unit_cppflags)
test_unit_test_groups_table_CFLAGS = $(unit_cflags)
test_unit_test_groups_table_LDFLAGS = $(unit_ldflags)
test_unit_test_groups_table_LDADD = $(unit_core)
