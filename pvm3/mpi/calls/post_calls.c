/* post_calls.c - sends and receives that are posted, at once (MPI_Isend) or to be started. */
#include "mpi/calls/arguments.h"
#include "mpi/calls/calls.h"
#include "mpi/calls/send.h"
#include "mpi/datatypes/datatype.h"
#include "mpi/messages/buffer.h"
#include "mpi/messages/request.h"
#include "mpi/objects/communicator.h"
#include "mpi/objects/error_handler.h"

/* Starting. Channel and items stand in the request already. ------------------------------------ */

static int start_send(struct mpi_request *request)
{
    struct posted *posted = &request->posted;
    return posted_send(posted, &posted->channel, &posted->items);
}

static int start_synchronous(struct mpi_request *request)
{
    struct posted *posted = &request->posted;
    return posted_send_synchronous(posted, &posted->channel, &posted->items);
}

/* Done at once, whatever the buffer has to hold for longer. */
static int start_buffered(struct mpi_request *request)
{
    struct posted *posted = &request->posted;
    posted->post = NULL;
    posted->receives = false;
    posted->error = send_buffer_send(send_buffer_for(posted->channel.communicator),
                                     &posted->channel, &posted->items);
    return posted->error;
}

static int start_receive(struct mpi_request *request)
{
    struct posted *posted = &request->posted;
    return posted_receive(posted, &posted->channel, &posted->items);
}

/* The request has a reference of its own. */
static int drop_datatype(struct mpi_request *request)
{
    datatype_drop(request->posted.items.datatype);
    return MPI_SUCCESS;
}

static const struct mpi_request_calls sends[] = {
    [MODE_STANDARD] = {.start = start_send, .release = drop_datatype},
    [MODE_BUFFERED] = {.start = start_buffered, .release = drop_datatype},
    [MODE_READY] = {.start = start_send, .release = drop_datatype},
    [MODE_SYNCHRONOUS] = {.start = start_synchronous, .release = drop_datatype},
};
static const struct mpi_request_calls receive = {.start = start_receive, .release = drop_datatype};

/* A request for this channel and these items, started unless it is persistent. */
static int post_made(const struct mpi_request_calls *calls, const struct channel *channel,
                     const struct items *items, bool persistent, MPI_Request *handle)
{
    struct mpi_request *request = mpi_request_new(REQUEST_MESSAGE, calls, channel->communicator);
    if (!request)
        return MPI_ERR_NO_MEM;
    datatype_keep(items->datatype);
    request->posted.channel = *channel;
    request->posted.items = *items;
    request->persistent = persistent;
    request->active = false;
    int error = persistent ? MPI_SUCCESS : mpi_request_start(request);
    if (error == MPI_SUCCESS)
        *handle = mpi_request_handle(request);
    else
        mpi_request_release(request);
    return error;
}

static int post_send(const char *function, enum mode mode, bool persistent, const void *buffer,
                     MPI_Count count, MPI_Datatype datatype, int rank, int tag, MPI_Comm comm,
                     MPI_Request *request)
{
    struct channel channel;
    struct items items;
    int error = argument_destination(comm, rank, tag, &channel);
    if (error == MPI_SUCCESS)
        error = argument_items_for(&channel, buffer, count, datatype, &items);
    if (error == MPI_SUCCESS && !request)
        error = MPI_ERR_ARG;
    if (error == MPI_SUCCESS)
        error = post_made(&sends[mode], &channel, &items, persistent, request);
    return error == MPI_SUCCESS ? error : communicator_error(channel.communicator, function, error);
}

static int post_receive(const char *function, bool persistent, void *buffer, MPI_Count count,
                        MPI_Datatype datatype, int rank, int tag, MPI_Comm comm,
                        MPI_Request *request)
{
    struct channel channel;
    struct items items;
    int error = argument_source(comm, rank, tag, &channel);
    if (error == MPI_SUCCESS)
        error = argument_items_for(&channel, buffer, count, datatype, &items);
    if (error == MPI_SUCCESS && !request)
        error = MPI_ERR_ARG;
    if (error == MPI_SUCCESS)
        error = post_made(&receive, &channel, &items, persistent, request);
    return error == MPI_SUCCESS ? error : communicator_error(channel.communicator, function, error);
}

/* The calls. ----------------------------------------------------------------------------------- */

