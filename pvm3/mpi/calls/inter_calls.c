/*
 * inter_calls.c - inter-communicators.
 */
#include <stddef.h>

#include "mpi/calls/calls.h"
#include "mpi/communicators/inter.h"
#include "mpi/objects/error_handler.h"
#include "mpi/objects/info.h"

/* An inter-communicator; NULL or another one with a *code. */
static struct communicator *check(MPI_Comm comm, const void *result, int *code)
{
    struct communicator *communicator = communicator_of(comm);
    *code = communicator && communicator->remote ? MPI_SUCCESS : MPI_ERR_COMM;
    if (*code == MPI_SUCCESS && !result)
        *code = MPI_ERR_ARG;
    return communicator;
}

MPI_CALL(int, Comm_remote_size)(MPI_Comm comm, int *size)
{
    int code;
    struct communicator *communicator = check(comm, size, &code);
    if (code != MPI_SUCCESS)
        return communicator_error(communicator, "MPI_Comm_remote_size", code);
    *size = communicator->remote->size;
    return MPI_SUCCESS;
}

MPI_CALL(int, Comm_remote_group)(MPI_Comm comm, MPI_Group *group)
{
    int code;
    struct communicator *communicator = check(comm, group, &code);
    if (code != MPI_SUCCESS)
        return communicator_error(communicator, "MPI_Comm_remote_group", code);
    *group = group_handle(group_keep(communicator->remote));
    return MPI_SUCCESS;
}

MPI_CALL(int, Intercomm_create)
(MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm, int remote_leader, int tag,
 MPI_Comm *newintercomm)
{
    struct communicator *local = communicator_of(local_comm);
    struct communicator *made = NULL;
    int code = local && !local->remote ? MPI_SUCCESS : MPI_ERR_COMM;
    if (code == MPI_SUCCESS && !newintercomm)
        code = MPI_ERR_ARG;
    if (code == MPI_SUCCESS && (local_leader < 0 || local_leader >= local->group->size))
        code = MPI_ERR_RANK;
    if (code == MPI_SUCCESS && tag < 0)
        code = MPI_ERR_TAG;
    if (code == MPI_SUCCESS) {
        struct communicator *peer = local->rank == local_leader ? communicator_of(peer_comm) : NULL;
        code = intercomm_create(local, local_leader, peer, remote_leader, tag, &made);
    }
    if (code != MPI_SUCCESS)
        return communicator_error(local, "MPI_Intercomm_create", code);
    *newintercomm = communicator_handle(made);
    return MPI_SUCCESS;
}

/* Whether the groups and the texts are what the call takes; the remote ones at the leader. */
static int check_groups(const struct group *local, int leader, const struct group *remote,
                        int remote_leader, const char *text, const MPI_Comm *result)
{
    if (!local || local->rank == MPI_UNDEFINED)
        return MPI_ERR_GROUP;
    if (!text || !result)
        return MPI_ERR_ARG;
    if (leader < 0 || leader >= local->size)
        return MPI_ERR_RANK;
    if (local->rank != leader)
        return MPI_SUCCESS;
    if (!remote || group_rank_of(remote, local->tids[leader]) != MPI_UNDEFINED)
        return MPI_ERR_GROUP;
    return remote_leader < 0 || remote_leader >= remote->size ? MPI_ERR_RANK : MPI_SUCCESS;
}

MPI_CALL(int, Intercomm_create_from_groups)
(MPI_Group local_group, int local_leader, MPI_Group remote_group, int remote_leader,
 const char *stringtag, MPI_Info info, MPI_Errhandler errhandler, MPI_Comm *newintercomm)
{
    struct group *local = group_of(local_group);
    struct group *remote = group_of(remote_group);
    struct error_handler *handler = communicator_handler_of(errhandler);
    struct communicator *made = NULL;
    int code = check_groups(local, local_leader, remote, remote_leader, stringtag, newintercomm);
    if (code == MPI_SUCCESS && info != MPI_INFO_NULL && !info_of(info))
        code = MPI_ERR_INFO;
    if (code == MPI_SUCCESS && !handler)
        code = MPI_ERR_ERRHANDLER;
    if (code == MPI_SUCCESS)
        code = intercomm_create_from_groups(local, local_leader, remote, remote_leader, stringtag,
                                            &made);
    if (code != MPI_SUCCESS)
        return communicator_new_error(handler, "MPI_Intercomm_create_from_groups", code);
    communicator_set_handler(made, handler);
    *newintercomm = communicator_handle(made);
    return MPI_SUCCESS;
}

MPI_CALL(int, Intercomm_merge)(MPI_Comm intercomm, int high, MPI_Comm *newintracomm)
{
    int code;
    struct communicator *made = NULL;
    struct communicator *inter = check(intercomm, newintracomm, &code);
    if (code == MPI_SUCCESS)
        code = intercomm_merge(inter, high != 0, &made);
    if (code != MPI_SUCCESS)
        return communicator_error(inter, "MPI_Intercomm_merge", code);
    *newintracomm = communicator_handle(made);
    return MPI_SUCCESS;
}
