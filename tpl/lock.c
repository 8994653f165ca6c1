/* lock.c - the lock of a node, and what is sent when it is given back. */
#include <stdlib.h>

#include "node.h"

void condition_start(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

void node_come(struct tpl *node)
{
    node_lock(node);
    node->inside++;
}

void node_go(struct tpl *node)
{
    node->inside--;
    if (node->ended)
        pthread_cond_broadcast(&node->changed);
    node_unlock(node);
}

void node_lock(struct tpl *node)
{
    pthread_mutex_lock(&node->lock);
}

void node_post(struct tpl *node, const struct letter *letter)
{
    struct outgoing *outgoing = malloc(sizeof *outgoing);
    if (!outgoing) {
        free(letter->data);
        node_end(node, TPL_NO_MEMORY);
        return;
    }
    *outgoing = (struct outgoing){NULL, *letter};
    *node->last_outgoing = outgoing;
    node->last_outgoing = &outgoing->next;
}

/* Without the lock. A death is not told but asked for. */
static void send_outgoing(struct tpl *node, struct outgoing *outgoing)
{
    while (outgoing) {
        struct outgoing *next = outgoing->next;
        if (outgoing->letter.type == LETTER_DEATH)
            ground_watch(&node->ground, outgoing->letter.peer);
        else
            ground_send(&node->ground, &outgoing->letter, outgoing->letter.data);
        free(outgoing->letter.data);
        free(outgoing);
        outgoing = next;
    }
}

/*
 * True if something has happened: the node was reported as idle, or the lock was given back to send
 * something. Letters stay in their order.
 */
static bool node_flush(struct tpl *node)
{
    bool happened = node->hooks->before_unlock(node);
    if (!node->outgoing || node->flushing)
        return happened;
    node->flushing = true;
    while (node->outgoing) {
        struct outgoing *outgoing = node->outgoing;
        node->outgoing = NULL;
        node->last_outgoing = &node->outgoing;
        pthread_mutex_unlock(&node->lock);
        send_outgoing(node, outgoing);
        pthread_mutex_lock(&node->lock);
    }
    node->flushing = false;
    pthread_cond_broadcast(&node->changed);
    return true;
}

void node_unlock(struct tpl *node)
{
    node_flush(node);
    pthread_mutex_unlock(&node->lock);
}

bool node_sleep(struct tpl *node, pthread_cond_t *condition, const struct timespec *deadline)
{
    if (node_flush(node))
        return true;
    if (!deadline) {
        pthread_cond_wait(condition, &node->lock);
        return true;
    }
    return pthread_cond_timedwait(condition, &node->lock, deadline) == 0; /* EINVAL is late, too */
}

int node_send_to(struct tpl *node, const struct letter *letter, int *tids, int count,
                 const void *data)
{
    pthread_mutex_unlock(&node->lock);
    int result = ground_send_to(&node->ground, letter, tids, count, data);
    pthread_mutex_lock(&node->lock);
    return result;
}

int node_send(struct tpl *node, const struct letter *letter, const void *data)
{
    return node_send_to(node, letter, &(int){letter->peer}, 1, data);
}

void node_busy(struct tpl *node)
{
    node->busy++;
    node->reported = false;
}

void node_rest(struct tpl *node)
{
    node->busy--;
}

void node_end(struct tpl *node, int result)
{
    if (node->ended)
        return;
    node->ended = result;
    node->hooks->after_end(node);
}
