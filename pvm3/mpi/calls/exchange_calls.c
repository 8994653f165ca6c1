/* exchange_calls.c - a send together with a receive. */
#include <stddef.h>
#include <stdlib.h>

#include "mpi/calls/arguments.h"
#include "mpi/calls/forms.h"
#include "mpi/datatypes/datatype.h"
#include "mpi/messages/request.h"
#include "mpi/objects/communicator.h"
#include "mpi/objects/error_handler.h"

struct exchange {
    struct posted sent;
    struct posted received;
    void *copy; /* of what is sent, where it is replaced; or NULL */
};

/* The items as a row of bytes, which is *copy; free. */
static int exchange_copy(const struct items *items, struct items *bytes, void **copy)
{
    size_t size = (size_t)(items->count * items->datatype->size);
    *copy = malloc(size > 0 ? size : 1);
    if (!*copy)
        return MPI_ERR_NO_MEM;
    datatype_pack(items->datatype, items->buffer, items->count, 0, *copy, size);
    *bytes = (struct items){*copy, (MPI_Count)size, NULL};
    return MPI_SUCCESS;
}

/* Frees the copy. */
static int exchange_now(const struct channel *to, const struct items *sent,
                        const struct channel *from, const struct items *received, void *copy,
                        MPI_Status *status)
{
    struct arrival arrival;
    int error = message_exchange(to, sent, from, received, &arrival);
    if (argument_has_come(error))
        argument_status(&arrival, status);
    free(copy);
    return error;
}

/* Both as one request. ------------------------------------------------------------------------- */

static struct exchange *exchange_of(const struct work *work)
{
    const struct mpi_request *request =
        (const struct mpi_request *)(const void *)((const char *)work -
                                                   offsetof(struct mpi_request, work));
    return request->owner;
}

static bool exchange_advance(struct work *work)
{
    struct exchange *exchange = exchange_of(work);
    bool sent = posted_test(&exchange->sent);
    return posted_test(&exchange->received) && sent;
}

static void exchange_pending(struct work *work, struct awaited *awaited)
{
    const struct exchange *exchange = exchange_of(work);
    awaited_add(awaited, &exchange->sent);
    awaited_add(awaited, &exchange->received);
}

static int exchange_finish(struct mpi_request *request, MPI_Status *status)
{
    const struct exchange *exchange = request->owner;
    if (argument_has_come(exchange->received.error))
        argument_status(&exchange->received.arrival, status);
    return exchange->sent.error == MPI_SUCCESS ? exchange->received.error : exchange->sent.error;
}

static int exchange_release(struct mpi_request *request)
{
    struct exchange *exchange = request->owner;
    free(exchange->copy);
    free(exchange);
    return MPI_SUCCESS;
}

static const struct mpi_request_calls exchange_calls = {.finish = exchange_finish,
                                                        .release = exchange_release};

/* Takes over the copy. */
static int exchange_begin(const struct channel *to, const struct items *sent,
                          const struct channel *from, const struct items *received, void *copy,
                          MPI_Request *handle)
{
    static const struct work_steps steps = {exchange_advance, exchange_pending};
    struct exchange *exchange = malloc(sizeof *exchange);
    struct mpi_request *request =
        exchange ? mpi_request_new(REQUEST_WORK, &exchange_calls, to->communicator) : NULL;
    if (!request) {
        free(exchange);
        free(copy);
        return MPI_ERR_NO_MEM;
    }
    exchange->copy = copy;
    request->owner = exchange;
    posted_receive(&exchange->received, from, received);
    posted_send(&exchange->sent, to, sent);
    work_begin(&request->work, &steps);
    *handle = mpi_request_handle(request);
    return MPI_SUCCESS;
}

/* The calls. ----------------------------------------------------------------------------------- */

/* As the form says. The copy is freed in the end. */
static int exchange(const struct form *form, const struct channel *to, const struct items *sent,
                    const struct channel *from, const struct items *received, void *copy)
{
    if (form->kind == FORM_BLOCKING)
        return exchange_now(to, sent, from, received, copy, form->status);
    return exchange_begin(to, sent, from, received, copy, form->request);
}

static int exchange_arguments(const struct form *form, int dest, int sendtag, int source,
                              int recvtag, struct channel *to, struct channel *from)
{
    int error = argument_destination(form->comm, dest, sendtag, to);
    if (error == MPI_SUCCESS)
        error = argument_source(form->comm, source, recvtag, from);
    return error == MPI_SUCCESS && form->kind == FORM_STARTED && !form->request ? MPI_ERR_ARG
                                                                                : error;
}

int forms_sendrecv(const struct form *form, const void *sendbuf, MPI_Count sendcount,
                   MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf, MPI_Count recvcount,
                   MPI_Datatype recvtype, int source, int recvtag)
{
    struct channel to, from;
    struct items sent, received;
    int error = exchange_arguments(form, dest, sendtag, source, recvtag, &to, &from);
    if (error == MPI_SUCCESS)
        error = argument_items_for(&to, sendbuf, sendcount, sendtype, &sent);
    if (error == MPI_SUCCESS)
        error = argument_items_for(&from, recvbuf, recvcount, recvtype, &received);
    if (error == MPI_SUCCESS)
        error = exchange(form, &to, &sent, &from, &received, NULL);
    return error == MPI_SUCCESS ? error
                                : communicator_error(to.communicator, form->function, error);
}

int forms_sendrecv_replace(const struct form *form, void *buffer, MPI_Count count,
                           MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag)
{
    struct channel to, from;
    struct items items, bytes;
    void *copy;
    int error = exchange_arguments(form, dest, sendtag, source, recvtag, &to, &from);
    if (error == MPI_SUCCESS)
        error = argument_items(buffer, count, datatype, &items);
    if (error == MPI_SUCCESS)
        error = exchange_copy(&items, &bytes, &copy);
    if (error == MPI_SUCCESS)
        error = exchange(form, &to, &bytes, &from, &items, copy);
    return error == MPI_SUCCESS ? error
                                : communicator_error(to.communicator, form->function, error);
}
