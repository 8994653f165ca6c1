/* element.h - of what predefined datatype a datatype is made. */
#ifndef MPI_DATATYPES_ELEMENT_H
#define MPI_DATATYPES_ELEMENT_H

#include "mpi/datatypes/datatype.h"

/* The predefined datatype of all elements; NULL: there are several, or none. */
const struct datatype *datatype_element(const struct datatype *datatype);

#endif