MPI_CALL(int, Isend)
(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
 MPI_Request *request)
{
    return post_send("MPI_Isend", MODE_STANDARD, false, buf, count, datatype, dest, tag, comm,
                     request);
}

MPI_CALL(int, Isend_c)
(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
 MPI_Request *request)
{
    return post_send("MPI_Isend_c", MODE_STANDARD, false, buf, count, datatype, dest, tag, comm,
                     request);
}

MPI_CALL(int, Ibsend)
(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
 MPI_Request *request)
{
    return post_send("MPI_Ibsend", MODE_BUFFERED, false, buf, count, datatype, dest, tag, comm,
                     request);
}

MPI_CALL(int, Ibsend_c)
(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
 MPI_Request *request)
{
    return post_send("MPI_Ibsend_c", MODE_BUFFERED, false, buf, count, datatype, dest, tag, comm,
                     request);
}

MPI_CALL(int, Irsend)
(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
 MPI_Request *request)
{
    return post_send("MPI_Irsend", MODE_READY, false, buf, count, datatype, dest, tag, comm,
                     request);
}

MPI_CALL(int, Irsend_c)
(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
 MPI_Request *request)
{
    return post_send("MPI_Irsend_c", MODE_READY, false, buf, count, datatype, dest, tag, comm,
                     request);
}

MPI_CALL(int, Issend)
(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
 MPI_Request *request)
{
    return post_send("MPI_Issend", MODE_SYNCHRONOUS, false, buf, count, datatype, dest, tag, comm,
                     request);
}

MPI_CALL(int, Issend_c)
(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
 MPI_Request *request)
{
    return post_send("MPI_Issend_c", MODE_SYNCHRONOUS, false, buf, count, datatype, dest, tag, comm,
                     request);
}

MPI_CALL(int, Irecv)
(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
 MPI_Request *request)
{
    return post_receive("MPI_Irecv", false, buf, count, datatype, source, tag, comm, request);
}

MPI_CALL(int, Irecv_c)
(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
 MPI_Request *request)
{
    return post_receive("MPI_Irecv_c", false, buf, count, datatype, source, tag, comm, request);
}

MPI_CALL(int, Send_init)
(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
 MPI_Request *request)
{
    return post_send("MPI_Send_init", MODE_STANDARD, true, buf, count, datatype, dest, tag, comm,
                     request);
}

MPI_CALL(int, Send_init_c)
(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
 MPI_Request *request)
{
    return post_send("MPI_Send_init_c", MODE_STANDARD, true, buf, count, datatype, dest, tag, comm,
                     request);
}

MPI_CALL(int, Bsend_init)
(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
 MPI_Request *request)
{
    return post_send("MPI_Bsend_init", MODE_BUFFERED, true, buf, count, datatype, dest, tag, comm,
                     request);
}

MPI_CALL(int, Bsend_init_c)
(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
 MPI_Request *request)
{
    return post_send("MPI_Bsend_init_c", MODE_BUFFERED, true, buf, count, datatype, dest, tag, comm,
                     request);
}

MPI_CALL(int, Rsend_init)
(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
 MPI_Request *request)
{
    return post_send("MPI_Rsend_init", MODE_READY, true, buf, count, datatype, dest, tag, comm,
                     request);
}

MPI_CALL(int, Rsend_init_c)
(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
 MPI_Request *request)
{
    return post_send("MPI_Rsend_init_c", MODE_READY, true, buf, count, datatype, dest, tag, comm,
                     request);
}

MPI_CALL(int, Ssend_init)
(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
 MPI_Request *request)
{
    return post_send("MPI_Ssend_init", MODE_SYNCHRONOUS, true, buf, count, datatype, dest, tag,
                     comm, request);
}

MPI_CALL(int, Ssend_init_c)
(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
 MPI_Request *request)
{
    return post_send("MPI_Ssend_init_c", MODE_SYNCHRONOUS, true, buf, count, datatype, dest, tag,
                     comm, request);
}

MPI_CALL(int, Recv_init)
(void *buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
 MPI_Request *request)
{
    return post_receive("MPI_Recv_init", true, buf, count, datatype, source, tag, comm, request);
}

MPI_CALL(int, Recv_init_c)
(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
 MPI_Request *request)
{
    return post_receive("MPI_Recv_init_c", true, buf, count, datatype, source, tag, comm, request);
}
