/* frame_queue.c - a ring of slices. */
#include "daemon/base/frame_queue.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 8
#define ROOM_KEPT  256 /* a ring that grew larger is given back when it is empty */
#define TAIL_SIZE  (32u * 1024)
#define KEPT_LEAST 8192 /* bytes for which the chunk that they came in is kept */

struct frame_queue_item {
    struct chunk *chunk;
    unsigned char *data;
    size_t length;
    unsigned char header[FRAME_HEADER_SIZE];
    unsigned header_done; /* bytes of it written; FRAME_HEADER_SIZE when there is none */
};

void frame_queue_start(struct frame_queue *queue)
{
    *queue = (struct frame_queue){0};
}

static struct frame_queue_item *frame_queue_at(const struct frame_queue *queue, size_t index)
{
    return &queue->items[(queue->head + index) & (queue->room - 1)];
}

static void frame_queue_drop_tail(struct frame_queue *queue)
{
    chunk_release(queue->tail);
    queue->tail = NULL;
    queue->tail_used = 0;
}

static void frame_queue_count(struct frame_queue *queue, size_t bytes)
{
    queue->bytes += bytes;
    if (queue->backlog)
        backlog_add(queue->backlog, bytes);
}

static void frame_queue_discount(struct frame_queue *queue, size_t bytes)
{
    queue->bytes -= bytes;
    if (queue->backlog)
        backlog_remove(queue->backlog, bytes);
}

void frame_queue_finish(struct frame_queue *queue)
{
    for (size_t i = 0; i < queue->count; i++)
        chunk_release(frame_queue_at(queue, i)->chunk);
    free(queue->items);
    frame_queue_drop_tail(queue);
    frame_queue_discount(queue, queue->bytes);
    *queue = (struct frame_queue){.backlog = queue->backlog};
}

/* A ring twice as large, its items in order from the start. */
static int frame_queue_grow(struct frame_queue *queue)
{
    size_t room = queue->room ? 2 * queue->room : FIRST_ROOM;
    struct frame_queue_item *items = malloc(room * sizeof *items);
    if (!items)
        return -1;
    for (size_t i = 0; i < queue->count; i++)
        items[i] = *frame_queue_at(queue, i);
    free(queue->items);
    queue->items = items;
    queue->room = room;
    queue->head = 0;
    return 0;
}

static struct frame_queue_item *frame_queue_append(struct frame_queue *queue, struct chunk *chunk,
                                                   unsigned char *data, size_t length)
{
    if (queue->count == queue->room && frame_queue_grow(queue) < 0)
        return NULL;
    struct frame_queue_item *item = frame_queue_at(queue, queue->count++);
    item->chunk = chunk_hold(chunk);
    item->data = data;
    item->length = length;
    item->header_done = FRAME_HEADER_SIZE;
    frame_queue_count(queue, length);
    return item;
}

int frame_queue_add(struct frame_queue *queue, struct chunk *chunk, unsigned char *data,
                    size_t length)
{
    if (queue->count > 0) {
        struct frame_queue_item *last = frame_queue_at(queue, queue->count - 1);
        if (last->chunk == chunk && last->data + last->length == data) {
            last->length += length;
            frame_queue_count(queue, length);
            return 0;
        }
    }
    return frame_queue_append(queue, chunk, data, length) ? 0 : -1;
}

int frame_queue_add_headed(struct frame_queue *queue, const struct frame *frame,
                           struct chunk *chunk, unsigned char *body)
{
    struct frame_queue_item *item = frame_queue_append(queue, chunk, body, frame->length);
    if (!item)
        return -1;
    frame_encode(frame, item->header);
    item->header_done = 0;
    frame_queue_count(queue, FRAME_HEADER_SIZE);
    return 0;
}

