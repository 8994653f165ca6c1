/* buffer_calls.c - buffers for buffered sends: that of the process, and those of communicators. */
#include <limits.h>

#include "mpi/calls/calls.h"
#include "mpi/messages/buffer.h"
#include "mpi/messages/flush.h"
#include "mpi/objects/communicator.h"
#include "mpi/objects/error_handler.h"

static int buffer_attach(const char *function, void *memory, MPI_Count size)
{
    int error = send_buffer_attach(send_buffer_of_process(), memory, size);
    return error == MPI_SUCCESS ? error : call_error(function, error);
}

static int comm_attach(const char *function, MPI_Comm comm, void *memory, MPI_Count size)
{
    struct communicator *communicator = communicator_of(comm);
    int error =
        communicator ? send_buffer_place(&communicator->send_buffer, memory, size) : MPI_ERR_COMM;
    return error == MPI_SUCCESS ? error : communicator_error(communicator, function, error);
}

static int buffer_detach(const char *function, void *address, MPI_Count *size)
{
    int error = send_buffer_detach(send_buffer_of_process(), address, size);
    return error == MPI_SUCCESS ? error : call_error(function, error);
}

static int comm_detach(const char *function, MPI_Comm comm, void *address, MPI_Count *size)
{
    struct communicator *communicator = communicator_of(comm);
    int error =
        communicator ? send_buffer_remove(&communicator->send_buffer, address, size) : MPI_ERR_COMM;
    return error == MPI_SUCCESS ? error : communicator_error(communicator, function, error);
}

/* A size for a call of the program with an int, which it had in the call that attached it. */
static int buffer_size(MPI_Count size)
{
    return size > INT_MAX ? INT_MAX : (int)size;
}

/* Flushing. ------------------------------------------------------------------------------------ */

MPI_CALL(int, Buffer_flush)(void)
{
    int error = send_buffer_flush(send_buffer_of_process());
    return error == MPI_SUCCESS ? error : call_error("MPI_Buffer_flush", error);
}

MPI_CALL(int, Buffer_iflush)(MPI_Request *request)
{
    int error = request ? flush_begin(send_buffer_of_process(), NULL, request) : MPI_ERR_ARG;
    return error == MPI_SUCCESS ? error : call_error("MPI_Buffer_iflush", error);
}

MPI_CALL(int, Comm_flush_buffer)(MPI_Comm comm)
{
    struct communicator *communicator = communicator_of(comm);
    int error = communicator ? MPI_SUCCESS : MPI_ERR_COMM;
    if (communicator && communicator->send_buffer)
        error = send_buffer_flush(communicator->send_buffer);
    return error == MPI_SUCCESS ? error
                                : communicator_error(communicator, "MPI_Comm_flush_buffer", error);
}

MPI_CALL(int, Comm_iflush_buffer)(MPI_Comm comm, MPI_Request *request)
{
    struct communicator *communicator = communicator_of(comm);
    int error = communicator ? MPI_SUCCESS : MPI_ERR_COMM;
    if (communicator && !request)
        error = MPI_ERR_ARG;
    if (error == MPI_SUCCESS) {
        struct send_buffer *buffer = communicator->send_buffer;
        error = flush_begin(buffer ? buffer : send_buffer_of_process(), communicator, request);
    }
    return error == MPI_SUCCESS ? error
                                : communicator_error(communicator, "MPI_Comm_iflush_buffer", error);
}

/* The calls with sizes. ------------------------------------------------------------------------ */

MPI_CALL(int, Buffer_attach)(void *buffer, int size)
{
    return buffer_attach("MPI_Buffer_attach", buffer, size);
}

MPI_CALL(int, Comm_attach_buffer)(MPI_Comm comm, void *buffer, int size)
{
    return comm_attach("MPI_Comm_attach_buffer", comm, buffer, size);
}

MPI_CALL(int, Buffer_attach_c)(void *buffer, MPI_Count size)
{
    return buffer_attach("MPI_Buffer_attach_c", buffer, size);
}

MPI_CALL(int, Comm_attach_buffer_c)(MPI_Comm comm, void *buffer, MPI_Count size)
{
    return comm_attach("MPI_Comm_attach_buffer_c", comm, buffer, size);
}

MPI_CALL(int, Buffer_detach)(void *buffer_addr, int *size)
{
    MPI_Count detached = 0;
    if (!size)
        return call_error("MPI_Buffer_detach", MPI_ERR_ARG);
    int error = buffer_detach("MPI_Buffer_detach", buffer_addr, &detached);
    *size = buffer_size(detached);
    return error;
}

MPI_CALL(int, Comm_detach_buffer)(MPI_Comm comm, void *buffer_addr, int *size)
{
    MPI_Count detached = 0;
    if (!size)
        return call_error("MPI_Comm_detach_buffer", MPI_ERR_ARG);
    int error = comm_detach("MPI_Comm_detach_buffer", comm, buffer_addr, &detached);
    *size = buffer_size(detached);
    return error;
}

MPI_CALL(int, Buffer_detach_c)(void *buffer_addr, MPI_Count *size)
{
    MPI_Count detached = 0;
    if (!size)
        return call_error("MPI_Buffer_detach_c", MPI_ERR_ARG);
    int error = buffer_detach("MPI_Buffer_detach_c", buffer_addr, &detached);
    *size = detached;
    return error;
}

MPI_CALL(int, Comm_detach_buffer_c)(MPI_Comm comm, void *buffer_addr, MPI_Count *size)
{
    MPI_Count detached = 0;
    if (!size)
        return call_error("MPI_Comm_detach_buffer_c", MPI_ERR_ARG);
    int error = comm_detach("MPI_Comm_detach_buffer_c", comm, buffer_addr, &detached);
    *size = detached;
    return error;
}
