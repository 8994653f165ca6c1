# Groups and communicators made of others, and topologies.

libmpi_la_SOURCES += \
	pvm3/mpi/communicators/exchange.c pvm3/mpi/communicators/exchange.h \
	pvm3/mpi/communicators/groups.c pvm3/mpi/communicators/groups.h \
	pvm3/mpi/communicators/making.c pvm3/mpi/communicators/making.h \
	pvm3/mpi/communicators/inter.c pvm3/mpi/communicators/inter.h \
	pvm3/mpi/communicators/edges.c pvm3/mpi/communicators/edges.h \
	pvm3/mpi/communicators/topology.c pvm3/mpi/communicators/topology.h
