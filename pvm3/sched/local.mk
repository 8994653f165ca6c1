# pvmsched, the global scheduler: a user of libpvm3 that sees the public headers only.

# What decides, and needs no virtual machine.
sched_decides = \
	pvm3/sched/balance.c \
	pvm3/sched/drain.c \
	pvm3/sched/estimate.c pvm3/sched/estimate.h \
	pvm3/sched/history.c pvm3/sched/history.h \
	pvm3/sched/leave.c pvm3/sched/leave.h \
	pvm3/sched/memory.c pvm3/sched/memory.h \
	pvm3/sched/owner.c \
	pvm3/sched/picture.c pvm3/sched/picture.h \
	pvm3/sched/places.c pvm3/sched/places.h \
	pvm3/sched/plan.c pvm3/sched/plan.h \
	pvm3/sched/policies.c pvm3/sched/policies.h \
	pvm3/sched/settings.c pvm3/sched/settings.h \
	pvm3/sched/talks.c pvm3/sched/talks.h \
	pvm3/sched/together.c

bin_PROGRAMS += pvmsched
pvmroot_tasks += pvmsched
pvmsched_SOURCES = \
	$(sched_decides) \
	pvm3/sched/agent.c pvm3/sched/agent.h \
	pvm3/sched/clock.c pvm3/sched/clock.h \
	pvm3/sched/decisions.c pvm3/sched/decisions.h \
	pvm3/sched/facts.c pvm3/sched/facts.h \
	pvm3/sched/input.c pvm3/sched/input.h \
	pvm3/sched/meter.c pvm3/sched/meter.h \
	pvm3/sched/options.c pvm3/sched/options.h \
	pvm3/sched/pvmsched.c \
	pvm3/sched/survey.c pvm3/sched/survey.h
pvmsched_LDADD = libpvm3.la
