/* grequest_calls.c - generalized requests: operations of the program that are waited for like ours. */
#include <stdlib.h>

#include "mpi/calls/calls.h"
#include "mpi/messages/request.h"
#include "mpi/values/status.h"

struct generalized {
    MPI_Grequest_query_function *query;
    MPI_Grequest_free_function *free;
    MPI_Grequest_cancel_function *cancel;
    void *state;
};

static int grequest_finish(struct mpi_request *request, MPI_Status *status)
{
    const struct generalized *generalized = request->owner;
    MPI_Status own;
    if (status == MPI_STATUS_IGNORE) { /* the function is called in any case, with a status */
        status = &own;
        status_empty(status);
    }
    return generalized->query ? generalized->query(generalized->state, status) : MPI_SUCCESS;
}

static int grequest_release(struct mpi_request *request)
{
    struct generalized *generalized = request->owner;
    int error = generalized->free ? generalized->free(generalized->state) : MPI_SUCCESS;
    free(generalized);
    return error;
}

static int grequest_cancel(struct mpi_request *request)
{
    const struct generalized *generalized = request->owner;
    int complete = atomic_load(&request->state) & REQUEST_COMPLETED;
    return generalized->cancel ? generalized->cancel(generalized->state, complete) : MPI_SUCCESS;
}

MPI_CALL(int, Grequest_start)
(MPI_Grequest_query_function *query_fn, MPI_Grequest_free_function *free_fn,
 MPI_Grequest_cancel_function *cancel_fn, void *extra_state, MPI_Request *request)
{
    static const struct mpi_request_calls calls = {
        .finish = grequest_finish, .release = grequest_release, .cancel = grequest_cancel};
    if (!request)
        return call_error("MPI_Grequest_start", MPI_ERR_ARG);
    struct generalized *generalized = malloc(sizeof *generalized);
    struct mpi_request *made =
        generalized ? mpi_request_new(REQUEST_GENERALIZED, &calls, NULL) : NULL;
    if (!made) {
        free(generalized);
        return call_error("MPI_Grequest_start", MPI_ERR_NO_MEM);
    }
    *generalized = (struct generalized){query_fn, free_fn, cancel_fn, extra_state};
    made->owner = generalized;
    *request = mpi_request_handle(made);
    return MPI_SUCCESS;
}

MPI_CALL(int, Grequest_complete)(MPI_Request request)
{
    struct mpi_request *found = mpi_request_of(request);
    if (!found || found->kind != REQUEST_GENERALIZED)
        return call_error("MPI_Grequest_complete", MPI_ERR_REQUEST);
    mpi_request_complete(found);
    return MPI_SUCCESS;
}
