/*
 * holds.h - what a host may not get yet, because something that comes to it by way of other hosts
 * must be there first.
 *
 * A hold is of one flow (flows.h): it keeps what goes into the flow. It ends when it has been ended
 * as often as it was begun. One thread.
 */
#ifndef DAEMON_BASE_HOLDS_H
#define DAEMON_BASE_HOLDS_H

#include "daemon/base/kept_frames.h"

struct holds {
    struct list list;
    struct backlogs *backlogs;
    uint32_t tid; /* of the daemon that the frames go to */
};

void holds_start(struct holds *holds, struct backlogs *backlogs, uint32_t tid);
/* Forgets all that is kept. */
void holds_finish(struct holds *holds);

/* Begins a hold of the flow, once more if there is one. 0, or -1: no memory. */
int holds_begin(struct holds *holds, uint32_t flow);
/* Ends it once. True when it was the last time: holds_take gives what has been kept. */
bool holds_end(struct holds *holds, uint32_t flow);

/* Whether there is a hold of the flow, and whether one keeps anything. */
bool holds_has(const struct holds *holds, uint32_t flow);
bool holds_keeps_any(const struct holds *holds, uint32_t flow);

/* Keeps a frame. 0, or -1: no memory. There is a hold of the flow. */
int holds_keep(struct holds *holds, uint32_t flow, const struct received_frame *received);
/*
 * The first frame that a hold keeps which has ended; its chunk is the caller's. False when nothing
 * is left; then the hold is forgotten.
 */
bool holds_take(struct holds *holds, uint32_t flow, struct received_frame *received);

/*
 * The flow is over: what it waits for the heir waits for, too, and has what is kept behind what it
 * keeps itself. 0, or -1: no memory.
 */
int holds_join(struct holds *holds, uint32_t flow, uint32_t heir);

/* The flow of the first hold, or of the one behind that of `flow`; 0: there is none. */
uint32_t holds_next(const struct holds *holds, uint32_t flow);

#endif
