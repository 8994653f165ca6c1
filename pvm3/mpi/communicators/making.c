/*
 * making.c - communicators made of one communicator: each member tells the others in which context
 * it receives, and whatever else they need.
 */
#include "mpi/communicators/making.h"

#include <stdlib.h>

#include "core/tid.h"
#include "mpi/communicators/exchange.h"
#include "mpi/objects/error_handler.h"
#include "mpi/objects/info.h"
#include "mpi/schedules/schedule_request.h"

static uint32_t own_tid(const struct communicator *communicator)
{
    return communicator->group->tids[communicator->rank];
}

static void inherit(struct communicator *made, struct communicator *from)
{
    made->handler = communicator_handler(from);
}

/* A communicator like the other one, whose members' contexts are to be filled in. */
static struct communicator *like(struct communicator *communicator, uint32_t context)
{
    struct group *peers = communicator_peers(communicator);
    uint32_t *contexts = malloc(((size_t)peers->size + 1) * sizeof *contexts);
    uint32_t *local = malloc(((size_t)communicator->group->size + 1) * sizeof *local);
    struct communicator *made = NULL;
    if (contexts && local) {
        struct group *remote = communicator->remote ? group_keep(communicator->remote) : NULL;
        made = communicator_new(group_keep(communicator->group), remote, context, contexts);
        contexts = NULL;
    }
    if (made && made->remote) {
        int code = communicator_set_local(made, local);
        local = NULL;
        if (code != MPI_SUCCESS) {
            communicator_drop(made);
            made = NULL;
        }
    }
    free(contexts);
    free(local);
    if (made)
        inherit(made, communicator);
    return made;
}

static void fill_in(struct communicator *made, const struct members *members)
{
    const struct member *peers = made->remote ? members->others : members->own;
    for (int rank = 0; rank < communicator_peers(made)->size; rank++)
        made->contexts[rank] = peers[rank].context;
    for (int rank = 0; made->local && rank < made->group->size; rank++)
        made->local->contexts[rank] = members->own[rank].context + CONTEXT_LOCAL;
}

/* Attributes, topology and hints. */
static int copy_extras(struct communicator *communicator, struct info *hints,
                       struct communicator *made)
{
    struct info *from = hints ? hints : communicator->info;
    if (from && !(made->info = info_copy(from)))
        return MPI_ERR_NO_MEM;
    if (communicator->topology && !(made->topology = topology_copy(communicator->topology)))
        return MPI_ERR_NO_MEM;
    return attributes_copy(&communicator->attributes, OBJECT_COMM,
                           communicator_handle(communicator), &made->attributes,
                           communicator_handle(made));
}

int communicator_dup(struct communicator *communicator, struct info *hints,
                     struct communicator **result)
{
    struct member mine = {.context = communicator_new_context()};
    struct communicator *made = like(communicator, mine.context);
    if (!made)
        return MPI_ERR_NO_MEM;
    struct schedule schedule;
    schedule_begin(&schedule, communicator);
    struct members members = schedule_members(&schedule, &mine);
    int code = schedule_run(&schedule);
    if (code == MPI_SUCCESS)
        fill_in(made, &members);
    schedule_end(&schedule);
    if (code == MPI_SUCCESS)
        code = copy_extras(communicator, hints, made);
    if (code != MPI_SUCCESS) {
        communicator_drop(made);
        made = NULL;
    }
    *result = made;
    return code;
}

/* A duplicate that is not of use yet. */
struct duplicate {
    struct communicator *made;
    struct members members;
};

static int finish_duplicate(void *argument, int error)
{
    struct duplicate *duplicate = argument;
    if (error == MPI_SUCCESS)
        fill_in(duplicate->made, &duplicate->members);
    communicator_drop(duplicate->made);
    free(duplicate);
    return error;
}

static int begin_duplicate(struct communicator *communicator, struct communicator *made,
                           MPI_Request *request)
{
    struct member mine = {.context = made->context};
    struct duplicate *duplicate = malloc(sizeof *duplicate);
    struct schedule *schedule = schedule_new();
    if (!duplicate || !schedule) {
        free(duplicate);
        free(schedule);
        return MPI_ERR_NO_MEM;
    }
    schedule_begin(schedule, communicator);
    duplicate->made = communicator_keep(made);
    duplicate->members = schedule_members(schedule, &mine);
    int code = schedule_request(schedule, false, finish_duplicate, duplicate, request);
    if (code != MPI_SUCCESS)
        finish_duplicate(duplicate, code);
    return code;
}

int communicator_idup(struct communicator *communicator, struct info *hints,
                      struct communicator **result, MPI_Request *request)
{
    struct communicator *made = like(communicator, communicator_new_context());
    if (!made)
        return MPI_ERR_NO_MEM;
    int code = copy_extras(communicator, hints, made);
    if (code == MPI_SUCCESS)
        code = begin_duplicate(communicator, made, request);
    if (code != MPI_SUCCESS) {
        communicator_drop(made);
        made = NULL;
    }
    *result = made;
    return code;
}

