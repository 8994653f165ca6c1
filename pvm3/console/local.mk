# pvm, the console: an ordinary user of libpvm3.

bin_PROGRAMS += pvm
pvm_SOURCES = \
	pvm3/console/alias.c pvm3/console/alias.h \
	pvm3/console/commands.c pvm3/console/commands.h \
	pvm3/console/console.h \
	pvm3/console/events.c pvm3/console/events.h \
	pvm3/console/help.c \
	pvm3/console/hosts.c pvm3/console/hosts.h \
	pvm3/console/input.c pvm3/console/input.h \
	pvm3/console/job.c pvm3/console/job.h \
	pvm3/console/jobs.c \
	pvm3/console/mailbox.c \
	pvm3/console/main.c \
	pvm3/console/output.c pvm3/console/output.h \
	pvm3/console/parse.c pvm3/console/parse.h \
	pvm3/console/settings.c \
	pvm3/console/simple.c \
	pvm3/console/tasks.c
pvm_LDADD = libpvm3.la

# The parts that need no virtual machine.
if HAVE_CMOCKA
check_PROGRAMS += test/unit/test_console_parse
TESTS += test/unit/test_console_parse
endif

test_unit_test_console_parse_SOURCES = test/unit/test_console_parse.c \
	pvm3/console/alias.c pvm3/console/parse.c
test_unit_test_console_parse_LDFLAGS = $(unit_ldflags)
test_unit_test_console_parse_LDADD = $(unit_core)
