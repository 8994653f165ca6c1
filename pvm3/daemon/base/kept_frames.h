/*
 * kept_frames.h - frames that wait in order, whole, until their owner takes or drops them.
 *
 * A long frame is kept by a reference to its chunk, a short one is copied, so that it does not keep
 * a chunk that is much larger. Kept bytes are counted in a backlog of the owner. One thread.
 */
#ifndef DAEMON_BASE_KEPT_FRAMES_H
#define DAEMON_BASE_KEPT_FRAMES_H

#include <stdbool.h>

#include "core/frame_reader.h"
#include "daemon/base/backlog.h"
#include "daemon/base/list.h"

struct kept_frame {
    struct list node;
    struct received_frame received;
};

struct kept_frames {
    struct list list;        /* of struct kept_frame */
    struct backlog *backlog; /* NULL: they are counted nowhere */
};

void kept_frames_start(struct kept_frames *frames, struct backlog *backlog);
/* Drops all frames. */
void kept_frames_finish(struct kept_frames *frames);

/* Keeps a frame behind the others. 0, or -1: no memory. */
int kept_frames_add(struct kept_frames *frames, const struct received_frame *received);

/* Takes the first frame; its chunk is the caller's. False when there is none. */
bool kept_frames_take(struct kept_frames *frames, struct received_frame *received);

/* Moves all frames of `from` behind the others. */
void kept_frames_move(struct kept_frames *frames, struct kept_frames *from);

static inline bool kept_frames_is_empty(const struct kept_frames *frames)
{
    return list_is_empty(&frames->list);
}

/* The first frame of a list that is not empty, or the one of a node of the list. */
static inline const struct received_frame *kept_frame_at(const struct list *node)
{
    return &LIST_OWNER(node, struct kept_frame, node)->received;
}

/* A copy of the frame in a chunk of its own, the caller's. NULL in the chunk: no memory. */
struct received_frame received_frame_copy(const struct received_frame *received);

#endif
