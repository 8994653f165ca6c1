/* request_calls.c - waiting for requests, testing, starting, cancelling and freeing them. */
#include <stdlib.h>

#include "mpi/calls/calls.h"
#include "mpi/messages/request.h"
#include "mpi/objects/communicator.h"
#include "mpi/objects/error_handler.h"
#include "mpi/values/status.h"

/* How many requests a call handles without taking memory. */
#define FEW 32

/* The requests of an array of handles; NULL where a handle is MPI_REQUEST_NULL. */
struct list {
    int count;
    struct mpi_request **requests;
    struct mpi_request *few[FEW];
};

static void list_end(struct list *list)
{
    if (list->requests != list->few)
        free(list->requests);
}

/* MPI_SUCCESS, or an error, and then nothing is to be freed. */
static int list_begin(struct list *list, int count, const MPI_Request *handles)
{
    if (count < 0)
        return MPI_ERR_COUNT;
    if (count > 0 && !handles)
        return MPI_ERR_ARG;
    list->count = count;
    list->requests =
        count <= FEW ? list->few : malloc((size_t)count * sizeof(struct mpi_request *));
    if (!list->requests)
        return MPI_ERR_NO_MEM;
    for (int i = 0; i < count; i++) {
        list->requests[i] = mpi_request_of(handles[i]);
        if (!list->requests[i] && handles[i] != MPI_REQUEST_NULL) {
            list_end(list);
            return MPI_ERR_REQUEST;
        }
    }
    return MPI_SUCCESS;
}

static bool list_has_active(const struct list *list)
{
    for (int i = 0; i < list->count; i++)
        if (mpi_request_is_active(list->requests[i]))
            return true;
    return false;
}

static bool list_is_done(const struct list *list)
{
    bool done = true;
    for (int i = 0; i < list->count && done; i++)
        done = !mpi_request_is_active(list->requests[i]) || mpi_request_is_done(list->requests[i]);
    return done;
}

static int list_wait_all(const struct list *list)
{
    int error = MPI_SUCCESS;
    for (int i = 0; i < list->count && error == MPI_SUCCESS; i++)
        if (mpi_request_is_active(list->requests[i]))
            error = mpi_request_wait(list->requests[i]);
    return error;
}

static MPI_Status *status_at(MPI_Status *statuses, int index)
{
    return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[index];
}

/* Ends a request that is done. *communicator is kept for the caller if there was an error. */
static int finish(struct mpi_request *request, MPI_Request *handle, MPI_Status *status,
                  struct communicator **communicator)
{
    int error = mpi_request_look_up(request, status);
    if (error != MPI_SUCCESS && !*communicator && request->communicator)
        *communicator = communicator_keep(request->communicator);
    if (!request->persistent)
        *handle = MPI_REQUEST_NULL;
    int last = mpi_request_end(request);
    return last == MPI_SUCCESS ? error : last;
}

/* Raises an error at a communicator that was kept, or NULL. */
static int raise_at(struct communicator *communicator, const char *function, int error)
{
    if (error != MPI_SUCCESS)
        error = communicator_error(communicator, function, error);
    communicator_drop(communicator);
    return error;
}

/* One. ----------------------------------------------------------------------------------------- */

/* `flag` NULL: waits. */
static int complete_one(const char *function, MPI_Request *handle, int *flag, MPI_Status *status)
{
    struct list list;
    struct communicator *communicator = NULL;
    int error = handle ? list_begin(&list, 1, handle) : MPI_ERR_ARG;
    if (error != MPI_SUCCESS)
        return call_error(function, error);
    struct mpi_request *request = list.few[0];
    bool active = mpi_request_is_active(request);
    if (flag)
        work_look();
    else if (active)
        error = mpi_request_wait(request);
    bool done = !flag || !active || mpi_request_is_done(request);
    if (flag)
        *flag = done;
    if (error != MPI_SUCCESS)
        return call_error(function, error);
    if (!active)
        status_empty(status);
    else if (done)
        error = finish(request, handle, status, &communicator);
    return raise_at(communicator, function, error);
}

