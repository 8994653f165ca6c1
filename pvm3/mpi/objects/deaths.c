/* deaths.c - all communicators of the process, who is watched, and who is dead. */
#include "mpi/objects/deaths.h"

#include <pthread.h>
#include <stdlib.h>

#include "lib/calls/kernel.h"

struct tids {
    uint32_t *items;
    int count;
};

/* The lock guards what follows, and which members of communicators are known to be dead. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct communicator *first;
static struct tids watched;
static struct tids dead;
static int next_number;

static int tids_find(const struct tids *tids, uint32_t tid)
{
    for (int i = 0; i < tids->count; i++)
        if (tids->items[i] == tid)
            return i;
    return -1;
}

/* False if it is there, or without memory. */
static bool tids_add(struct tids *tids, uint32_t tid)
{
    if (tids_find(tids, tid) >= 0)
        return false;
    uint32_t *more = realloc(tids->items, ((size_t)tids->count + 1) * sizeof *more);
    if (!more)
        return false;
    tids->items = more;
    tids->items[tids->count++] = tid;
    return true;
}

static void tids_remove(struct tids *tids, uint32_t tid)
{
    int place = tids_find(tids, tid);
    if (place >= 0)
        tids->items[place] = tids->items[--tids->count];
}

/* With the lock. A task that is dead may be one that the communicator sends to. */
static void communicator_mourn(struct communicator *communicator, uint32_t tid)
{
    int messages = (int32_t)communicator->context + CONTEXT_MESSAGES;
    int collectives = (int32_t)communicator->context + CONTEXT_COLLECTIVES;
    const struct kernel_despair cases[] = {
        {communicator->number, tid, collectives},
        {communicator->number, tid, messages},
        {communicator->number, KERNEL_ANY_SOURCE, messages},
    };
    if (group_rank_of(communicator_peers(communicator), tid) == MPI_UNDEFINED)
        return;
    atomic_store_explicit(&communicator->deaths, true, memory_order_relaxed);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        kernel_despair(&cases[i]);
}

void deaths_enter(struct communicator *communicator)
{
    pthread_mutex_lock(&lock);
    communicator->number = next_number++;
    communicator->next = first;
    if (first)
        first->previous = communicator;
    first = communicator;
    for (int i = 0; i < dead.count; i++)
        communicator_mourn(communicator, dead.items[i]);
    pthread_mutex_unlock(&lock);
}

void deaths_leave(struct communicator *communicator)
{
    pthread_mutex_lock(&lock);
    *(communicator->previous ? &communicator->previous->next : &first) = communicator->next;
    if (communicator->next)
        communicator->next->previous = communicator->previous;
    pthread_mutex_unlock(&lock);
    if (atomic_load(&communicator->deaths))
        kernel_hope(communicator->number);
}

static void deaths_tell(uint32_t tid, bool left)
{
    pthread_mutex_lock(&lock);
    bool known = tids_find(&watched, tid) >= 0;
    tids_remove(&watched, tid);
    if (known && !left && tids_add(&dead, tid))
        for (struct communicator *each = first; each; each = each->next)
            communicator_mourn(each, tid);
    pthread_mutex_unlock(&lock);
}

/* Whose number has a new task is not dead any more. */
void deaths_watch(const uint32_t *tids, int count)
{
    uint32_t *unknown = malloc(((size_t)count + 1) * sizeof *unknown);
    int found = 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; unknown && i < count; i++) {
        if (!tids_add(&watched, tids[i]))
            continue;
        tids_remove(&dead, tids[i]);
        unknown[found++] = tids[i];
    }
    pthread_mutex_unlock(&lock);
    if (found > 0)
        kernel_watch(unknown, found, deaths_tell);
    free(unknown);
}

void deaths_part(const struct group *world)
{
    pthread_mutex_lock(&lock);
    struct tids all = watched;
    watched = (struct tids){NULL, 0};
    pthread_mutex_unlock(&lock);
    if (all.count > 0)
        kernel_unwatch(all.items, all.count);
    for (int i = 0; i < all.count; i++)
        if (group_rank_of(world, all.items[i]) == MPI_UNDEFINED)
            kernel_leave(all.items[i]);
    free(all.items);
}

bool deaths_concern_some(const struct communicator *communicator, int rank)
{
    const struct group *peers = communicator_peers(communicator);
    bool found = false;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < dead.count && !found; i++) {
        int place = group_rank_of(peers, dead.items[i]);
        found = place != MPI_UNDEFINED && (rank == MPI_ANY_SOURCE || rank == place);
    }
    pthread_mutex_unlock(&lock);
    return found;
}
