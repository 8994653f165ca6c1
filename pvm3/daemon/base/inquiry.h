/*
 * inquiry.h - asks a child process what the daemon would have to wait for: it answers over a pipe.
 *
 * The child holds nothing of the daemon's open but its end of the pipe: a link that is closed
 * meanwhile must be closed for its task. It is killed when nobody wants its answer any more.
 */
#ifndef DAEMON_BASE_INQUIRY_H
#define DAEMON_BASE_INQUIRY_H

#include <stdbool.h>
#include <stddef.h>

#include "daemon/base/loop.h"

/*
 * The bytes that are read at a time. If this is a multiple of the size of the pieces that a child
 * writes, the pieces stay whole.
 */
#define INQUIRY_PIECE 512

struct inquiry {
    struct loop *loop;
    struct loop_source source;
    struct loop_timer deadline;
    int child; /* a pidfd, -1 when there is no child: its process id may be another's by now */
    /* Some of the answer has come. */
    void (*take)(struct inquiry *inquiry, const void *piece, size_t size);
    /* The answer is whole, or did not come in time; the inquiry is over. */
    void (*ended)(struct inquiry *inquiry, bool in_time);
};

/* Before all else. */
void inquiry_prepare(struct inquiry *inquiry, struct loop *loop,
                     void (*take)(struct inquiry *, const void *, size_t),
                     void (*ended)(struct inquiry *, bool));

/*
 * Calls `answer` with `argument` in a child, which ends when that returns; it writes to `output`.
 * False when there can be no child; then nothing is called.
 */
bool inquiry_start(struct inquiry *inquiry, int seconds, void (*answer)(int output, void *argument),
                   void *argument);

/* Ends it, whether it is over or not, without a call of `ended`. */
void inquiry_end(struct inquiry *inquiry);

#endif
