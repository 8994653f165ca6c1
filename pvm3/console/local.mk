# pvm, the console: an ordinary user of libpvm3.

bin_PROGRAMS += pvm
pvm_SOURCES = \
	pvm3/console/advice.c pvm3/console/advice.h \
	pvm3/console/alias.c pvm3/console/alias.h \
	pvm3/console/arguments.c pvm3/console/arguments.h \
	pvm3/console/check.c pvm3/console/check.h \
	pvm3/console/check_address.c \
	pvm3/console/check_finding.c \
	pvm3/console/check_here.c \
	pvm3/console/check_there.c \
	pvm3/console/command_line.c pvm3/console/command_line.h \
	pvm3/console/commands.c pvm3/console/commands.h \
	pvm3/console/complete.c pvm3/console/complete.h \
	pvm3/console/console.h \
	pvm3/console/datagram_trial.c pvm3/console/datagram_trial.h \
	pvm3/console/editor.c pvm3/console/editor.h \
	pvm3/console/events.c pvm3/console/events.h \
	pvm3/console/help.c \
	pvm3/console/history_file.c pvm3/console/history_file.h \
	pvm3/console/host_facts.c pvm3/console/host_facts.h \
	pvm3/console/host_names.c pvm3/console/host_names.h \
	pvm3/console/host_words.c pvm3/console/host_words.h \
	pvm3/console/hosts.c pvm3/console/hosts.h \
	pvm3/console/input.c pvm3/console/input.h \
	pvm3/console/job.c pvm3/console/job.h \
	pvm3/console/job_record.c pvm3/console/job_record.h \
	pvm3/console/jobs.c \
	pvm3/console/json.c pvm3/console/json.h \
	pvm3/console/mailbox.c \
	pvm3/console/main.c \
	pvm3/console/checkpoint.c \
	pvm3/console/members.c pvm3/console/members.h \
	pvm3/console/move.c pvm3/console/move.h \
	pvm3/console/output.c pvm3/console/output.h \
	pvm3/console/parse.c pvm3/console/parse.h \
	pvm3/console/remote_session.c pvm3/console/remote_session.h \
	pvm3/console/report.c pvm3/console/report.h \
	pvm3/console/settings.c pvm3/console/settings.h \
	pvm3/console/simple.c \
	pvm3/console/table.c pvm3/console/table.h \
	pvm3/console/tasks.c \
	pvm3/console/trace.c \
	pvm3/console/trace_job.c pvm3/console/trace_job.h \
	pvm3/console/view.c pvm3/console/view.h \
	$(slurm_ask)
pvm_CFLAGS = $(AM_CFLAGS) $(LIBEDIT_CFLAGS)
pvm_LDADD = libtracing.la libpvm3.la libcore.la $(LIBEDIT_LIBS)

# The parts that need no virtual machine.
if HAVE_CMOCKA
check_PROGRAMS += test/unit/test_console_parse
TESTS += test/unit/test_console_parse
endif

test_unit_test_console_parse_SOURCES = test/unit/test_console_parse.c \
	pvm3/console/advice.c pvm3/console/advice.h \
	pvm3/console/alias.c pvm3/console/parse.c
test_unit_test_console_parse_LDFLAGS = $(unit_ldflags)
test_unit_test_console_parse_LDADD = $(unit_core)
