libmpi_la_SOURCES += \
	pvm3/mpi/operations/numbers.c pvm3/mpi/operations/numbers.h \
	pvm3/mpi/operations/operation.c pvm3/mpi/operations/operation.h