/* Behind what was copied last. */
unsigned char *frame_queue_reserve(struct frame_queue *queue, size_t length)
{
    if (queue->tail && queue->tail->capacity - queue->tail_used >= length)
        return queue->tail->data + queue->tail_used;
    frame_queue_drop_tail(queue);
    queue->tail = chunk_new(length > TAIL_SIZE ? length : TAIL_SIZE);
    return queue->tail ? queue->tail->data : NULL;
}

int frame_queue_commit(struct frame_queue *queue, size_t length)
{
    unsigned char *data = queue->tail->data + queue->tail_used;
    if (frame_queue_add(queue, queue->tail, data, length) < 0)
        return -1;
    queue->tail_used += length;
    return 0;
}

int frame_queue_copy(struct frame_queue *queue, const unsigned char *data, size_t length)
{
    unsigned char *to = frame_queue_reserve(queue, length);
    if (!to)
        return -1;
    memcpy(to, data, length);
    return frame_queue_commit(queue, length);
}

int frame_queue_keep(struct frame_queue *queue, struct chunk *chunk, unsigned char *data,
                     size_t length)
{
    queue->run = data == queue->run_end ? queue->run + length : length;
    queue->run_end = data + length;
    return queue->run < KEPT_LEAST ? frame_queue_copy(queue, data, length)
                                   : frame_queue_add(queue, chunk, data, length);
}

static size_t frame_queue_message_size(const struct message *message)
{
    size_t frames = message->segment_count ? message_fragments(message) : 1;
    return message->length + frames * FRAME_HEADER_SIZE + FRAME_MESSAGE_HEADER_SIZE;
}

int frame_queue_add_message(struct frame_queue *queue, const struct message *message,
                            uint32_t destination, uint32_t source)
{
    size_t size = frame_queue_message_size(message);
    unsigned char *to = frame_queue_reserve(queue, size);
    if (!to)
        return -1;
    struct frame_writer writer;
    frame_writer_start(&writer, message, destination, source);
    while (!frame_writer_is_done(&writer)) {
        struct frame_batch batch;
        size_t written = 0;
        int vectors = frame_writer_fill(&writer, &batch);
        for (int i = 0; i < vectors; i++) {
            memcpy(to + written, batch.vectors[i].iov_base, batch.vectors[i].iov_len);
            written += batch.vectors[i].iov_len;
        }
        frame_writer_advance(&writer, written);
        to += written;
    }
    return frame_queue_commit(queue, size);
}

int frame_queue_move(struct frame_queue *queue, struct frame_queue *from)
{
    while (queue->room - queue->count < from->count)
        if (frame_queue_grow(queue) < 0)
            return -1;
    for (size_t i = 0; i < from->count; i++)
        *frame_queue_at(queue, queue->count++) = *frame_queue_at(from, i);
    frame_queue_count(queue, from->bytes);
    from->count = 0;
    frame_queue_finish(from);
    return 0;
}

/* Room for one item more, without adding it. */
static int frame_queue_ready(struct frame_queue *queue)
{
    return queue->count == queue->room ? frame_queue_grow(queue) : 0;
}

static size_t frame_queue_item_bytes(const struct frame_queue_item *item)
{
    return item->length + FRAME_HEADER_SIZE - item->header_done;
}

static void frame_queue_push(struct frame_queue *queue, const struct frame_queue_item *item)
{
    *frame_queue_at(queue, queue->count++) = *item;
    frame_queue_count(queue, frame_queue_item_bytes(item));
}

int frame_queue_take(struct frame_queue *queue, struct frame_queue *copy, struct frame_queue *from,
                     size_t most)
{
    size_t taken = 0;
    while (from->count > 0 && taken < most) {
        const struct frame_queue_item *item = frame_queue_at(from, 0);
        size_t bytes = frame_queue_item_bytes(item);
        if (taken > 0 && taken + bytes > most)
            break;
        if (frame_queue_ready(queue) < 0 || frame_queue_ready(copy) < 0)
            return -1;
        chunk_hold(item->chunk);
        frame_queue_push(queue, item);
        frame_queue_push(copy, item);
        chunk_hold(item->chunk);
        frame_queue_advance(from, bytes);
        taken += bytes;
    }
    return 0;
}

