/* kept_frames.c - a list of frames. */
#include "daemon/base/kept_frames.h"

#include <stdlib.h>
#include <string.h>

/* From this length on a frame is not copied, bytes. */
#define LONG_FRAME (16u * 1024)

void kept_frames_start(struct kept_frames *frames, struct backlog *backlog)
{
    list_start(&frames->list);
    frames->backlog = backlog;
}

void kept_frames_finish(struct kept_frames *frames)
{
    struct received_frame received;
    while (kept_frames_take(frames, &received))
        chunk_release(received.chunk);
}

struct received_frame received_frame_copy(const struct received_frame *received)
{
    struct received_frame copy = *received;
    copy.chunk = chunk_new(FRAME_HEADER_SIZE + (size_t)received->frame.length);
    if (!copy.chunk)
        return copy;
    copy.body = copy.chunk->data + FRAME_HEADER_SIZE;
    memcpy(copy.body, received->body, received->frame.length);
    return copy;
}

int kept_frames_add(struct kept_frames *frames, const struct received_frame *received)
{
    struct kept_frame *kept = malloc(sizeof *kept);
    if (!kept)
        return -1;
    kept->received = *received;
    if (received->frame.length < LONG_FRAME)
        kept->received = received_frame_copy(received);
    else
        chunk_hold(received->chunk);
    if (!kept->received.chunk) {
        free(kept);
        return -1;
    }
    list_append(&frames->list, &kept->node);
    if (frames->backlog)
        backlog_add(frames->backlog, received->frame.length);
    return 0;
}

bool kept_frames_take(struct kept_frames *frames, struct received_frame *received)
{
    if (kept_frames_is_empty(frames))
        return false;
    struct kept_frame *kept = LIST_OWNER(frames->list.next, struct kept_frame, node);
    *received = kept->received;
    list_remove(&kept->node);
    free(kept);
    if (frames->backlog)
        backlog_remove(frames->backlog, received->frame.length);
    return true;
}

void kept_frames_move(struct kept_frames *frames, struct kept_frames *from)
{
    LIST_FOR_EACH(node, &from->list)
    {
        uint32_t length = kept_frame_at(node)->frame.length;
        list_remove(node);
        list_append(&frames->list, node);
        if (from->backlog)
            backlog_remove(from->backlog, length);
        if (frames->backlog)
            backlog_add(frames->backlog, length);
    }
}
