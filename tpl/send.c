/* send.c - messages to threads: to one, to many at once, here and elsewhere. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "node.h"

/* What the program sends: bytes, or a buffer of PVM. */
struct parcel {
    int kind;
    const void *data;
    size_t size;
    int buffer; /* 0 for bytes */
};

/* How many processes get a letter at once at most. */
#define BATCH 64

/* Peers that get one letter: each peer once, all for the same thread number. The peers are held. */
struct batch {
    struct tpl *node;
    const struct parcel *parcel;
    int result; /* the first failure */
    int thread;
    int count;
    struct peer *peers[BATCH];
    int tids[BATCH];
};

static struct letter batch_letter(const struct batch *batch, int thread)
{
    const struct parcel *parcel = batch->parcel;
    return (struct letter){.type = parcel->buffer ? LETTER_PACKED : LETTER_MESSAGE,
                           .from = inbox_number(batch->node),
                           .to = thread,
                           .kind = parcel->kind,
                           .window = batch->node->options.window,
                           .size = parcel->size,
                           .buffer = parcel->buffer};
}

static void batch_fail(struct batch *batch, int result)
{
    if (batch->result == TPL_OK)
        batch->result = result;
}

static void batch_flush(struct batch *batch)
{
    struct tpl *node = batch->node;
    const struct letter letter = batch_letter(batch, batch->thread);
    if (batch->count == 0)
        return;
    for (int i = 0; i < batch->count; i++)
        batch->peers[i]->sent++;
    int result = node_send_to(node, &letter, batch->tids, batch->count, batch->parcel->data);
    for (int i = 0; i < batch->count; i++) {
        if (result < 0) {
            batch->peers[i]->sent--;
            node->reported = false;
            peer_give_room(batch->peers[i], batch->thread, 1);
        }
        peer_let_go(batch->peers[i]);
    }
    if (result < 0)
        batch_fail(batch, result);
    batch->count = 0;
}

/* A buffer is copied, and one that nobody takes is freed, without the lock. */
static int send_packed_here(struct tpl *node, struct letter *letter)
{
    node_unlock(node);
    letter->buffer = ground_copy(&node->ground, letter->buffer);
    node_lock(node);
    if (letter->buffer < 0)
        return letter->buffer;
    inbox_take(node, letter);
    if (letter->buffer == 0)
        return TPL_OK;
    node_unlock(node);
    ground_free(&node->ground, letter->buffer);
    node_lock(node);
    return TPL_OK;
}

static int send_here(struct tpl *node, struct letter *letter, const void *data)
{
    letter->peer = node->ground.tid;
    if (letter->buffer)
        return send_packed_here(node, letter);
    letter->data = malloc(letter->size + 1);
    if (!letter->data)
        return TPL_NO_MEMORY;
    memcpy(letter->data, letter->size > 0 ? data : "", letter->size);
    inbox_take(node, letter);
    return TPL_OK;
}

/* To this process; there is room for it. */
static int batch_send_here(const struct batch *batch, struct peer *peer, int thread)
{
    struct letter letter = batch_letter(batch, thread);
    int result = send_here(batch->node, &letter, batch->parcel->data);
    if (result < 0)
        peer_give_room(peer, thread, 1);
    return result;
}

/* Whether a letter to the peer cannot go out together with those before it, or has to wait. */
static bool batch_is_apart(const struct batch *batch, const struct peer *peer, int thread)
{
    return batch->count == BATCH || thread != batch->thread ||
           (batch->count > 0 && batch->peers[batch->count - 1] == peer) ||
           !peer_has_room(batch->node, peer, thread);
}

/* Nothing waits for room while others that have it could be sent to. */
static void batch_add(struct batch *batch, struct tpl_address to)
{
    struct tpl *node = batch->node;
    struct peer *peer = peer_get(node, to.tid);
    if (!peer) {
        batch_fail(batch, TPL_NO_MEMORY);
        return;
    }
    peer_hold(peer);
    if (batch_is_apart(batch, peer, to.thread))
        batch_flush(batch);
    int result = peer_take_room(node, peer, to.thread, NULL);
    if (result == TPL_OK && to.tid != node->ground.tid) {
        batch->thread = to.thread;
        batch->tids[batch->count] = to.tid;
        batch->peers[batch->count++] = peer;
        return;
    }
    if (result == TPL_OK)
        result = batch_send_here(batch, peer, to.thread);
    if (result < 0)
        batch_fail(batch, result);
    peer_let_go(peer);
}

/* What belongs together stands together. */
static int compare_addresses(const void *first, const void *second)
{
    const struct tpl_address *a = first, *b = second;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return (a->tid > b->tid) - (a->tid < b->tid);
}

static int send_sorted(struct tpl *node, const struct tpl_address *to, int count,
                       const struct parcel *parcel)
{
    struct batch batch = {.node = node, .parcel = parcel};
    node_come(node);
    for (int i = 0; i < count; i++)
        batch_add(&batch, to[i]);
    batch_flush(&batch);
    node_go(node);
    return batch.result;
}

static bool can_be_sent_to(const struct tpl_address *to, int count)
{
    for (int i = 0; i < count; i++)
        if (to[i].tid <= 0 || to[i].thread <= TPL_POOL)
            return false;
    return true;
}

static int send_all(struct tpl *node, const struct tpl_address *to, int count,
                    const struct parcel *parcel)
{
    if (!node || !to || count < 1 || !can_be_sent_to(to, count))
        return TPL_BAD;
    if (count == 1)
        return send_sorted(node, to, 1, parcel);
    struct tpl_address *sorted = malloc((size_t)count * sizeof *sorted);
    if (!sorted)
        return TPL_NO_MEMORY;
    memcpy(sorted, to, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, compare_addresses);
    int result = send_sorted(node, sorted, count, parcel);
    free(sorted);
    return result;
}

int tpl_multicast(struct tpl *node, const struct tpl_address *to, int count, int kind,
                  const void *data, size_t size)
{
    if (size > INT_MAX || (size > 0 && !data))
        return TPL_BAD;
    return send_all(node, to, count, &(struct parcel){kind, data, size, 0});
}

int tpl_send(struct tpl *node, struct tpl_address to, int kind, const void *data, size_t size)
{
    return tpl_multicast(node, &to, 1, kind, data, size);
}

int tpl_send_packed(struct tpl *node, const struct tpl_address *to, int count, int kind, int buffer)
{
    if (buffer <= 0)
        return TPL_BAD;
    return send_all(node, to, count, &(struct parcel){kind, NULL, 0, buffer});
}
