#include "mpi/windows/lock_queue.h"

#include <mpi.h>
#include <stdlib.h>

struct lock_waiting {
    struct lock_waiting *next;
    struct lock_asker asker;
};

void lock_queue_end(struct lock_queue *queue)
{
    while (queue->first) {
        struct lock_waiting *waiting = queue->first;
        queue->first = waiting->next;
        free(waiting);
    }
}

bool lock_queue_ask(struct lock_queue *queue, const struct lock_asker *asker)
{
    struct lock_waiting *waiting = malloc(sizeof *waiting);
    if (!waiting)
        return false;
    waiting->next = NULL;
    waiting->asker = *asker;
    *(queue->first ? &queue->last->next : &queue->first) = waiting;
    queue->last = waiting;
    return true;
}

void lock_queue_release(struct lock_queue *queue, int kind)
{
    if (kind == MPI_LOCK_EXCLUSIVE)
        queue->exclusive = false;
    else
        queue->shared--;
}

bool lock_queue_grant(struct lock_queue *queue, struct lock_asker *asker)
{
    struct lock_waiting *waiting = queue->first;
    if (!waiting || queue->exclusive)
        return false;
    bool exclusive = waiting->asker.kind == MPI_LOCK_EXCLUSIVE;
    if (exclusive && queue->shared > 0)
        return false;
    queue->exclusive = exclusive;
    queue->shared += !exclusive;
    queue->first = waiting->next;
    *asker = waiting->asker;
    free(waiting);
    return true;
}
