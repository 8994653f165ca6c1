# pvmrun: runs a program as tasks and ends with its status. A user of libpvm3's public headers.

bin_PROGRAMS += pvmrun
pvmroot_tasks += pvmrun
pvmrun_SOURCES = \
	pvm3/run/allocation.c pvm3/run/allocation.h \
	pvm3/run/binding.c pvm3/run/binding.h \
	pvm3/run/check.c pvm3/run/check.h \
	pvm3/run/control.c pvm3/run/control.h \
	pvm3/run/guests.c pvm3/run/guests.h \
	pvm3/run/hosts.c pvm3/run/hosts.h \
	pvm3/run/input.c pvm3/run/input.h \
	pvm3/run/job.h \
	pvm3/run/keeper.c pvm3/run/keeper.h \
	pvm3/run/lines.c pvm3/run/lines.h \
	pvm3/run/machine.c pvm3/run/machine.h \
	pvm3/run/memory.c pvm3/run/memory.h \
	pvm3/run/options.c pvm3/run/options.h \
	pvm3/run/outlet.c pvm3/run/outlet.h \
	pvm3/run/progress.c pvm3/run/progress.h \
	pvm3/run/program.c pvm3/run/program.h \
	pvm3/run/protocol.c pvm3/run/protocol.h \
	pvm3/run/pvmrun.c \
	pvm3/run/ranks.c pvm3/run/ranks.h \
	pvm3/run/signals.c pvm3/run/signals.h \
	pvm3/run/start.c pvm3/run/start.h \
	pvm3/run/supervisor.c pvm3/run/supervisor.h \
	pvm3/run/worlds.c pvm3/run/worlds.h \
	$(slurm_ask)
pvmrun_CFLAGS = $(AM_CFLAGS) $(HWLOC_CFLAGS)
pvmrun_LDADD = libpvm3.la $(HWLOC_LIBS)
