#include <string.h>

#include "mpi/values/status.h"

/* The words of MPI_internal: 0 and 1 the bytes, 2 whether the message was cancelled. */
enum { BYTES = 0, CANCELLED = 2 };

void status_of_message(MPI_Status *status, int source, int tag, MPI_Count bytes)
{
    if (status == MPI_STATUS_IGNORE)
        return;
    status->MPI_SOURCE = source;
    status->MPI_TAG = tag;
    memcpy(&status->MPI_internal[BYTES], &bytes, sizeof bytes);
    status->MPI_internal[CANCELLED] = 0;
}

void status_empty(MPI_Status *status)
{
    status_of_message(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
    if (status != MPI_STATUS_IGNORE)
        status->MPI_ERROR = MPI_SUCCESS;
}

MPI_Count status_bytes(const MPI_Status *status)
{
    MPI_Count bytes;

    memcpy(&bytes, &status->MPI_internal[BYTES], sizeof bytes);
    return bytes;
}

void status_set_bytes(MPI_Status *status, MPI_Count bytes)
{
    if (status != MPI_STATUS_IGNORE)
        memcpy(&status->MPI_internal[BYTES], &bytes, sizeof bytes);
}

bool status_cancelled(const MPI_Status *status)
{
    return status->MPI_internal[CANCELLED] != 0;
}

void status_set_cancelled(MPI_Status *status, bool cancelled)
{
    if (status != MPI_STATUS_IGNORE)
        status->MPI_internal[CANCELLED] = cancelled;
}
