libmpi_la_SOURCES += \
	pvm3/mpi/datatypes/array.c \
	pvm3/mpi/datatypes/basic.c pvm3/mpi/datatypes/basic.h \
	pvm3/mpi/datatypes/choose.c pvm3/mpi/datatypes/choose.h \
	pvm3/mpi/datatypes/datatype.c pvm3/mpi/datatypes/datatype.h \
	pvm3/mpi/datatypes/datatype_life.c \
	pvm3/mpi/datatypes/element.c pvm3/mpi/datatypes/element.h \
	pvm3/mpi/datatypes/external.c pvm3/mpi/datatypes/external.h \
	pvm3/mpi/datatypes/layout.c pvm3/mpi/datatypes/layout.h \
	pvm3/mpi/datatypes/layout_copy.c \
	pvm3/mpi/datatypes/layout_message.c pvm3/mpi/datatypes/layout_message.h \
	pvm3/mpi/datatypes/make.c pvm3/mpi/datatypes/make.h \
	pvm3/mpi/datatypes/recipe.c pvm3/mpi/datatypes/recipe.h \
	pvm3/mpi/datatypes/shape.c pvm3/mpi/datatypes/shape.h
