/* buffer_calls.c - buffers for buffered sends: that of the process, and those of communicators. */
#include "mpi/calls/calls.h"
#include "mpi/calls/forms.h"
#include "mpi/messages/buffer.h"
#include "mpi/messages/flush.h"
#include "mpi/objects/communicator.h"
#include "mpi/objects/error_handler.h"

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

/* Attaching and detaching. --------------------------------------------------------------------- */

int forms_buffer_attach(const struct form *form, void *memory, MPI_Count size)
{
    int error = send_buffer_attach(send_buffer_of_process(), memory, size);
    return error == MPI_SUCCESS ? error : call_error(form->function, error);
}

int forms_comm_attach_buffer(const struct form *form, void *memory, MPI_Count size)
{
    struct communicator *communicator = communicator_of(form->comm);
    int error =
        communicator ? send_buffer_place(&communicator->send_buffer, memory, size) : MPI_ERR_COMM;
    return error == MPI_SUCCESS ? error : communicator_error(communicator, form->function, error);
}

int forms_buffer_detach(const struct form *form, void *address, struct number size)
{
    MPI_Count detached = 0;
    if (!size.place)
        return call_error(form->function, MPI_ERR_ARG);
    int error = send_buffer_detach(send_buffer_of_process(), address, &detached);
    number_put(size, detached);
    return error == MPI_SUCCESS ? error : call_error(form->function, error);
}

int forms_comm_detach_buffer(const struct form *form, void *address, struct number size)
{
    struct communicator *communicator = communicator_of(form->comm);
    MPI_Count detached = 0;
    if (!size.place)
        return call_error(form->function, MPI_ERR_ARG);
    int error = communicator ? send_buffer_remove(&communicator->send_buffer, address, &detached)
                             : MPI_ERR_COMM;
    number_put(size, detached);
    return error == MPI_SUCCESS ? error : communicator_error(communicator, form->function, error);
}
