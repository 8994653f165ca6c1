/*
 * communicator.c - making communicators, and counting who refers to them.
 */
#include "mpi/objects/communicator.h"

#include <stdlib.h>

#include "mpi/objects/deaths.h"
#include "mpi/objects/error_handler.h"
#include "mpi/objects/info.h"

/* The first ones are the predefined ones. */
static atomic_uint next_context = CONTEXT_GROUPS + CONTEXTS_EACH;

/* What the predefined handles stand for. */
static _Atomic(struct communicator *) predefined_world;
static _Atomic(struct communicator *) predefined_self;

uint32_t communicator_new_context(void)
{
    return atomic_fetch_add_explicit(&next_context, CONTEXTS_EACH, memory_order_relaxed);
}

struct communicator *communicator_new(struct group *group, struct group *remote, uint32_t context,
                                      uint32_t *contexts)
{
    struct communicator *communicator = calloc(1, sizeof *communicator);
    if (!communicator) {
        group_drop(group);
        group_drop(remote);
        free(contexts);
        return NULL;
    }
    object_begin(&communicator->object, OBJECT_COMM);
    communicator->group = group;
    communicator->remote = remote;
    communicator->rank = group->rank;
    communicator->context = context;
    communicator->contexts = contexts;
    deaths_enter(communicator);
    return communicator;
}

int communicator_set_local(struct communicator *inter, uint32_t *contexts)
{
    inter->local =
        communicator_new(group_keep(inter->group), NULL, inter->context + CONTEXT_LOCAL, contexts);
    return inter->local ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

struct communicator *communicator_of(MPI_Comm handle)
{
    if (handle == MPI_COMM_WORLD)
        return atomic_load_explicit(&predefined_world, memory_order_acquire);
    if (handle == MPI_COMM_SELF)
        return atomic_load_explicit(&predefined_self, memory_order_acquire);
    return object_at(handle, OBJECT_COMM);
}

MPI_Comm communicator_handle(struct communicator *communicator)
{
    if (communicator == atomic_load_explicit(&predefined_world, memory_order_acquire))
        return communicator ? MPI_COMM_WORLD : MPI_COMM_NULL;
    if (communicator == atomic_load_explicit(&predefined_self, memory_order_acquire))
        return MPI_COMM_SELF;
    return (MPI_Comm)(void *)communicator;
}

void communicator_set_predefined(struct communicator *world, struct communicator *self)
{
    atomic_store_explicit(&predefined_world, world, memory_order_release);
    atomic_store_explicit(&predefined_self, self, memory_order_release);
}

struct communicator *communicator_keep(struct communicator *communicator)
{
    object_keep(&communicator->object);
    return communicator;
}

void communicator_drop(struct communicator *communicator)
{
    if (!communicator || !object_drop(&communicator->object))
        return;
    deaths_leave(communicator);
    communicator_drop(communicator->local);
    group_drop(communicator->group);
    group_drop(communicator->remote);
    if (communicator->handler)
        error_handler_drop(communicator->handler);
    if (communicator->info)
        info_free(communicator->info);
    free(communicator->contexts);
    free(communicator->topology);
    free(communicator);
}
