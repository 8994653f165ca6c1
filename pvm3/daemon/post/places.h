/*
 * places.h - where tasks live that have moved or are moving, and what waits for them meanwhile.
 *
 * The host part of a tid says where a task was born. A task that has left that host has an entry
 * here, on every host of ours. While a task moves, its entry keeps the frames that go to the task.
 * The table is all zeros when it is empty. One thread.
 */
#ifndef DAEMON_POST_PLACES_H
#define DAEMON_POST_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/frame_reader.h"
#include "core/message.h"
#include "daemon/base/backlog.h"
#include "daemon/base/frame_queue.h"
#include "daemon/base/list.h"
#include "daemon/base/loop.h"

#define PLACES_BUCKETS 1024

struct daemon;
struct host;

struct place {
    struct list node; /* in its bucket */
    struct daemon *daemon;
    uint32_t tid;
    uint32_t part;   /* the host where the task lives; while it moves, the host that it leaves */
    uint32_t to;     /* the host to which the task moves; 0: it does not move */
    uint32_t keeper; /* the host that has asked to hold the task; 0: none */
    uint32_t next; /* the host where the task lives, if a flush of the way by `part` is due; or 0 */
    int flushes;   /* of former ways, that are due or underway: frames are kept until their ends */
    bool holds;    /* frames to the task are kept */
    struct frame_queue kept;
    struct backlog backlog;       /* how many bytes are kept */
    uint32_t *unfinished;         /* tasks of this host that are amid a message to the task: */
    size_t unfinished_count;      /* the rest of that message is not kept */
    struct loop_work finished;    /* none is left, */
    struct loop_timer impatience; /* or they are no longer waited for; then this is called: */
    void (*held)(struct place *place);
    int32_t region;       /* the number of its region; -1: none */
    int32_t signal;       /* to be sent when the task has moved; 0: none */
    struct list contexts; /* of this host, which the task owns while it lives elsewhere */
};

struct places {
    struct list buckets[PLACES_BUCKETS];
    size_t count;
    size_t unfinished; /* in all entries together */
};

/* The entry of the task, or NULL: the task lives where its tid says. */
struct place *places_find(const struct places *places, uint32_t tid);
/* The entry of the task; a new one says that it lives where its tid says. NULL: no memory. */
struct place *places_add(struct daemon *daemon, uint32_t tid);
/* Forgets the entry, with all that it keeps. There must be no contexts. */
void place_drop(struct place *place);
/* Drops the entry if it says nothing that the tid does not say. */
void place_tidy(struct place *place);
/* The first entry, or the one behind `place`; NULL behind the last. */
struct place *places_next(const struct places *places, const struct place *place);
/* Drops all entries. */
void places_finish(struct places *places);

/* The host by which the task is reached. NULL when there is none. */
const struct host *places_host(const struct daemon *daemon, uint32_t tid);

/* Whether the task is on its way to a host that is there. */
bool places_may_come(const struct daemon *daemon, uint32_t tid);

/*
 * From now on frames to the task are kept. Tasks of this host that are amid a message to it finish
 * the message first, unless that takes long. Then `held` is called, at the end of a round.
 */
void place_hold(struct place *place, void (*held)(struct place *place));
/* Frames are kept no longer; what has been kept stays. */
void place_release(struct place *place);
/* The task with this tid sends nothing more. */
void places_end_source(struct daemon *daemon, uint32_t tid);

/* Whether the frame is to be kept, rather than sent on. */
bool place_keeps(struct place *place, const struct frame *frame);
/*
 * Keep a frame, or a message of the daemon. Who feeds the queue may be held (backlog.h) only if
 * `holds_feeder`. 0, or -1: no memory.
 */
int place_keep(struct place *place, const struct received_frame *received, bool holds_feeder);
int place_keep_message(struct place *place, const struct message *message);
/* The first frame that has been kept; its chunk is the caller's. False: there is none. */
bool place_take(struct place *place, struct received_frame *received);
/* Whether an entry keeps frames that the task has sent. */
bool places_keep_from(const struct places *places, uint32_t tid);

#endif