/* The communicator of those who have a color, and of the others with it in the remote group. */
static int join(struct communicator *communicator, const struct members *members, int color,
                struct communicator **result)
{
    struct group *group;
    struct group *remote = NULL;
    uint32_t *contexts;
    uint32_t *others = NULL;
    uint32_t tid = own_tid(communicator);
    int code =
        members_select(members->own, communicator->group->size, color, tid, &group, &contexts);
    if (code != MPI_SUCCESS)
        return code;
    if (communicator->remote)
        code = members_select(members->others, communicator->remote->size, color, tid, &remote,
                              &others);
    if (code != MPI_SUCCESS || (remote && remote->size == 0)) {
        group_drop(group);
        group_drop(remote);
        free(contexts);
        free(others);
        return code;
    }
    uint32_t context = members->own[communicator->rank].context;
    struct communicator *made =
        communicator_new(group, remote, context, remote ? others : contexts);
    for (int rank = 0; remote && rank < group->size; rank++)
        contexts[rank] += CONTEXT_LOCAL;
    if (!made && remote)
        free(contexts);
    else if (made && remote && communicator_set_local(made, contexts) != MPI_SUCCESS) {
        communicator_drop(made);
        made = NULL;
    }
    if (!made)
        return MPI_ERR_NO_MEM;
    inherit(made, communicator);
    *result = made;
    return MPI_SUCCESS;
}

/* With a schedule that has just begun, which is ended. */
static int split(struct schedule *schedule, int color, int key, struct communicator **result)
{
    struct communicator *communicator = schedule->communicator;
    struct member mine = {.context = communicator_new_context(),
                          .tid = own_tid(communicator),
                          .color = color,
                          .key = key};
    struct members members = schedule_members(schedule, &mine);
    *result = NULL;
    int code = schedule_run(schedule);
    if (code == MPI_SUCCESS && color != MPI_UNDEFINED)
        code = join(communicator, &members, color, result);
    schedule_end(schedule);
    return code;
}

int communicator_split(struct communicator *communicator, int color, int key,
                       struct communicator **result)
{
    struct schedule schedule;
    schedule_begin(&schedule, communicator);
    return split(&schedule, color, key, result);
}

int communicator_split_hosts(struct communicator *communicator, bool wanted, int key,
                             struct communicator **result)
{
    int host = (int)(tid_host_part(own_tid(communicator)) >> TID_HOST_SHIFT);
    return communicator_split(communicator, wanted ? host : MPI_UNDEFINED, key, result);
}

/* MPI_ERR_GROUP if not all of the group are members. */
static int check_members(const struct communicator *communicator, const struct group *group)
{
    for (int rank = 0; rank < group->size; rank++) {
        if (group_rank_of(communicator->group, group->tids[rank]) == MPI_UNDEFINED)
            return MPI_ERR_GROUP;
    }
    return MPI_SUCCESS;
}

int communicator_create(struct communicator *communicator, struct group *group,
                        struct communicator **result)
{
    *result = NULL;
    int code = check_members(communicator, group);
    if (code != MPI_SUCCESS)
        return code;
    int place = group_rank_of(group, own_tid(communicator));
    int color = MPI_UNDEFINED;
    /* Several groups may be made at once, which have no member in common. */
    if (place != MPI_UNDEFINED)
        color = communicator->remote ? 0 : group_rank_of(communicator->group, group->tids[0]);
    return communicator_split(communicator, color, place, result);
}

/* A communicator of the group, for messages about the new one alone; contexts are taken over. */
static int split_of_group(struct communicator *parent, struct group *group, uint32_t context,
                          uint32_t *contexts, int tag, struct communicator **result)
{
    struct communicator *among = communicator_new(group_keep(group), NULL, context, contexts);
    if (!among)
        return MPI_ERR_NO_MEM;
    if (parent)
        inherit(among, parent);
    struct schedule schedule;
    schedule_begin_tagged(&schedule, among, tag);
    int code = split(&schedule, 0, 0, result);
    communicator_drop(among);
    return code;
}

int communicator_create_group(struct communicator *communicator, struct group *group, int tag,
                              struct communicator **result)
{
    *result = NULL;
    int code = check_members(communicator, group);
    if (code != MPI_SUCCESS || group->rank == MPI_UNDEFINED)
        return code;
    uint32_t *contexts = malloc((size_t)group->size * sizeof *contexts);
    if (!contexts)
        return MPI_ERR_NO_MEM;
    for (int rank = 0; rank < group->size; rank++)
        contexts[rank] = communicator_context(
            communicator, group_rank_of(communicator->group, group->tids[rank]));
    return split_of_group(communicator, group, communicator->context, contexts, tag, result);
}

/* The tag of the messages by which members find each other. */
static int communicator_text_tag(const char *text)
{
    unsigned tag = 5381;
    for (; *text; text++)
        tag = tag * 33 + (unsigned char)*text;
    return (int)tag;
}

int communicator_create_from_group(struct group *group, const char *text,
                                   struct communicator **result)
{
    *result = NULL;
    if (group->rank == MPI_UNDEFINED)
        return MPI_SUCCESS;
    return split_of_group(NULL, group, CONTEXT_GROUPS, NULL, communicator_text_tag(text), result);
}

int communicator_with_topology(struct communicator *communicator, int count,
                               struct topology *topology, struct communicator **result)
{
    int color = communicator->rank < count ? 0 : MPI_UNDEFINED;
    int code = communicator_split(communicator, color, 0, result);
    if (code == MPI_SUCCESS && *result)
        (*result)->topology = topology;
    else
        free(topology);
    return code;
}

int communicator_free(struct communicator *communicator)
{
    int code =
        attributes_clear(&communicator->attributes, OBJECT_COMM, communicator_handle(communicator));
    if (code == MPI_SUCCESS)
        communicator_drop(communicator);
    return code;
}
