/* post.c - messages that go out while their sender waits for them, or for none. */
#include <stdlib.h>

#include "ck/endpoint.h"
#include "ck/way.h"

/* The way of a posted message broke: it goes another way, before what is sent from now on. */
static void endpoint_stray(struct endpoint *endpoint, struct outgoing *outgoing)
{
    struct outgoing **end = &endpoint->strayed;
    while (*end)
        end = &(*end)->next;
    *end = outgoing;
    outgoing->next = NULL;
    outgoing->strayed++;
}

void endpoint_finish_outgoing(struct endpoint *endpoint, struct outgoing *outgoing)
{
    while (outgoing) {
        /* Gone as soon as its thread sees that it is done. */
        struct outgoing *next = outgoing->next;
        if (outgoing->unattended) {
            endpoint_drop((struct posted *)(void *)outgoing);
        } else {
            if (outgoing->posted && outgoing->result < 0 && !endpoint->lost)
                endpoint_stray(endpoint, outgoing);
            outgoing->waiter.done = true;
            waiting_wake(&endpoint->waiting, &outgoing->waiter);
        }
        outgoing = next;
    }
}

void endpoint_cut(struct endpoint *endpoint, struct way *way)
{
    struct outgoing *queued = way->cut(way);
    lock_acquire(&endpoint->waiting.lock);
    endpoint_finish_outgoing(endpoint, queued);
    lock_release(&endpoint->waiting.lock);
}

int endpoint_finish_push(struct endpoint *endpoint, enum push_result pushed,
                         struct outgoing *outgoing)
{
    if (pushed == PUSH_PENDING && outgoing->posted) {
        outgoing->queued = true;
        return 0;
    }
    if (pushed == PUSH_PENDING) {
        lock_acquire(&endpoint->waiting.lock);
        waiting_wait(&endpoint->waiting, &outgoing->waiter, NULL);
        endpoint_rest(endpoint);
        lock_release(&endpoint->waiting.lock);
        return outgoing->result;
    }
    return pushed == PUSH_DONE ? 0 : CK_LOST;
}

struct posted *endpoint_prepare(struct message *const *messages, const uint32_t *destinations,
                                int count)
{
    struct posted *posted = calloc(1, sizeof *posted);
    bool whole = posted != NULL;
    for (int i = 0; i < count; i++)
        whole = messages[i] && whole;
    if (!whole) {
        for (int i = 0; i < count; i++)
            message_free(messages[i]);
        free(posted);
        return NULL;
    }
    for (int i = 0; i < count; i++) {
        posted->messages[i] = messages[i];
        posted->parcels[i] = (struct parcel){messages[i], destinations[i]};
    }
    posted->outgoing.parcels = posted->parcels;
    posted->outgoing.count = count;
    posted->outgoing.unattended = true;
    return posted;
}

void endpoint_drop(struct posted *posted)
{
    if (!posted)
        return;
    message_free(posted->messages[0]);
    message_free(posted->messages[1]);
    free(posted);
}

void endpoint_post(struct endpoint *endpoint, struct posted *posted)
{
    posted->outgoing.source = endpoint->own;
    if (way_push(endpoint->common, &posted->outgoing) != PUSH_PENDING)
        endpoint_drop(posted);
}
