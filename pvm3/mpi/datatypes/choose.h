/* choose.h - predefined datatypes by what a program wants of them. */
#ifndef MPI_DATATYPES_CHOOSE_H
#define MPI_DATATYPES_CHOOSE_H

#include "mpi/datatypes/datatype.h"

/* Each returns MPI_SUCCESS or the class of an error. *chosen is a handle: a predefined datatype,
 * or one that stays as long as the process. */

/* A number of a class and size: MPI_Type_match_size. */
int choose_by_size(int class, int size, MPI_Datatype *chosen);

/* A number of Fortran with a precision and range: combiner MPI_COMBINER_F90_REAL, _COMPLEX,
 * _INTEGER (the range alone). The same arguments give the same datatype. */
int choose_by_precision(int combiner, int precision, int range, MPI_Datatype *chosen);

/* A pair for MPI_MINLOC and MPI_MAXLOC; MPI_DATATYPE_NULL: there is none. */
int choose_pair(MPI_Datatype value, MPI_Datatype index, MPI_Datatype *chosen);

#endif