MPI_CALL(int, Wait)(MPI_Request *request, MPI_Status *status)
{
    return complete_one("MPI_Wait", request, NULL, status);
}

MPI_CALL(int, Test)(MPI_Request *request, int *flag, MPI_Status *status)
{
    if (!flag)
        return call_error("MPI_Test", MPI_ERR_ARG);
    return complete_one("MPI_Test", request, flag, status);
}

/* Any. ----------------------------------------------------------------------------------------- */

static int complete_any(const char *function, int count, MPI_Request *handles, int *index,
                        int *flag, MPI_Status *status)
{
    struct list list;
    struct communicator *communicator = NULL;
    int error = index ? list_begin(&list, count, handles) : MPI_ERR_ARG;
    if (error != MPI_SUCCESS)
        return call_error(function, error);
    bool active = list_has_active(&list);
    int found = -1;
    if (active && flag)
        work_look();
    if (active)
        found = flag ? mpi_request_test_any(list.requests, count)
                     : mpi_request_wait_any(list.requests, count);
    *index = found < 0 ? MPI_UNDEFINED : found;
    if (flag)
        *flag = found >= 0 || !active;
    if (!active)
        status_empty(status);
    else if (found >= 0)
        error = finish(list.requests[found], &handles[found], status, &communicator);
    else if (!flag)
        error = MPI_ERR_INTERN;
    list_end(&list);
    return raise_at(communicator, function, error);
}

MPI_CALL(int, Waitany)(int count, MPI_Request array_of_requests[], int *indx, MPI_Status *status)
{
    return complete_any("MPI_Waitany", count, array_of_requests, indx, NULL, status);
}

MPI_CALL(int, Testany)
(int count, MPI_Request array_of_requests[], int *indx, int *flag, MPI_Status *status)
{
    if (!flag)
        return call_error("MPI_Testany", MPI_ERR_ARG);
    return complete_any("MPI_Testany", count, array_of_requests, indx, flag, status);
}

/* All. ----------------------------------------------------------------------------------------- */

/* All are done. An error is told in the statuses. */
static int finish_all(const struct list *list, MPI_Request *handles, MPI_Status *statuses,
                      struct communicator **communicator)
{
    int result = MPI_SUCCESS;
    for (int i = 0; i < list->count; i++) {
        int error = MPI_SUCCESS;
        MPI_Status *status = status_at(statuses, i);
        if (mpi_request_is_active(list->requests[i]))
            error = finish(list->requests[i], &handles[i], status, communicator);
        else
            status_empty(status);
        if (status != MPI_STATUS_IGNORE)
            status->MPI_ERROR = error;
        if (error != MPI_SUCCESS)
            result = MPI_ERR_IN_STATUS;
    }
    return result;
}

static int complete_all(const char *function, int count, MPI_Request *handles, int *flag,
                        MPI_Status *statuses)
{
    struct list list;
    struct communicator *communicator = NULL;
    int error = list_begin(&list, count, handles);
    if (error != MPI_SUCCESS)
        return call_error(function, error);
    bool done = true;
    if (flag) {
        work_look();
        *flag = done = list_is_done(&list);
    } else {
        error = list_wait_all(&list);
    }
    if (done && error == MPI_SUCCESS)
        error = finish_all(&list, handles, statuses, &communicator);
    list_end(&list);
    return raise_at(communicator, function, error);
}

MPI_CALL(int, Waitall)(int count, MPI_Request array_of_requests[], MPI_Status *array_of_statuses)
{
    return complete_all("MPI_Waitall", count, array_of_requests, NULL, array_of_statuses);
}

MPI_CALL(int, Testall)
(int count, MPI_Request array_of_requests[], int *flag, MPI_Status *array_of_statuses)
{
    if (!flag)
        return call_error("MPI_Testall", MPI_ERR_ARG);
    return complete_all("MPI_Testall", count, array_of_requests, flag, array_of_statuses);
}

