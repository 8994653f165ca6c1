/* status_calls.c - the members of a status. */
#include "mpi/calls/calls.h"
#include "mpi/values/status.h"

/* A status that can be read or written, and what to; otherwise the class of an error. */
static int status_check(const char *function, const MPI_Status *status, const void *value)
{
    return status == MPI_STATUS_IGNORE || !value ? call_error(function, MPI_ERR_ARG) : MPI_SUCCESS;
}

MPI_CALL(int, Status_get_source)(const MPI_Status *status, int *source)
{
    int error = status_check("MPI_Status_get_source", status, source);
    if (error == MPI_SUCCESS)
        *source = status->MPI_SOURCE;
    return error;
}

MPI_CALL(int, Status_get_tag)(const MPI_Status *status, int *tag)
{
    int error = status_check("MPI_Status_get_tag", status, tag);
    if (error == MPI_SUCCESS)
        *tag = status->MPI_TAG;
    return error;
}

MPI_CALL(int, Status_get_error)(const MPI_Status *status, int *error)
{
    int wrong = status_check("MPI_Status_get_error", status, error);
    if (wrong == MPI_SUCCESS)
        *error = status->MPI_ERROR;
    return wrong;
}

MPI_CALL(int, Status_set_source)(MPI_Status *status, int source)
{
    int error = status_check("MPI_Status_set_source", status, status);
    if (error == MPI_SUCCESS)
        status->MPI_SOURCE = source;
    return error;
}

MPI_CALL(int, Status_set_tag)(MPI_Status *status, int tag)
{
    int error = status_check("MPI_Status_set_tag", status, status);
    if (error == MPI_SUCCESS)
        status->MPI_TAG = tag;
    return error;
}

MPI_CALL(int, Status_set_error)(MPI_Status *status, int error)
{
    int wrong = status_check("MPI_Status_set_error", status, status);
    if (wrong == MPI_SUCCESS)
        status->MPI_ERROR = error;
    return wrong;
}

MPI_CALL(int, Status_set_cancelled)(MPI_Status *status, int flag)
{
    int error = status_check("MPI_Status_set_cancelled", status, status);
    if (error == MPI_SUCCESS)
        status_set_cancelled(status, flag != 0);
    return error;
}

MPI_CALL(int, Test_cancelled)(const MPI_Status *status, int *flag)
{
    int error = status_check("MPI_Test_cancelled", status, flag);
    if (error == MPI_SUCCESS)
        *flag = status_cancelled(status);
    return error;
}
