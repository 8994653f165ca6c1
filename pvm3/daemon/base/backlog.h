/*
 * backlog.h - how much waits for one destination, and who must stop adding to it.
 *
 * A backlog is full when it holds more than is left of the memory that all of them may use
 * together, or more than it may by itself. So the first destination that does not read gets half of
 * that memory, a second one a third, and some is always left for those that read (A. Choudhury, E.
 * Hahne: Dynamic queue length thresholds for shared-memory packet switches, 1998).
 *
 * Nothing is refused. But whoever is being read from while a backlog gets over its bound, the
 * feeder, is held: it is not to be read from until it is resumed. What the daemon says for itself
 * has no feeder. A value without a descriptor or a clock. One thread.
 */
#ifndef DAEMON_BASE_BACKLOG_H
#define DAEMON_BASE_BACKLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/list.h"

struct backlog;

/* Something that the daemon reads from. */
struct feeder {
    struct list node; /* among those that a backlog holds */
    size_t most;      /* it goes on when the backlog has no more than this */
    /* It may be read from again: to be noted for later, not to be done at once. */
    void (*resume)(struct feeder *feeder);
};

/* All backlogs of a daemon. */
struct backlogs {
    size_t limit;          /* bytes that may wait in all of them together */
    size_t bytes;          /* that wait */
    size_t looked;         /* what `bytes` was when held feeders were looked at last */
    struct list holding;   /* backlogs that hold feeders */
    struct feeder *feeder; /* what is being read from; NULL: the daemon speaks for itself */
    /* Called when a backlog holds a feeder for the first time. */
    void (*tell)(const struct backlog *backlog);
};

struct backlog {
    struct backlogs *all;
    struct list node; /* among those that hold feeders */
    struct list held;
    size_t bytes;
    size_t most;  /* whatever is left for others */
    uint32_t tid; /* where it is to go */
    bool told;
};

/* Each backlog may have this much, whatever is left: a burst to one that reads is fine. */
#define BACKLOG_LEAST ((size_t)64 * 1024)

void backlogs_start(struct backlogs *all, size_t limit, void (*tell)(const struct backlog *));

/* `most` is SIZE_MAX when only the memory counts. */
void backlog_start(struct backlog *backlog, struct backlogs *all, size_t most);
/* Resumes whom it holds. */
void backlog_finish(struct backlog *backlog);

/* These say that bytes have been queued, and that they have been written or dropped. */
void backlog_add(struct backlog *backlog, size_t bytes);
void backlog_remove(struct backlog *backlog, size_t bytes);

void feeder_start(struct feeder *feeder, void (*resume)(struct feeder *));
/* Holds the feeder while the backlog has more than `most` bytes. */
void feeder_hold(struct feeder *feeder, struct backlog *backlog, size_t most);
/* No backlog holds the feeder any more; `resume` is not called. */
void feeder_release(struct feeder *feeder);

static inline bool feeder_is_held(const struct feeder *feeder)
{
    return !list_is_empty(&feeder->node);
}

#endif
