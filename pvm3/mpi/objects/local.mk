libmpi_la_SOURCES += \
	pvm3/mpi/objects/attributes.c pvm3/mpi/objects/attributes.h \
	pvm3/mpi/objects/communicator.c pvm3/mpi/objects/communicator.h \
	pvm3/mpi/objects/communicator_error.c \
	pvm3/mpi/objects/deaths.c pvm3/mpi/objects/deaths.h \
	pvm3/mpi/objects/error_handler.c pvm3/mpi/objects/error_handler.h \
	pvm3/mpi/objects/group.c pvm3/mpi/objects/group.h \
	pvm3/mpi/objects/info.c pvm3/mpi/objects/info.h \
	pvm3/mpi/objects/names.c pvm3/mpi/objects/names.h \
	pvm3/mpi/objects/object.c pvm3/mpi/objects/object.h
