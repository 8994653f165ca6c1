/*
 * lock_queue.h - who has the lock of a target, and who waits for it, in the order in which they
 * asked. One thread at a time.
 */
#ifndef MPI_WINDOWS_LOCK_QUEUE_H
#define MPI_WINDOWS_LOCK_QUEUE_H

#include <stdbool.h>

struct lock_asker {
    int origin;
    int tag;  /* of the answer */
    int kind; /* MPI_LOCK_SHARED or MPI_LOCK_EXCLUSIVE */
};

/* All zero at first. */
struct lock_queue {
    int shared;     /* how many have a shared lock */
    bool exclusive; /* one has an exclusive lock */
    struct lock_waiting *first;
    struct lock_waiting *last;
};

/* Frees the memory of those who still wait. */
void lock_queue_end(struct lock_queue *queue);

/* One more asks. False without memory. */
bool lock_queue_ask(struct lock_queue *queue, const struct lock_asker *asker);

/* One gives its lock back. */
void lock_queue_release(struct lock_queue *queue, int kind);

/* Gives the lock to the next one, if it can have it now. */
bool lock_queue_grant(struct lock_queue *queue, struct lock_asker *asker);

#endif
