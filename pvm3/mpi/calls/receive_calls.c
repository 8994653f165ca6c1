/* receive_calls.c - receives that block, and receives together with sends. */
#include <stddef.h>
#include <stdlib.h>

#include "mpi/calls/arguments.h"
#include "mpi/calls/calls.h"
#include "mpi/datatypes/datatype.h"
#include "mpi/messages/request.h"
#include "mpi/objects/communicator.h"
#include "mpi/objects/error_handler.h"

/* What fits has come also when the message was longer. */
static bool receive_has_come(int error)
{
    return error == MPI_SUCCESS || error == MPI_ERR_TRUNCATE;
}

static int receive_now(const char *function, void *buffer, MPI_Count count, MPI_Datatype datatype,
                       int rank, int tag, MPI_Comm comm, MPI_Status *status)
{
    struct channel channel;
    struct items items;
    struct arrival arrival;
    int error = argument_source(comm, rank, tag, &channel);
    if (error == MPI_SUCCESS)
        error = argument_items_for(&channel, buffer, count, datatype, &items);
    if (error == MPI_SUCCESS) {
        error = message_receive(&channel, &items, &arrival);
        if (receive_has_come(error))
            argument_status(&arrival, status);
    }
    return error == MPI_SUCCESS ? error : communicator_error(channel.communicator, function, error);
}

/* Both at once. -------------------------------------------------------------------------------- */

struct exchange {
    struct posted sent;
    struct posted received;
    void *copy; /* of what is sent, where it is replaced; or NULL */
};

static int exchange_arguments(MPI_Comm comm, int dest, int sendtag, int source, int recvtag,
                              struct channel *to, struct channel *from)
{
    int error = argument_destination(comm, dest, sendtag, to);
    return error == MPI_SUCCESS ? argument_source(comm, source, recvtag, from) : error;
}

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

static int exchange_now(const struct channel *to, const struct items *sent,
                        const struct channel *from, const struct items *received,
                        MPI_Status *status)
{
    struct arrival arrival;
    int error = message_exchange(to, sent, from, received, &arrival);
    if (receive_has_come(error))
        argument_status(&arrival, status);
    return error;
}

static int sendrecv(const char *function, const void *sendbuf, MPI_Count sendcount,
                    MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf,
                    MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag,
                    MPI_Comm comm, MPI_Status *status)
{
    struct channel to, from;
    struct items sent, received;
    int error = exchange_arguments(comm, dest, sendtag, source, recvtag, &to, &from);
    if (error == MPI_SUCCESS)
        error = argument_items_for(&to, sendbuf, sendcount, sendtype, &sent);
    if (error == MPI_SUCCESS)
        error = argument_items_for(&from, recvbuf, recvcount, recvtype, &received);
    if (error == MPI_SUCCESS)
        error = exchange_now(&to, &sent, &from, &received, status);
    return error == MPI_SUCCESS ? error : communicator_error(to.communicator, function, error);
}

