/* send_calls.c - sends that block, of all modes. */
#include "mpi/calls/send.h"

#include "mpi/calls/arguments.h"
#include "mpi/calls/calls.h"
#include "mpi/messages/buffer.h"
#include "mpi/objects/communicator.h"
#include "mpi/objects/error_handler.h"

struct send_buffer *send_buffer_for(const struct communicator *communicator)
{
    return communicator->send_buffer ? communicator->send_buffer : send_buffer_of_process();
}

static int send_synchronous(const struct channel *channel, const struct items *items)
{
    struct posted posted;
    posted_send_synchronous(&posted, channel, items);
    return posted_wait(&posted);
}

/* A receiver need not be ready for a ready send: it is a standard one. */
static int send_by(enum mode mode, const struct channel *channel, const struct items *items)
{
    switch (mode) {
    case MODE_BUFFERED:
        return send_buffer_send(send_buffer_for(channel->communicator), channel, items);
    case MODE_SYNCHRONOUS:
        return send_synchronous(channel, items);
    case MODE_STANDARD:
    case MODE_READY:
        break;
    }
    return message_send(channel, items);
}

static int send_now(const char *function, enum mode mode, const void *buffer, MPI_Count count,
                    MPI_Datatype datatype, int rank, int tag, MPI_Comm comm)
{
    struct channel channel;
    struct items items;
    int error = argument_destination(comm, rank, tag, &channel);
    if (error == MPI_SUCCESS)
        error = argument_items_for(&channel, buffer, count, datatype, &items);
    if (error == MPI_SUCCESS)
        error = send_by(mode, &channel, &items);
    return error == MPI_SUCCESS ? error : communicator_error(channel.communicator, function, error);
}

MPI_CALL(int, Send)
(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    return send_now("MPI_Send", MODE_STANDARD, buf, count, datatype, dest, tag, comm);
}

MPI_CALL(int, Send_c)
(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    return send_now("MPI_Send_c", MODE_STANDARD, buf, count, datatype, dest, tag, comm);
}

MPI_CALL(int, Bsend)
(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    return send_now("MPI_Bsend", MODE_BUFFERED, buf, count, datatype, dest, tag, comm);
}

MPI_CALL(int, Bsend_c)
(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    return send_now("MPI_Bsend_c", MODE_BUFFERED, buf, count, datatype, dest, tag, comm);
}

MPI_CALL(int, Rsend)
(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    return send_now("MPI_Rsend", MODE_READY, buf, count, datatype, dest, tag, comm);
}

MPI_CALL(int, Rsend_c)
(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    return send_now("MPI_Rsend_c", MODE_READY, buf, count, datatype, dest, tag, comm);
}

MPI_CALL(int, Ssend)
(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    return send_now("MPI_Ssend", MODE_SYNCHRONOUS, buf, count, datatype, dest, tag, comm);
}

MPI_CALL(int, Ssend_c)
(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    return send_now("MPI_Ssend_c", MODE_SYNCHRONOUS, buf, count, datatype, dest, tag, comm);
}
