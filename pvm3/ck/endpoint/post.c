/* post.c - messages that go out while their sender waits for them, or for none. */
#include <stdlib.h>

#include "ck/endpoint/endpoint.h"
#include "ck/peers/way.h"

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
            endpoint_drop((struct unattended *)(void *)outgoing);
        } else {
            if (outgoing->posted && outgoing->result < 0 && !endpoint->lost)
                endpoint_stray(endpoint, outgoing);
            outgoing->waiter.done = true;
            waiting_wake(endpoint->waiting, &outgoing->waiter);
        }
        outgoing = next;
    }
}

void endpoint_cut(struct endpoint *endpoint, struct way *way)
{
    struct outgoing *queued = way->cut(way);
    lock_acquire(&endpoint->waiting->lock);
    endpoint_finish_outgoing(endpoint, queued);
    lock_release(&endpoint->waiting->lock);
}

int endpoint_finish_push(struct endpoint *endpoint, enum push_result pushed,
                         struct outgoing *outgoing)
{
    if (pushed == PUSH_PENDING && outgoing->posted) {
        outgoing->queued = true;
        return 0;
    }
    if (pushed == PUSH_PENDING) {
        lock_acquire(&endpoint->waiting->lock);
        waiting_wait(&endpoint->party, &outgoing->waiter, NULL);
        endpoint_rest(endpoint);
        lock_release(&endpoint->waiting->lock);
        return outgoing->result;
    }
    return pushed == PUSH_DONE ? 0 : CK_LOST;
}

struct unattended *endpoint_prepare(struct message *const *messages, const uint32_t *destinations,
                                    int count)
{
    struct unattended *letter = calloc(1, sizeof *letter);
    bool whole = letter != NULL;
    for (int i = 0; i < count; i++)
        whole = messages[i] && whole;
    if (!whole) {
        for (int i = 0; i < count; i++)
            message_free(messages[i]);
        free(letter);
        return NULL;
    }
    for (int i = 0; i < count; i++) {
        letter->messages[i] = messages[i];
        letter->parcels[i] = (struct parcel){messages[i], destinations[i]};
    }
    letter->outgoing.parcels = letter->parcels;
    letter->outgoing.count = count;
    letter->outgoing.unattended = true;
    return letter;
}

void endpoint_drop(struct unattended *letter)
{
    if (!letter)
        return;
    message_free(letter->messages[0]);
    message_free(letter->messages[1]);
    free(letter);
}

/* Word to the daemon that the endpoint sends nothing more. */
static bool endpoint_is_last(const struct endpoint *endpoint, const struct parcel *parcel)
{
    const struct dialect *dialect = endpoint->owner.dialect;
    return parcel->destination == dialect->addressing.daemon && dialect->last &&
           dialect->last(&parcel->message->header);
}

enum push_result endpoint_push(struct endpoint *endpoint, struct way *way,
                               struct outgoing *outgoing)
{
    if (way != endpoint->common)
        return way->push(way, outgoing);
    if (endpoint->mute)
        return PUSH_BROKEN;
    endpoint->mute = endpoint_is_last(endpoint, outgoing->parcels);
    return way->push(way, outgoing);
}

void endpoint_send_unattended(struct endpoint *endpoint, struct unattended *letter)
{
    struct way *way = endpoint->common;
    letter->outgoing.source = endpoint->own;
    lock_acquire(&way->lock);
    enum push_result pushed = endpoint_push(endpoint, way, &letter->outgoing);
    lock_release(&way->lock);
    if (pushed != PUSH_PENDING)
        endpoint_drop(letter);
}
