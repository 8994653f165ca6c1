/*
 * shm_link.c - the links from other tasks: finding one, where their next messages appear, and which
 * of them are away.
 */
#include <stdlib.h>
#include <sys/epoll.h>

#include "ck/ports/shm/shm.h"
#include "core/annotate.h"

struct shm_in *shm_in_find(struct endpoint *endpoint, uint32_t peer)
{
    lock_acquire(&endpoint->waiting->lock);
    const struct peer *record = peers_find(&endpoint->peers, peer);
    struct shm_in *in = record ? record->from : NULL;
    lock_release(&endpoint->waiting->lock);
    return in;
}

void shm_watch(const struct shm_shared *shared, int descriptor, void *what)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = what};
    /* Without memory for it the end of the peer is found out when the ring is full. */
    ANNOTATE_RELEASE(what); /* the leader may be another thread */
    epoll_ctl(shared->epoll, EPOLL_CTL_ADD, descriptor, &event);
}

/* A child of fork may have the socket, too, which keeps it in the set otherwise. */
void shm_unwatch(const struct shm_shared *shared, int descriptor)
{
    epoll_ctl(shared->epoll, EPOLL_CTL_DEL, descriptor, NULL);
}

/* The array of gaps. --------------------------------------------------------------------------- */

void shm_in_await(struct shm_in *in)
{
    static const _Atomic uint32_t nowhere;
    struct shm_gap *gap = &in->shm->gaps[in->gap];
    gap->in = in;
    gap->position = in->current ? ring_place(&in->reader) : &nowhere;
    gap->awaited = in->current ? ring_awaited(&in->reader) : 1;
}

bool shm_add_gap(struct shm *shm, struct shm_in *in)
{
    if (shm->gap_count == shm->gap_room) {
        unsigned room = 2 * shm->gap_room + 8;
        struct shm_gap *gaps = realloc(shm->gaps, room * sizeof *gaps);
        shm->gaps = gaps ? gaps : shm->gaps;
        struct shm_head *heads = gaps ? realloc(shm->heads, room * sizeof *heads) : NULL;
        if (!heads)
            return false;
        shm->heads = heads;
        shm->gap_room = room;
    }
    in->gap = shm->gap_count++;
    shm_in_await(in);
    return true;
}

void shm_drop_gap(struct shm *shm, struct shm_in *in)
{
    shm_in_is_away(in, false);
    shm->gaps[in->gap] = shm->gaps[--shm->gap_count];
    shm->gaps[in->gap].in->gap = in->gap;
}

/* Links that are away. ------------------------------------------------------------------------- */

void shm_in_is_away(struct shm_in *in, bool away)
{
    struct shm *shm = in->shm;
    if (in->away == away)
        return;
    in->away = away;
    if (!away) {
        shm->away--;
        return;
    }
    shm->away++;
    shm->changed = true;
}

bool shm_in_lacks(const struct shm_in *in)
{
    uint32_t come = in->taken + in->deferred;
    return in->away && (int32_t)(atomic_load(&in->area->elsewhere) - come) > 0;
}

/* The stamp of the link's oldest message that is away and has not come; UINT64_MAX: none. */
static uint64_t shm_in_missing(const struct shm_in *in)
{
    uint64_t missing = UINT64_MAX;
    if (shm_in_lacks(in))
        missing = ring_elsewhere(in->area, in->taken + in->deferred);
    else if (in->fences == 0 && !ring_is_empty(&in->reader) && !ring_has_marker(&in->reader))
        missing = ring_stamp(&in->reader); /* its fence has not come */
    return missing;
}

uint64_t shm_missing(const struct shm *shm, uint32_t but)
{
    uint64_t missing = UINT64_MAX;
    for (const struct shm_in *in = shm->away > 0 ? shm->in : NULL; in; in = in->next) {
        uint64_t stamp = in->away && in->peer != but ? shm_in_missing(in) : UINT64_MAX;
        missing = stamp < missing ? stamp : missing;
    }
    return missing;
}
