/* request.c - requests: what becomes of them, and waiting for them. */
#include "mpi/messages/request.h"

#include <stddef.h>
#include <stdlib.h>

#include "mpi/objects/communicator.h"
#include "mpi/values/status.h"

struct mpi_request *mpi_request_new(enum mpi_request_kind kind,
                                    const struct mpi_request_calls *calls,
                                    struct communicator *communicator)
{
    struct mpi_request *request = malloc(sizeof *request);
    if (!request)
        return NULL;
    object_begin(&request->object, OBJECT_REQUEST);
    request->kind = kind;
    request->calls = calls;
    request->communicator = communicator ? communicator_keep(communicator) : NULL;
    request->persistent = false;
    request->active = true;
    request->posted.post = NULL;
    request->error = MPI_SUCCESS;
    atomic_init(&request->state, 0);
    request->owner = NULL;
    return request;
}

int mpi_request_release(struct mpi_request *request)
{
    int error = MPI_SUCCESS;
    if (request->calls && request->calls->release)
        error = request->calls->release(request);
    if (request->communicator)
        communicator_drop(request->communicator);
    if (object_drop(&request->object))
        free(request);
    return error;
}

MPI_Request mpi_request_handle(struct mpi_request *request)
{
    return (MPI_Request)request;
}

struct mpi_request *mpi_request_of(MPI_Request handle)
{
    return object_at(handle, OBJECT_REQUEST);
}

/* Waiting. ------------------------------------------------------------------------------------- */

bool mpi_request_is_active(const struct mpi_request *request)
{
    return request && request->active;
}

bool mpi_request_is_done(struct mpi_request *request)
{
    switch (request->kind) {
    case REQUEST_MESSAGE:
        return posted_test(&request->posted);
    case REQUEST_WORK:
        return work_test(&request->work);
    case REQUEST_GENERALIZED:
        break;
    }
    return atomic_load(&request->state) & REQUEST_COMPLETED;
}

static bool request_done(void *owner)
{
    return mpi_request_is_done(owner);
}

int mpi_request_wait(struct mpi_request *request)
{
    const struct wanted wanted = {request_done, NULL, request};
    if (request->kind == REQUEST_MESSAGE) {
        posted_wait(&request->posted);
        return MPI_SUCCESS;
    }
    return work_wait_until(&wanted) ? MPI_SUCCESS : MPI_ERR_INTERN;
}

/* Several, of which one is waited for. */
struct any {
    struct mpi_request *const *requests;
    int count;
    int found;
};

static bool any_is_done(void *owner)
{
    struct any *any = owner;
    for (any->found = 0; any->found < any->count; any->found++)
        if (mpi_request_is_active(any->requests[any->found]) &&
            mpi_request_is_done(any->requests[any->found]))
            return true;
    any->found = -1;
    return false;
}

static void any_list(void *owner, struct awaited *awaited)
{
    const struct any *any = owner;
    for (int i = 0; i < any->count; i++)
        if (mpi_request_is_active(any->requests[i]) && any->requests[i]->kind == REQUEST_MESSAGE)
            awaited_add(awaited, &any->requests[i]->posted);
}

int mpi_request_test_any(struct mpi_request *const *requests, int count)
{
    struct any any = {requests, count, -1};
    any_is_done(&any);
    return any.found;
}

int mpi_request_wait_any(struct mpi_request *const *requests, int count)
{
    struct any any = {requests, count, -1};
    const struct wanted wanted = {any_is_done, any_list, &any};
    if (!any_is_done(&any))
        work_wait_until(&wanted);
    return any.found;
}

/* The end. ------------------------------------------------------------------------------------- */

static int request_finish_message(struct mpi_request *request, MPI_Status *status)
{
    const struct posted *posted = &request->posted;
    bool cancelled = posted->error == POSTED_CANCELLED;
    if (posted->receives && !cancelled)
        status_of_message(status, posted->arrival.rank, posted->arrival.tag,
                          (MPI_Count)posted->arrival.size);
    else
        status_of_message(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
    status_set_cancelled(status, cancelled);
    return cancelled ? MPI_SUCCESS : posted->error;
}

int mpi_request_look_up(struct mpi_request *request, MPI_Status *status)
{
    if (request->kind == REQUEST_MESSAGE)
        return request_finish_message(request, status);
    status_of_message(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
    return request->calls->finish ? request->calls->finish(request, status) : request->error;
}

int mpi_request_end(struct mpi_request *request)
{
    request->active = false;
    return request->persistent ? MPI_SUCCESS : mpi_request_release(request);
}

int mpi_request_start(struct mpi_request *request)
{
    request->error = MPI_SUCCESS;
    request->active = true;
    int error = request->calls->start(request);
    if (error != MPI_SUCCESS)
        request->active = false;
    return error;
}

int mpi_request_cancel(struct mpi_request *request)
{
    if (request->kind == REQUEST_MESSAGE)
        posted_cancel(&request->posted);
    else if (request->calls->cancel)
        return request->calls->cancel(request);
    return MPI_SUCCESS;
}

void mpi_request_complete(struct mpi_request *request)
{
    if (atomic_fetch_or(&request->state, REQUEST_COMPLETED) & REQUEST_FREED)
        mpi_request_release(request);
    else
        work_recheck();
}

/* Freed before the end. ------------------------------------------------------------------------ */

static struct mpi_request *request_of_work(const struct work *work)
{
    return (struct mpi_request *)(void *)((char *)work - offsetof(struct mpi_request, work));
}

static bool orphan_advance(struct work *work)
{
    return posted_test(&request_of_work(work)->posted);
}

static void orphan_pending(struct work *work, struct awaited *awaited)
{
    awaited_add(awaited, &request_of_work(work)->posted);
}

static void orphan_over(struct work *work)
{
    mpi_request_release(request_of_work(work));
}

/* Whether something goes on that is to release the request. */
static bool request_outlives(struct mpi_request *request)
{
    static const struct work_steps orphan = {orphan_advance, orphan_pending};
    if (!request->active)
        return false;
    switch (request->kind) {
    case REQUEST_MESSAGE:
        if (posted_test(&request->posted))
            return false;
        work_begin(&request->work, &orphan);
        break;
    case REQUEST_WORK:
        break;
    case REQUEST_GENERALIZED:
        return !(atomic_fetch_or(&request->state, REQUEST_FREED) & REQUEST_COMPLETED);
    }
    return work_orphan(&request->work, orphan_over);
}

int mpi_request_free(struct mpi_request *request)
{
    return request_outlives(request) ? MPI_SUCCESS : mpi_request_release(request);
}
