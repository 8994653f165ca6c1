# Collective operations as lists of steps.

libmpi_la_SOURCES += \
	pvm3/mpi/schedules/items.c pvm3/mpi/schedules/items.h \
	pvm3/mpi/schedules/blocks.c pvm3/mpi/schedules/blocks.h \
	pvm3/mpi/schedules/run.c \
	pvm3/mpi/schedules/schedule.c pvm3/mpi/schedules/schedule.h \
	pvm3/mpi/schedules/schedule_request.c pvm3/mpi/schedules/schedule_request.h \
	pvm3/mpi/schedules/trees.c pvm3/mpi/schedules/trees.h
