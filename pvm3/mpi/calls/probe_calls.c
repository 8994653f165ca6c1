/* probe_calls.c - probes, and receives of messages that a probe has matched. */
#include "mpi/calls/arguments.h"
#include "mpi/calls/calls.h"
#include "mpi/datatypes/datatype.h"
#include "mpi/messages/probe.h"
#include "mpi/messages/request.h"
#include "mpi/objects/communicator.h"
#include "mpi/objects/error_handler.h"

/* What a probe of MPI_PROC_NULL finds. */
static const struct arrival nothing = {.rank = MPI_PROC_NULL, .tag = MPI_ANY_TAG};

/* `flag` NULL: waits. */
static int probe(const char *function, int source, int tag, MPI_Comm comm, int *flag,
                 MPI_Status *status)
{
    struct channel channel;
    struct arrival arrival = nothing;
    bool found = true;
    int error = argument_source(comm, source, tag, &channel);
    if (error == MPI_SUCCESS && source != MPI_PROC_NULL)
        error = flag ? probe_look(&channel, &found, &arrival) : probe_wait(&channel, &arrival);
    if (error != MPI_SUCCESS)
        return communicator_error(channel.communicator, function, error);
    if (flag)
        *flag = found;
    if (found)
        argument_status(&arrival, status);
    return MPI_SUCCESS;
}

static int claim(const char *function, int source, int tag, MPI_Comm comm, int *flag,
                 MPI_Message *message, MPI_Status *status)
{
    struct channel channel;
    struct matched *matched = NULL;
    int error = argument_source(comm, source, tag, &channel);
    if (error == MPI_SUCCESS && !message)
        error = MPI_ERR_ARG;
    bool none = source == MPI_PROC_NULL;
    if (error == MPI_SUCCESS && !none)
        error = flag ? probe_claim(&channel, &matched) : probe_claim_wait(&channel, &matched);
    if (error != MPI_SUCCESS)
        return communicator_error(channel.communicator, function, error);
    if (flag)
        *flag = none || matched;
    if (none || matched)
        argument_status(none ? &nothing : &matched->arrival, status);
    *message = none ? MPI_MESSAGE_NO_PROC : matched ? matched_handle(matched) : MPI_MESSAGE_NULL;
    return MPI_SUCCESS;
}

MPI_CALL(int, Probe)(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    return probe("MPI_Probe", source, tag, comm, NULL, status);
}

MPI_CALL(int, Iprobe)(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    if (!flag)
        return communicator_error(communicator_of(comm), "MPI_Iprobe", MPI_ERR_ARG);
    return probe("MPI_Iprobe", source, tag, comm, flag, status);
}

MPI_CALL(int, Mprobe)(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)
{
    return claim("MPI_Mprobe", source, tag, comm, NULL, message, status);
}

MPI_CALL(int, Improbe)
(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status)
{
    if (!flag)
        return communicator_error(communicator_of(comm), "MPI_Improbe", MPI_ERR_ARG);
    return claim("MPI_Improbe", source, tag, comm, flag, message, status);
}

/* Receiving. ----------------------------------------------------------------------------------- */

/*
 * Receives what the handle stands for, which is none then. *communicator is where errors are
 * raised, kept for the caller if it is not NULL.
 */
static int receive_matched(void *buffer, MPI_Count count, MPI_Datatype datatype,
                           MPI_Message *handle, struct arrival *arrival,
                           struct communicator **communicator)
{
    struct items items;
    struct matched *matched = handle ? matched_of(*handle) : NULL;
    *communicator = matched ? communicator_keep(matched->channel.communicator) : NULL;
    *arrival = nothing;
    if (!matched && !(handle && *handle == MPI_MESSAGE_NO_PROC))
        return handle ? MPI_ERR_REQUEST : MPI_ERR_ARG;
    int error = argument_items(buffer, count, datatype, &items);
    if (error != MPI_SUCCESS)
        return error;
    *handle = MPI_MESSAGE_NULL;
    return matched ? matched_receive(matched, &items, arrival) : MPI_SUCCESS;
}

static int mrecv(const char *function, void *buffer, MPI_Count count, MPI_Datatype datatype,
                 MPI_Message *message, MPI_Status *status)
{
    struct arrival arrival;
    struct communicator *communicator;
    int error = receive_matched(buffer, count, datatype, message, &arrival, &communicator);
    if (error == MPI_SUCCESS || error == MPI_ERR_TRUNCATE)
        argument_status(&arrival, status);
    if (error != MPI_SUCCESS)
        error = communicator_error(communicator, function, error);
    communicator_drop(communicator);
    return error;
}

/* The message is there: so the request is done when it is made. */
static int imrecv(const char *function, void *buffer, MPI_Count count, MPI_Datatype datatype,
                  MPI_Message *message, MPI_Request *handle)
{
    struct arrival arrival = nothing;
    struct communicator *communicator = NULL;
    int error = MPI_ERR_ARG;
    if (handle)
        error = receive_matched(buffer, count, datatype, message, &arrival, &communicator);
    struct mpi_request *request = NULL;
    if (error == MPI_SUCCESS || error == MPI_ERR_TRUNCATE) {
        request = mpi_request_new(REQUEST_MESSAGE, NULL, communicator);
        if (!request)
            error = MPI_ERR_NO_MEM;
    }
    if (request) {
        request->posted.receives = true;
        request->posted.arrival = arrival;
        request->posted.error = error;
        *handle = mpi_request_handle(request);
        error = MPI_SUCCESS;
    }
    if (error != MPI_SUCCESS)
        error = communicator_error(communicator, function, error);
    communicator_drop(communicator);
    return error;
}

MPI_CALL(int, Mrecv)
(void *buf, int count, MPI_Datatype datatype, MPI_Message *message, MPI_Status *status)
{
    return mrecv("MPI_Mrecv", buf, count, datatype, message, status);
}

MPI_CALL(int, Mrecv_c)
(void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Message *message, MPI_Status *status)
{
    return mrecv("MPI_Mrecv_c", buf, count, datatype, message, status);
}

MPI_CALL(int, Imrecv)
(void *buf, int count, MPI_Datatype datatype, MPI_Message *message, MPI_Request *request)
{
    return imrecv("MPI_Imrecv", buf, count, datatype, message, request);
}

MPI_CALL(int, Imrecv_c)
(void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Message *message, MPI_Request *request)
{
    return imrecv("MPI_Imrecv_c", buf, count, datatype, message, request);
}
