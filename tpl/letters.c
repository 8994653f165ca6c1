/* letters.c - receives letters, and hands each to what it is for. */
#include <arpa/inet.h>
#include <stdint.h>
#include <stdlib.h>

#include "node.h"

static void node_take_death(struct tpl *node, int tid)
{
    struct peer *peer = peer_find(node, tid);
    if (!peer || peer->dead || tid == node->ground.tid)
        return;
    peer_hold(peer);
    peer_bury(node, peer);
    pool_cancel(node, tid, 0);
    futures_fail(node, peer, TPL_DEAD);
    inboxes_take_death(node, tid);
    if (peer->number >= 0) {
        over_forget_node(node);
        if (!node->ended)
            pool_tell_lost(node, peer->number);
    }
    peer_let_go(peer);
    pthread_cond_broadcast(&node->changed);
}

/* A client or server leaves; nodes of this program say so with LETTER_OVER. */
static void node_take_farewell(struct tpl *node, int tid)
{
    const struct peer *peer = peer_find(node, tid);
    if (!peer || peer->number >= 0 || tid == node->parent)
        return;
    node_take_death(node, tid);
    peer_note_gone(node, tid);
}

/* Another node was stopped; that makes its confirmation, as it may send none any more. */
static void node_take_stop(struct tpl *node, const struct letter *letter)
{
    node_end(node, TPL_STOPPED);
    over_take_confirmation(node, letter);
}

bool node_learn(struct tpl *node, const int *tids, int count)
{
    node->nodes = calloc((size_t)count, sizeof(struct peer *));
    node->reports = calloc((size_t)count, sizeof *node->reports);
    if (!node->nodes || !node->reports)
        return false;
    node->number = -1;
    for (int i = 0; i < count; i++) {
        node->nodes[i] = peer_get(node, tids[i]);
        node->reports[i].counts = calloc((size_t)count * 3, sizeof(int));
        if (!node->nodes[i] || !node->reports[i].counts)
            return false;
        node->nodes[i]->number = i;
        if (tids[i] == node->ground.tid)
            node->number = i;
    }
    if (node->number < 0)
        return false;
    node->count = count;
    pthread_cond_broadcast(&node->changed);
    pool_open(node);
    return true;
}

static void node_take_nodes(struct tpl *node, const struct letter *letter)
{
    int count = (int)(letter->size / sizeof(uint32_t));
    int *tids = malloc(letter->size + 1);
    if (node->count == 0 && count > 0 && count <= NODES_MOST && tids) {
        const uint32_t *words = letter->data;
        for (int i = 0; i < count; i++)
            tids[i] = (int)ntohl(words[i]);
        if (!node_learn(node, tids, count))
            node_end(node, TPL_NO_MEMORY);
        else
            node_post(node, &(struct letter){.type = LETTER_JOINED, .peer = letter->peer});
    }
    free(tids);
}

/* Any process may send letters; letters that rule a program come from its own nodes only. */
static bool node_trusts(const struct tpl *node, const struct peer *peer, enum letter_type type)
{
    switch (type) {
    case LETTER_NODES:
        return peer->tid == node->parent;
    case LETTER_REPORT:
    case LETTER_OVER:
    case LETTER_CONFIRM:
    case LETTER_LEAVE:
    case LETTER_STOP:
    case LETTER_JOINED:
        return peer->number >= 0 || peer->tid == node->parent;
    default:
        return true;
    }
}

/* A spawned process is a node now. */
static void node_has_joined(struct tpl *node, struct peer *peer)
{
    if (peer->joined)
        return;
    peer->joined = true;
    pthread_cond_broadcast(&node->changed);
}

/*
 * Messages of a process that is known to be dead are not counted, so they must not be delivered
 * either.
 */
static bool node_is_wanted(struct tpl *node, const struct letter *letter)
{
    struct peer *peer = peer_get(node, letter->peer);
    if (!peer || peer->dead || !node_trusts(node, peer, letter->type))
        return false;
    peer->gone = false;
    if (letter->type == LETTER_MESSAGE || letter->type == LETTER_PACKED ||
        letter->type == LETTER_REQUEST || letter->type == LETTER_ANSWER) {
        peer->received++;
        node->reported = false;
        node_has_joined(node, peer); /* another thread of it may send before the one that says so */
    }
    return true;
}

/* Obeys a letter that rules the program; nothing of it is kept. */
static void node_obey(struct tpl *node, const struct letter *letter)
{
    switch (letter->type) {
    case LETTER_NODES:
        node_take_nodes(node, letter);
        return;
    case LETTER_CANCEL:
        pool_cancel(node, letter->peer, letter->id);
        return;
    case LETTER_CREDIT:
        peer_give_room(peer_find(node, letter->peer), letter->to, letter->id);
        return;
    case LETTER_REPORT:
        over_take_report(node, letter);
        return;
    case LETTER_OVER:
    case LETTER_LEAVE:
        over_take_end(node, letter);
        return;
    case LETTER_CONFIRM:
        over_take_confirmation(node, letter);
        return;
    case LETTER_JOINED:
        node_has_joined(node, peer_find(node, letter->peer));
        return;
    case LETTER_STOP:
        node_take_stop(node, letter);
        return;
    default:
        return;
    }
}

static void node_take(struct tpl *node, struct letter *letter)
{
    if (letter->type == LETTER_DEATH)
        node_take_death(node, letter->peer);
    else if (letter->type == LETTER_GONE)
        node_take_farewell(node, letter->peer);
    else if (node_is_wanted(node, letter))
        switch (letter->type) {
        case LETTER_MESSAGE:
        case LETTER_PACKED:
            inbox_take(node, letter);
            return;
        case LETTER_REQUEST:
            pool_take_request(node, letter);
            return;
        case LETTER_ANSWER:
            futures_take_answer(node, letter);
            return;
        default:
            node_obey(node, letter);
        }
    free(letter->data);
}

/* Nothing comes any more, not even that all nodes may leave. */
static void node_lose_all(struct tpl *node, int result)
{
    node->leaving = true;
    node_end(node, result);
    pthread_cond_broadcast(&node->changed);
}

/* Ends by a letter alone: on the ground of interrupts a sender waits until this thread receives. */
void *node_receive(void *argument)
{
    struct tpl *node = argument;
    struct letter letter = {.type = LETTER_LEAVE};
    int result = ground_begin_receiving(&node->ground);
    while (result == TPL_OK && (letter.type != LETTER_WAKE || letter.peer != node->ground.tid)) {
        result = ground_take(&node->ground, &letter);
        node_lock(node);
        if (result == TPL_OK)
            node_take(node, &letter);
        node_unlock(node);
        if (result == TPL_OK && letter.buffer > 0) /* nobody's */
            ground_free(&node->ground, letter.buffer);
    }
    if (result < 0) {
        node_lock(node);
        node_lose_all(node, result);
        node_unlock(node);
    }
    ground_end_receiving(&node->ground);
    return NULL;
}
