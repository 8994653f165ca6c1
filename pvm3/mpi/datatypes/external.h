/* external.h - the representation external32: big-endian numbers of sizes that the standard
 * fixes. */
#ifndef MPI_DATATYPES_EXTERNAL_H
#define MPI_DATATYPES_EXTERNAL_H

#include "mpi/datatypes/datatype.h"

MPI_Count external_size(const struct datatype *datatype, MPI_Count count);
/* Between count elements at buffer and a stream of external_size bytes. */
void external_pack(const struct datatype *datatype, const void *buffer, MPI_Count count, void *to);
void external_unpack(const struct datatype *datatype, void *buffer, MPI_Count count,
                     const void *from);

#endif
