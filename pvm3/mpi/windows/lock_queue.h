/*
 * lock_queue.h - who has the lock of a target (MPI_Win_lock), and who waits for it, in the order in
 * which they asked. Each member asks for one at a time, and has a place to wait at.
 *
 * All is 0 at first, and may lie in shared memory. One thread at a time.
 */
#ifndef MPI_WINDOWS_LOCK_QUEUE_H
#define MPI_WINDOWS_LOCK_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

struct lock_queue {
    int shared;     /* how many have a shared lock */
    bool exclusive; /* one has an exclusive lock */
    int waiting;
    uint64_t turns; /* how often somebody had to wait */
};

/* The place of a member. */
struct lock_asker {
    uint64_t turn; /* 0: it does not wait */
    int kind;      /* MPI_LOCK_SHARED or MPI_LOCK_EXCLUSIVE */
    int tag;       /* of the message that it waits for */
};

/* Whether the member with that place has the lock at once; otherwise it waits. */
bool lock_queue_ask(struct lock_queue *queue, struct lock_asker *place, int kind, int tag);

/* One gives its lock back. */
void lock_queue_release(struct lock_queue *queue, int kind);

/* Gives the lock to the next one of `count` members, if it can have it now: its rank, or -1. */
int lock_queue_grant(struct lock_queue *queue, struct lock_asker *places, int count);

#endif