size_t frame_queue_drop_frames(struct frame_queue *queue, size_t most)
{
    size_t dropped = 0;
    while (queue->count > 0) {
        const struct frame_queue_item *item = frame_queue_at(queue, 0);
        struct frame frame;
        frame_decode(&frame, item->header_done == 0 ? item->header : item->data);
        size_t size = FRAME_HEADER_SIZE + (size_t)frame.length;
        if (size > most - dropped)
            break;
        frame_queue_advance(queue, size);
        dropped += size;
    }
    return dropped;
}

bool frame_queue_take_frame(struct frame_queue *queue, struct received_frame *received)
{
    if (queue->count == 0)
        return false;
    const struct frame_queue_item *item = frame_queue_at(queue, 0);
    bool headed = item->header_done == 0;
    received->chunk = chunk_hold(item->chunk);
    received->body = headed ? item->data : item->data + FRAME_HEADER_SIZE;
    frame_decode(&received->frame, headed ? item->header : item->data);
    frame_queue_advance(queue, FRAME_HEADER_SIZE + (size_t)received->frame.length);
    return true;
}

static bool frame_queue_item_any(const struct frame_queue_item *item,
                                 bool (*fits)(const struct frame *, uint32_t), uint32_t tid)
{
    struct frame frame;
    if (item->header_done == 0) {
        frame_decode(&frame, item->header);
        return fits(&frame, tid);
    }
    for (size_t at = 0; at < item->length; at += FRAME_HEADER_SIZE + (size_t)frame.length) {
        frame_decode(&frame, item->data + at);
        if (fits(&frame, tid))
            return true;
    }
    return false;
}

bool frame_queue_any(const struct frame_queue *queue,
                     bool (*fits)(const struct frame *frame, uint32_t tid), uint32_t tid)
{
    for (size_t i = 0; i < queue->count; i++)
        if (frame_queue_item_any(frame_queue_at(queue, i), fits, tid))
            return true;
    return false;
}

int frame_queue_fill(const struct frame_queue *queue, struct iovec *vectors, int room)
{
    int used = 0;
    for (size_t i = 0; i < queue->count && used + 2 <= room; i++) {
        struct frame_queue_item *item = frame_queue_at(queue, i);
        size_t header_left = FRAME_HEADER_SIZE - item->header_done;
        if (header_left > 0)
            vectors[used++] = (struct iovec){item->header + item->header_done, header_left};
        if (item->length > 0)
            vectors[used++] = (struct iovec){item->data, item->length};
    }
    return used;
}

/* Takes `bytes` off the item; returns what is left of them when it is finished. */
static size_t frame_queue_item_advance(struct frame_queue_item *item, size_t bytes)
{
    size_t header_left = FRAME_HEADER_SIZE - item->header_done;
    size_t part = bytes < header_left ? bytes : header_left;
    item->header_done += (unsigned)part;
    bytes -= part;
    part = bytes < item->length ? bytes : item->length;
    item->data += part;
    item->length -= part;
    return bytes - part;
}

void frame_queue_advance(struct frame_queue *queue, size_t bytes)
{
    frame_queue_discount(queue, bytes);
    while (queue->count > 0) {
        struct frame_queue_item *item = frame_queue_at(queue, 0);
        bytes = frame_queue_item_advance(item, bytes);
        if (item->length > 0 || item->header_done < FRAME_HEADER_SIZE)
            return;
        chunk_release(item->chunk);
        queue->head = (queue->head + 1) & (queue->room - 1);
        queue->count--;
    }
    frame_queue_drop_tail(queue);
    if (queue->room > ROOM_KEPT)
        frame_queue_finish(queue);
}
