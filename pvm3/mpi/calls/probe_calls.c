/* probe_calls.c - probes. */
#include "mpi/calls/arguments.h"
#include "mpi/calls/calls.h"
#include "mpi/messages/probe.h"
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
