/*
 * communicator_calls.c - communicators: what they are, making and freeing them.
 */
#include <string.h>

#include "mpi/calls/calls.h"
#include "mpi/communicators/groups.h"
#include "mpi/communicators/making.h"
#include "mpi/messages/process.h"
#include "mpi/objects/error_handler.h"
#include "mpi/objects/info.h"

/* The communicator of a handle; NULL with a *code. `result` is where the caller's answer goes. */
static struct communicator *check(MPI_Comm comm, const void *result, int *code)
{
    struct communicator *communicator = communicator_of(comm);
    *code = communicator ? MPI_SUCCESS : MPI_ERR_COMM;
    if (communicator && !result)
        *code = MPI_ERR_ARG;
    return communicator;
}

/* Gives out a new communicator, or raises the error at the old one. */
static int give(struct communicator *communicator, const char *function, int code,
                struct communicator *made, MPI_Comm *result)
{
    if (code != MPI_SUCCESS)
        return communicator_error(communicator, function, code);
    *result = made ? communicator_handle(made) : MPI_COMM_NULL;
    return MPI_SUCCESS;
}

MPI_CALL(int, Comm_size)(MPI_Comm comm, int *size)
{
    int code;
    struct communicator *communicator = check(comm, size, &code);
    if (code != MPI_SUCCESS)
        return communicator_error(communicator, "MPI_Comm_size", code);
    *size = communicator->group->size;
    return MPI_SUCCESS;
}

MPI_CALL(int, Comm_rank)(MPI_Comm comm, int *rank)
{
    int code;
    struct communicator *communicator = check(comm, rank, &code);
    if (code != MPI_SUCCESS)
        return communicator_error(communicator, "MPI_Comm_rank", code);
    *rank = communicator->rank;
    return MPI_SUCCESS;
}

MPI_CALL(int, Comm_group)(MPI_Comm comm, MPI_Group *group)
{
    int code;
    struct communicator *communicator = check(comm, group, &code);
    if (code != MPI_SUCCESS)
        return communicator_error(communicator, "MPI_Comm_group", code);
    *group = group_handle(group_keep(communicator->group));
    return MPI_SUCCESS;
}

MPI_CALL(int, Comm_test_inter)(MPI_Comm comm, int *flag)
{
    int code;
    struct communicator *communicator = check(comm, flag, &code);
    if (code != MPI_SUCCESS)
        return communicator_error(communicator, "MPI_Comm_test_inter", code);
    *flag = communicator->remote != NULL;
    return MPI_SUCCESS;
}

/* As the groups of two communicators compare: MPI_CONGRUENT where the groups are the same. */
static int compare(const struct communicator *a, const struct communicator *b)
{
    if (a == b)
        return MPI_IDENT;
    if (!a->remote != !b->remote)
        return MPI_UNEQUAL;
    int result = groups_compare(a->group, b->group);
    int remote = a->remote ? groups_compare(a->remote, b->remote) : MPI_IDENT;
    if (result == MPI_IDENT && remote == MPI_IDENT)
        return MPI_CONGRUENT;
    return result == MPI_UNEQUAL || remote == MPI_UNEQUAL ? MPI_UNEQUAL : MPI_SIMILAR;
}

MPI_CALL(int, Comm_compare)(MPI_Comm comm1, MPI_Comm comm2, int *result)
{
    int code;
    struct communicator *other = communicator_of(comm2);
    struct communicator *communicator = check(comm1, result, &code);
    if (!other)
        code = MPI_ERR_COMM;
    if (code != MPI_SUCCESS)
        return communicator_error(communicator, "MPI_Comm_compare", code);
    *result = compare(communicator, other);
    return MPI_SUCCESS;
}

/* With hints of an info; MPI_INFO_NULL: with none, and not those of the old communicator. */
static struct info *hints_of(MPI_Info info, struct info **none, int *code)
{
    *none = NULL;
    if (info != MPI_INFO_NULL) {
        struct info *hints = info_of(info);
        if (!hints && *code == MPI_SUCCESS)
            *code = MPI_ERR_INFO;
        return hints;
    }
    *none = info_make();
    if (!*none && *code == MPI_SUCCESS)
        *code = MPI_ERR_NO_MEM;
    return *none;
}

MPI_CALL(int, Comm_dup)(MPI_Comm comm, MPI_Comm *newcomm)
{
    int code;
    struct communicator *made = NULL;
    struct communicator *communicator = check(comm, newcomm, &code);
    if (code == MPI_SUCCESS)
        code = communicator_dup(communicator, NULL, &made);
    return give(communicator, "MPI_Comm_dup", code, made, newcomm);
}

MPI_CALL(int, Comm_dup_with_info)(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm)
{
    int code;
    struct communicator *made = NULL;
    struct communicator *communicator = check(comm, newcomm, &code);
    struct info *none;
    struct info *hints = hints_of(info, &none, &code);
    if (code == MPI_SUCCESS)
        code = communicator_dup(communicator, hints, &made);
    if (none)
        info_free(none);
    return give(communicator, "MPI_Comm_dup_with_info", code, made, newcomm);
}

static int idup(const char *function, struct communicator *communicator, int code,
                struct info *hints, MPI_Comm *newcomm, MPI_Request *request)
{
    struct communicator *made = NULL;
    if (code == MPI_SUCCESS && !request)
        code = MPI_ERR_ARG;
    if (code == MPI_SUCCESS)
        code = communicator_idup(communicator, hints, &made, request);
    return give(communicator, function, code, made, newcomm);
}