/* Some. ---------------------------------------------------------------------------------------- */

static int finish_some(const struct list *list, MPI_Request *handles, int *found, int *indices,
                       MPI_Status *statuses, struct communicator **communicator)
{
    int result = MPI_SUCCESS;
    *found = 0;
    for (int i = 0; i < list->count; i++) {
        if (!mpi_request_is_active(list->requests[i]) || !mpi_request_is_done(list->requests[i]))
            continue;
        MPI_Status *status = status_at(statuses, *found);
        int error = finish(list->requests[i], &handles[i], status, communicator);
        if (status != MPI_STATUS_IGNORE)
            status->MPI_ERROR = error;
        if (error != MPI_SUCCESS)
            result = MPI_ERR_IN_STATUS;
        indices[(*found)++] = i;
    }
    return result;
}

static int complete_some(const char *function, bool waits, int count, MPI_Request *handles,
                         int *found, int *indices, MPI_Status *statuses)
{
    struct list list;
    struct communicator *communicator = NULL;
    int error = list_begin(&list, count, handles);
    if (error == MPI_SUCCESS && (!found || (count > 0 && !indices))) {
        list_end(&list);
        error = MPI_ERR_ARG;
    }
    if (error != MPI_SUCCESS)
        return call_error(function, error);
    bool active = list_has_active(&list);
    if (active && !waits)
        work_look();
    if (active && waits && mpi_request_wait_any(list.requests, count) < 0)
        error = MPI_ERR_INTERN;
    if (!active)
        *found = MPI_UNDEFINED;
    else if (error == MPI_SUCCESS)
        error = finish_some(&list, handles, found, indices, statuses, &communicator);
    list_end(&list);
    return raise_at(communicator, function, error);
}

MPI_CALL(int, Waitsome)
(int incount, MPI_Request array_of_requests[], int *outcount, int array_of_indices[],
 MPI_Status *array_of_statuses)
{
    return complete_some("MPI_Waitsome", true, incount, array_of_requests, outcount,
                         array_of_indices, array_of_statuses);
}

MPI_CALL(int, Testsome)
(int incount, MPI_Request array_of_requests[], int *outcount, int array_of_indices[],
 MPI_Status *array_of_statuses)
{
    return complete_some("MPI_Testsome", false, incount, array_of_requests, outcount,
                         array_of_indices, array_of_statuses);
}

/* Looking, without an end. --------------------------------------------------------------------- */

/* What is said of one that is not active, or is done. */
static int look_up(struct mpi_request *request, MPI_Status *status)
{
    if (mpi_request_is_active(request))
        return mpi_request_look_up(request, status);
    status_empty(status);
    return MPI_SUCCESS;
}

MPI_CALL(int, Request_get_status)(MPI_Request request, int *flag, MPI_Status *status)
{
    struct list list;
    int error = flag ? list_begin(&list, 1, &request) : MPI_ERR_ARG;
    if (error != MPI_SUCCESS)
        return call_error("MPI_Request_get_status", error);
    work_look();
    *flag = list_is_done(&list);
    if (*flag)
        look_up(list.few[0], status);
    return MPI_SUCCESS;
}

MPI_CALL(int, Request_get_status_all)
(int count, const MPI_Request array_of_requests[], int *flag, MPI_Status *array_of_statuses)
{
    struct list list;
    int error = flag ? list_begin(&list, count, array_of_requests) : MPI_ERR_ARG;
    if (error != MPI_SUCCESS)
        return call_error("MPI_Request_get_status_all", error);
    work_look();
    *flag = list_is_done(&list);
    for (int i = 0; *flag && i < count; i++) {
        MPI_Status *status = status_at(array_of_statuses, i);
        int told = look_up(list.requests[i], status);
        if (status != MPI_STATUS_IGNORE)
            status->MPI_ERROR = told;
    }
    list_end(&list);
    return MPI_SUCCESS;
}