static int sendrecv_replace(const char *function, void *buffer, MPI_Count count,
                            MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag,
                            MPI_Comm comm, MPI_Status *status)
{
    struct channel to, from;
    struct items items, bytes;
    void *copy = NULL;
    int error = exchange_arguments(comm, dest, sendtag, source, recvtag, &to, &from);
    if (error == MPI_SUCCESS)
        error = argument_items(buffer, count, datatype, &items);
    if (error == MPI_SUCCESS)
        error = exchange_copy(&items, &bytes, &copy);
    if (error == MPI_SUCCESS)
        error = exchange_now(&to, &bytes, &from, &items, status);
    free(copy);
    return error == MPI_SUCCESS ? error : communicator_error(to.communicator, function, error);
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
    if (receive_has_come(exchange->received.error))
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

static int isendrecv(const char *function, const void *sendbuf, MPI_Count sendcount,
                     MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf,
                     MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag,
                     MPI_Comm comm, MPI_Request *request)
{
    struct channel to, from;
    struct items sent, received;
    int error = exchange_arguments(comm, dest, sendtag, source, recvtag, &to, &from);
    if (error == MPI_SUCCESS)
        error = argument_items_for(&to, sendbuf, sendcount, sendtype, &sent);
    if (error == MPI_SUCCESS)
        error = argument_items_for(&from, recvbuf, recvcount, recvtype, &received);
    if (error == MPI_SUCCESS && !request)
        error = MPI_ERR_ARG;
    if (error == MPI_SUCCESS)
        error = exchange_begin(&to, &sent, &from, &received, NULL, request);
    return error == MPI_SUCCESS ? error : communicator_error(to.communicator, function, error);
}

static int isendrecv_replace(const char *function, void *buffer, MPI_Count count,
                             MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag,
                             MPI_Comm comm, MPI_Request *request)
{
    struct channel to, from;
    struct items items, bytes;
    void *copy;
    int error = exchange_arguments(comm, dest, sendtag, source, recvtag, &to, &from);
    if (error == MPI_SUCCESS)
        error = argument_items(buffer, count, datatype, &items);
    if (error == MPI_SUCCESS && !request)
        error = MPI_ERR_ARG;
    if (error == MPI_SUCCESS)
        error = exchange_copy(&items, &bytes, &copy);
    if (error == MPI_SUCCESS)
        error = exchange_begin(&to, &bytes, &from, &items, copy, request);
    return error == MPI_SUCCESS ? error : communicator_error(to.communicator, function, error);
}

/* The calls. ----------------------------------------------------------------------------------- */

MPI_CALL(int, Recv)
(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
 MPI_Status *status)
{
    return receive_now("MPI_Recv", buf, count, datatype, source, tag, comm, status);
}

MPI_CALL(int, Recv_c)
(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
 MPI_Status *status)
{
    return receive_now("MPI_Recv_c", buf, count, datatype, source, tag, comm, status);
}

MPI_CALL(int, Sendrecv)
(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf,
 int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status *status)
{
    return sendrecv("MPI_Sendrecv", sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount,
                    recvtype, source, recvtag, comm, status);
}

MPI_CALL(int, Sendrecv_replace)
(void *buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag,
 MPI_Comm comm, MPI_Status *status)
{
    return sendrecv_replace("MPI_Sendrecv_replace", buf, count, datatype, dest, sendtag, source,
                            recvtag, comm, status);
}

MPI_CALL(int, Sendrecv_c)
(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag,
 void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
 MPI_Status *status)
{
    return sendrecv("MPI_Sendrecv_c", sendbuf, sendcount, sendtype, dest, sendtag, recvbuf,
                    recvcount, recvtype, source, recvtag, comm, status);
}

MPI_CALL(int, Sendrecv_replace_c)
(void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag,
 MPI_Comm comm, MPI_Status *status)
{
    return sendrecv_replace("MPI_Sendrecv_replace_c", buf, count, datatype, dest, sendtag, source,
                            recvtag, comm, status);
}

MPI_CALL(int, Isendrecv)
(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf,
 int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Request *request)
{
    return isendrecv("MPI_Isendrecv", sendbuf, sendcount, sendtype, dest, sendtag, recvbuf,
                     recvcount, recvtype, source, recvtag, comm, request);
}

MPI_CALL(int, Isendrecv_replace)
(void *buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag,
 MPI_Comm comm, MPI_Request *request)
{
    return isendrecv_replace("MPI_Isendrecv_replace", buf, count, datatype, dest, sendtag, source,
                             recvtag, comm, request);
}

MPI_CALL(int, Isendrecv_c)
(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag,
 void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
 MPI_Request *request)
{
    return isendrecv("MPI_Isendrecv_c", sendbuf, sendcount, sendtype, dest, sendtag, recvbuf,
                     recvcount, recvtype, source, recvtag, comm, request);
}

MPI_CALL(int, Isendrecv_replace_c)
(void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag,
 MPI_Comm comm, MPI_Request *request)
{
    return isendrecv_replace("MPI_Isendrecv_replace_c", buf, count, datatype, dest, sendtag, source,
                             recvtag, comm, request);
}
