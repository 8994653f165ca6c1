#include "mpi/windows/lock_queue.h"

#include <mpi.h>

static bool lock_queue_take(struct lock_queue *queue, int kind)
{
    bool exclusive = kind == MPI_LOCK_EXCLUSIVE;
    if (queue->exclusive || (exclusive && queue->shared > 0))
        return false;
    queue->exclusive = exclusive;
    queue->shared += !exclusive;
    return true;
}

bool lock_queue_ask(struct lock_queue *queue, struct lock_asker *place, int kind, int tag)
{
    if (queue->waiting == 0 && lock_queue_take(queue, kind))
        return true;
    *place = (struct lock_asker){++queue->turns, kind, tag};
    queue->waiting++;
    return false;
}

void lock_queue_release(struct lock_queue *queue, int kind)
{
    if (kind == MPI_LOCK_EXCLUSIVE)
        queue->exclusive = false;
    else
        queue->shared--;
}

/* Who waits with the least turn, or -1. */
static int lock_queue_first(const struct lock_asker *places, int count)
{
    int first = -1;
    for (int rank = 0; rank < count; rank++)
        if (places[rank].turn > 0 && (first < 0 || places[rank].turn < places[first].turn))
            first = rank;
    return first;
}

int lock_queue_grant(struct lock_queue *queue, struct lock_asker *places, int count)
{
    int first = queue->waiting > 0 ? lock_queue_first(places, count) : -1;
    if (first < 0 || !lock_queue_take(queue, places[first].kind))
        return -1;
    places[first].turn = 0;
    queue->waiting--;
    return first;
}
