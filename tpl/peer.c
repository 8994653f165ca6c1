/* peer.c - the processes that a node has to do with, and what is on its way to them. */
#include <stdlib.h>

#include "node.h"

/* Credit is given for this part of the window at a time: the sender has the rest meanwhile. */
#define PAID_PART 4

static unsigned bucket_of(int tid)
{
    return (unsigned)tid % BUCKETS;
}

struct peer *peer_find(struct tpl *node, int tid)
{
    struct peer *peer = node->peers[bucket_of(tid)];
    while (peer && peer->tid != tid)
        peer = peer->next;
    return peer;
}

/* Watched from the first moment on, so that nothing waits for one that is dead. */
struct peer *peer_get(struct tpl *node, int tid)
{
    struct peer *peer = peer_find(node, tid);
    if (peer)
        return peer;
    peer = calloc(1, sizeof *peer);
    if (!peer)
        return NULL;
    peer->tid = tid;
    peer->number = -1;
    peer->next = node->peers[bucket_of(tid)];
    node->peers[bucket_of(tid)] = peer;
    if (tid != node->ground.tid)
        node_post(node, &(struct letter){.type = LETTER_DEATH, .peer = tid});
    return peer;
}

static struct channel *peer_channel(struct peer *peer, int thread)
{
    struct channel *channel = peer->channels;
    while (channel && channel->thread != thread)
        channel = channel->next;
    if (channel)
        return channel;
    channel = calloc(1, sizeof *channel);
    if (!channel)
        return NULL;
    channel->thread = thread;
    condition_start(&channel->room);
    channel->next = peer->channels;
    peer->channels = channel;
    return channel;
}

int peer_take_room(struct tpl *node, struct peer *peer, int thread, const struct timespec *deadline)
{
    struct channel *channel = peer_channel(peer, thread);
    if (!channel)
        return TPL_NO_MEMORY;
    bool in_time = true;
    while (!node->ended && !peer->dead && channel->under_way >= node->options.window) {
        if (!in_time)
            return TPL_LATE;
        in_time = node_sleep(node, &channel->room, deadline);
    }
    if (node->ended || peer->dead)
        return node->ended ? node->ended : TPL_DEAD;
    channel->under_way++;
    return TPL_OK;
}

void peer_give_room(struct peer *peer, int thread, int number)
{
    struct channel *channel = peer->channels;
    while (channel && channel->thread != thread)
        channel = channel->next;
    if (!channel || number <= 0)
        return;
    channel->under_way -= number < channel->under_way ? number : channel->under_way;
    pthread_cond_broadcast(&channel->room);
}

void peer_owe_credit(struct tpl *node, struct peer *peer, int thread, int window)
{
    struct debt *debt = peer->debts;
    while (debt && debt->thread != thread)
        debt = debt->next;
    if (!debt) {
        debt = calloc(1, sizeof *debt);
        if (!debt) {
            node_end(node, TPL_NO_MEMORY);
            return;
        }
        debt->thread = thread;
        debt->next = peer->debts;
        peer->debts = debt;
    }
    if (++debt->number * PAID_PART < window)
        return;
    node_post(node,
              &(struct letter){
                  .type = LETTER_CREDIT, .peer = peer->tid, .to = thread, .id = debt->number});
    debt->number = 0;
}

void peer_wake(struct peer *peer)
{
    for (struct channel *channel = peer->channels; channel; channel = channel->next)
        pthread_cond_broadcast(&channel->room);
}

static void peer_free(struct peer *peer)
{
    struct channel *channel;
    while ((channel = peer->channels) != NULL) {
        peer->channels = channel->next;
        pthread_cond_destroy(&channel->room);
        free(channel);
    }
    struct debt *debt;
    while ((debt = peer->debts) != NULL) {
        peer->debts = debt->next;
        free(debt);
    }
    free(peer);
}

void peers_free(struct tpl *node)
{
    for (int i = 0; i < BUCKETS; i++) {
        struct peer *peer;
        while ((peer = node->peers[i]) != NULL) {
            node->peers[i] = peer->next;
            peer_free(peer);
        }
    }
}