MPI_CALL(int, Comm_idup)(MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request)
{
    int code;
    struct communicator *communicator = check(comm, newcomm, &code);
    return idup("MPI_Comm_idup", communicator, code, NULL, newcomm, request);
}

MPI_CALL(int, Comm_idup_with_info)
(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm, MPI_Request *request)
{
    int code;
    struct communicator *communicator = check(comm, newcomm, &code);
    struct info *none;
    struct info *hints = hints_of(info, &none, &code);
    code = idup("MPI_Comm_idup_with_info", communicator, code, hints, newcomm, request);
    if (none)
        info_free(none);
    return code;
}

MPI_CALL(int, Comm_create)(MPI_Comm comm, MPI_Group group, MPI_Comm *newcomm)
{
    int code;
    struct communicator *made = NULL;
    struct communicator *communicator = check(comm, newcomm, &code);
    if (code == MPI_SUCCESS && !group_of(group))
        code = MPI_ERR_GROUP;
    if (code == MPI_SUCCESS)
        code = communicator_create(communicator, group_of(group), &made);
    return give(communicator, "MPI_Comm_create", code, made, newcomm);
}

MPI_CALL(int, Comm_create_group)(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *newcomm)
{
    int code;
    struct communicator *made = NULL;
    struct communicator *communicator = check(comm, newcomm, &code);
    if (code == MPI_SUCCESS && communicator->remote)
        code = MPI_ERR_COMM;
    if (code == MPI_SUCCESS && !group_of(group))
        code = MPI_ERR_GROUP;
    if (code == MPI_SUCCESS && tag < 0)
        code = MPI_ERR_TAG;
    if (code == MPI_SUCCESS)
        code = communicator_create_group(communicator, group_of(group), tag, &made);
    return give(communicator, "MPI_Comm_create_group", code, made, newcomm);
}

MPI_CALL(int, Comm_create_from_group)
(MPI_Group group, const char *stringtag, MPI_Info info, MPI_Errhandler errhandler,
 MPI_Comm *newcomm)
{
    struct group *of = group_of(group);
    struct error_handler *handler = communicator_handler_of(errhandler);
    struct communicator *made = NULL;
    int code = of ? MPI_SUCCESS : MPI_ERR_GROUP;
    if (of && (!stringtag || !newcomm))
        code = MPI_ERR_ARG;
    else if (of && info != MPI_INFO_NULL && !info_of(info))
        code = MPI_ERR_INFO;
    else if (of && !handler)
        code = MPI_ERR_ERRHANDLER;
    if (code == MPI_SUCCESS)
        code = communicator_create_from_group(of, stringtag, &made);
    if (code != MPI_SUCCESS)
        return communicator_new_error(handler, "MPI_Comm_create_from_group", code);
    if (made)
        communicator_set_handler(made, handler);
    return give(NULL, "MPI_Comm_create_from_group", code, made, newcomm);
}

MPI_CALL(int, Comm_split)(MPI_Comm comm, int color, int key, MPI_Comm *newcomm)
{
    int code;
    struct communicator *made = NULL;
    struct communicator *communicator = check(comm, newcomm, &code);
    if (code == MPI_SUCCESS && color < 0 && color != MPI_UNDEFINED)
        code = MPI_ERR_ARG;
    if (code == MPI_SUCCESS)
        code = communicator_split(communicator, color, key, &made);
    return give(communicator, "MPI_Comm_split", code, made, newcomm);
}

/* Whether the hints ask for tasks that share memory, the one kind that we know. */
static bool guided_by_memory(MPI_Info info)
{
    char value[64];
    struct info *hints = info_of(info);
    return hints && info_get(hints, "mpi_hw_resource_type", value, sizeof value) >= 0 &&
           strcmp(value, "mpi_shared_memory") == 0;
}

MPI_CALL(int, Comm_split_type)
(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm *newcomm)
{
    int code;
    struct communicator *made = NULL;
    struct communicator *communicator = check(comm, newcomm, &code);
    bool guided =
        split_type == MPI_COMM_TYPE_HW_GUIDED || split_type == MPI_COMM_TYPE_RESOURCE_GUIDED;
    bool shared = split_type == MPI_COMM_TYPE_SHARED || (guided && guided_by_memory(info));
    if (code == MPI_SUCCESS && !guided && !shared && split_type != MPI_COMM_TYPE_HW_UNGUIDED &&
        split_type != MPI_UNDEFINED)
        code = MPI_ERR_ARG;
    if (code == MPI_SUCCESS && info != MPI_INFO_NULL && !info_of(info))
        code = MPI_ERR_INFO;
    if (code == MPI_SUCCESS)
        code = communicator_split_hosts(communicator, shared, key, &made);
    return give(communicator, "MPI_Comm_split_type", code, made, newcomm);
}

static int free_communicator(const char *function, MPI_Comm *comm)
{
    struct communicator *communicator = comm ? communicator_of(*comm) : NULL;
    int code = MPI_SUCCESS;
    if (!communicator)
        code = comm ? MPI_ERR_COMM : MPI_ERR_ARG;
    else if (*comm == MPI_COMM_WORLD || *comm == MPI_COMM_SELF)
        code = MPI_ERR_COMM;
    else {
        process_forget_parent(communicator);
        code = communicator_free(communicator);
    }
    if (code != MPI_SUCCESS)
        return communicator_error(communicator, function, code);
    *comm = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

MPI_CALL(int, Comm_free)(MPI_Comm *comm)
{
    return free_communicator("MPI_Comm_free", comm);
}

/* What is under way keeps the communicator, so that nothing is to be waited for. */
MPI_CALL(int, Comm_disconnect)(MPI_Comm *comm)
{
    return free_communicator("MPI_Comm_disconnect", comm);
}
