/*
 * shm_retire.c - the links to a task that goes on in another process: nothing is lost, and nothing
 * overtakes, though a peer may be writing just now, and may not call its library for long then.
 *
 * The task says first that it is leaving its rings. From then on peers send by another way, but for
 * what they are just writing, and everything that they have sent by then is on its way. When that
 * has come, and has been taken in, each ring is ended where it has been read to. Fences have come
 * then, too: a ring that nobody may read yet has nothing in it.
 */
#include <limits.h>

#include "ck/ports/shm/shm.h"

void shm_retire(struct endpoint *endpoint)
{
    for (struct shm_in *in = shm_of(endpoint)->in; in; in = in->next)
        atomic_exchange(&in->area->use, RING_LEAVING);
}

/* Reads to the end of the ring, which the peer may have set. False when more is there. */
static bool shm_in_finish(struct endpoint *endpoint, struct shm_in *in)
{
    const uint32_t peer = in->peer;
    shm_in_read(endpoint, in, UINT_MAX);
    if (in != shm_in_find(endpoint, peer) || !ring_is_empty(&in->reader))
        return false;
    uint32_t end = ring_end(in->area, in->reader.head);
    if (end == in->reader.head)
        return true;
    shm_in_read(endpoint, in, UINT_MAX);
    return in == shm_in_find(endpoint, peer) && end == in->reader.head;
}

bool shm_settle(struct endpoint *endpoint)
{
    struct shm *shm = shm_of(endpoint);
    bool settled = true;
    struct shm_in *next;
    for (struct shm_in *in = shm->in; in; in = next) {
        next = in->next;
        if (shm_in_finish(endpoint, in))
            shm_in_remove(endpoint, in);
        else
            settled = false;
    }
    return settled;
}
