# The collective operations, each as a builder of its schedule.

libmpi_la_SOURCES += \
	pvm3/mpi/collectives/accumulator.c pvm3/mpi/collectives/accumulator.h \
	pvm3/mpi/collectives/alltoall.c \
	pvm3/mpi/collectives/bcast.c \
	pvm3/mpi/collectives/collectives.h \
	pvm3/mpi/collectives/gather.c \
	pvm3/mpi/collectives/neighbors.c \
	pvm3/mpi/collectives/reduce.c pvm3/mpi/collectives/reduce.h \
	pvm3/mpi/collectives/reduce_scatter.c \
	pvm3/mpi/collectives/ring.c pvm3/mpi/collectives/ring.h \
	pvm3/mpi/collectives/scan.c
