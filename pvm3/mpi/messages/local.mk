# Sending and receiving, requests, and the process as a part of MPI.
libmpi_la_SOURCES += \
	pvm3/mpi/messages/buffer.c pvm3/mpi/messages/buffer.h \
	pvm3/mpi/messages/flush.c pvm3/mpi/messages/flush.h \
	pvm3/mpi/messages/messages.c pvm3/mpi/messages/messages.h \
	pvm3/mpi/messages/port.c pvm3/mpi/messages/port.h \
	pvm3/mpi/messages/posted.c \
	pvm3/mpi/messages/probe.c pvm3/mpi/messages/probe.h \
	pvm3/mpi/messages/process.c pvm3/mpi/messages/process.h \
	pvm3/mpi/messages/request.c pvm3/mpi/messages/request.h \
	pvm3/mpi/messages/session.c pvm3/mpi/messages/session.h \
	pvm3/mpi/messages/spawn.c pvm3/mpi/messages/spawn.h \
	pvm3/mpi/messages/transfer.c pvm3/mpi/messages/transfer.h \
	pvm3/mpi/messages/work.c pvm3/mpi/messages/work.h \
	pvm3/mpi/messages/world.c pvm3/mpi/messages/world.h
