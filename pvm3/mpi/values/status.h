/* status.h - what the library keeps in the words of an MPI_Status.
 *
 * Every function takes MPI_STATUS_IGNORE, and does nothing then.
 */
#ifndef MPI_VALUES_STATUS_H
#define MPI_VALUES_STATUS_H

#include <stdbool.h>

#include <mpi.h>

/* The status of a message; MPI_ERROR is left as it is. */
void status_of_message(MPI_Status *status, int source, int tag, MPI_Count bytes);

/* The empty status: any source, any tag, no error, no bytes. */
void status_empty(MPI_Status *status);

MPI_Count status_bytes(const MPI_Status *status);
void status_set_bytes(MPI_Status *status, MPI_Count bytes);

bool status_cancelled(const MPI_Status *status);
void status_set_cancelled(MPI_Status *status, bool cancelled);

#endif
