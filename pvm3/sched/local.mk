# The global scheduler.

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
	pvm3/sched/plan.c pvm3/sched/plan.h \
	pvm3/sched/policies.c pvm3/sched/policies.h \
	pvm3/sched/settings.c pvm3/sched/settings.h