MPI_CALL(int, Request_get_status_any)
(int count, const MPI_Request array_of_requests[], int *indx, int *flag, MPI_Status *status)
{
    struct list list;
    int error = flag && indx ? list_begin(&list, count, array_of_requests) : MPI_ERR_ARG;
    if (error != MPI_SUCCESS)
        return call_error("MPI_Request_get_status_any", error);
    work_look();
    bool active = list_has_active(&list);
    int found = mpi_request_test_any(list.requests, count);
    *indx = found < 0 ? MPI_UNDEFINED : found;
    *flag = found >= 0 || !active;
    if (*flag)
        look_up(found < 0 ? NULL : list.requests[found], status);
    list_end(&list);
    return MPI_SUCCESS;
}

MPI_CALL(int, Request_get_status_some)
(int incount, const MPI_Request array_of_requests[], int *outcount, int array_of_indices[],
 MPI_Status *array_of_statuses)
{
    struct list list;
    int error = outcount && (incount <= 0 || array_of_indices)
                    ? list_begin(&list, incount, array_of_requests)
                    : MPI_ERR_ARG;
    if (error != MPI_SUCCESS)
        return call_error("MPI_Request_get_status_some", error);
    work_look();
    *outcount = list_has_active(&list) ? 0 : MPI_UNDEFINED;
    for (int i = 0; i < incount; i++) {
        if (!mpi_request_is_active(list.requests[i]) || !mpi_request_is_done(list.requests[i]))
            continue;
        MPI_Status *status = status_at(array_of_statuses, *outcount);
        int told = look_up(list.requests[i], status);
        if (status != MPI_STATUS_IGNORE)
            status->MPI_ERROR = told;
        array_of_indices[(*outcount)++] = i;
    }
    list_end(&list);
    return MPI_SUCCESS;
}

/* Starting, cancelling, freeing. --------------------------------------------------------------- */

static int start(const char *function, MPI_Request handle)
{
    struct mpi_request *request = mpi_request_of(handle);
    if (!request || !request->persistent || request->active)
        return call_error(function, MPI_ERR_REQUEST);
    int error = mpi_request_start(request);
    return error == MPI_SUCCESS ? error
                                : communicator_error(request->communicator, function, error);
}

MPI_CALL(int, Start)(MPI_Request *request)
{
    if (!request)
        return call_error("MPI_Start", MPI_ERR_ARG);
    return start("MPI_Start", *request);
}

MPI_CALL(int, Startall)(int count, MPI_Request array_of_requests[])
{
    if (count < 0 || (count > 0 && !array_of_requests))
        return call_error("MPI_Startall", count < 0 ? MPI_ERR_COUNT : MPI_ERR_ARG);
    int error = MPI_SUCCESS;
    for (int i = 0; i < count && error == MPI_SUCCESS; i++)
        error = start("MPI_Startall", array_of_requests[i]);
    return error;
}

MPI_CALL(int, Cancel)(MPI_Request *request)
{
    struct mpi_request *found = request ? mpi_request_of(*request) : NULL;
    if (!found)
        return call_error("MPI_Cancel", request ? MPI_ERR_REQUEST : MPI_ERR_ARG);
    int error = found->active ? mpi_request_cancel(found) : MPI_SUCCESS;
    return error == MPI_SUCCESS ? error : call_error("MPI_Cancel", error);
}

MPI_CALL(int, Request_free)(MPI_Request *request)
{
    struct mpi_request *found = request ? mpi_request_of(*request) : NULL;
    if (!found)
        return call_error("MPI_Request_free", request ? MPI_ERR_REQUEST : MPI_ERR_ARG);
    *request = MPI_REQUEST_NULL;
    int error = mpi_request_free(found);
    return error == MPI_SUCCESS ? error : call_error("MPI_Request_free", error);
}
