# pvmslurm: nodes of Slurm as hosts. Its part ask.c belongs to the programs that want such nodes.

bin_PROGRAMS += pvmslurm
pvmroot_tasks += pvmslurm
pvmslurm_SOURCES = \
	pvm3/slurm/agent.c pvm3/slurm/agent.h \
	pvm3/slurm/departure.c pvm3/slurm/departure.h \
	pvm3/slurm/hoster.c pvm3/slurm/hoster.h \
	pvm3/slurm/manager.c pvm3/slurm/manager.h \
	pvm3/slurm/memory.h \
	pvm3/slurm/nodes.c pvm3/slurm/nodes.h \
	pvm3/slurm/protocol.h \
	pvm3/slurm/pvmslurm.c
pvmslurm_LDADD = libpvm3.la -lm

slurm_ask = pvm3/slurm/ask.c pvm3/slurm/ask.h
