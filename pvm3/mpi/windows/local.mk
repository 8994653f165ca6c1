# One-sided communication.
libmpi_la_SOURCES += \
	pvm3/mpi/windows/access.c pvm3/mpi/windows/access.h \
	pvm3/mpi/windows/attached.c pvm3/mpi/windows/attached.h \
	pvm3/mpi/windows/creation.c pvm3/mpi/windows/creation.h \
	pvm3/mpi/windows/epochs.c pvm3/mpi/windows/epochs.h \
	pvm3/mpi/windows/exposure.c \
	pvm3/mpi/windows/lock_queue.c pvm3/mpi/windows/lock_queue.h \
	pvm3/mpi/windows/order.c pvm3/mpi/windows/order.h \
	pvm3/mpi/windows/remote.c pvm3/mpi/windows/remote.h \
	pvm3/mpi/windows/service.c pvm3/mpi/windows/service.h \
	pvm3/mpi/windows/shared.c pvm3/mpi/windows/shared.h \
	pvm3/mpi/windows/window.c pvm3/mpi/windows/window.h
