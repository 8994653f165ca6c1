/* order.c - the ports asked in turn, at each message that comes by a way under. */
#include "ck/endpoint/order.h"

#include <limits.h>

#include "ck/endpoint/endpoint.h"

/* Puts aside what is no answer, since the task is not introduced yet. False otherwise. */
static bool order_put_aside(struct endpoint *endpoint, struct message *message)
{
    if (endpoint->open || message->header.wait != 0)
        return false;
    struct message **end = &endpoint->early;
    while (*end)
        end = &(*end)->next;
    *end = message;
    return true;
}

/* The record of the sender, which stays until the next message is looked at. */
static struct peer *order_sender(struct endpoint *endpoint, const struct message *message)
{
    if (!peers_have_ways(&endpoint->peers))
        return NULL;
    lock_acquire(&endpoint->waiting->lock);
    struct peer *peer = peers_take_in_hand(&endpoint->peers, message->header.source);
    lock_release(&endpoint->waiting->lock);
    return peer;
}

/* Whether a port keeps a message that came by the common way. */
static bool order_keep(struct endpoint *endpoint, const struct peer *peer, struct message *message)
{
    return endpoint->under->keep(endpoint, peer, message) ||
           (endpoint_has_network(endpoint) && endpoint->far->hold_end(endpoint, message));
}

/* What came by a way under, from the task with this record. */
static void order_take_other(struct endpoint *endpoint, const struct peer *peer,
                             struct message *message, bool common)
{
    if ((endpoint_has_network(endpoint) && endpoint->far->hear_fence(endpoint, message)) ||
        endpoint->over->precede(endpoint, peer, message) ||
        (common && order_keep(endpoint, peer, message)))
        return;
    endpoint_take_one(endpoint, message);
}

bool order_take_due(struct endpoint *endpoint)
{
    bool common, happened = false;
    struct message *message;
    while ((message = endpoint->over->due(endpoint, &common)) != NULL) {
        order_take_other(endpoint, order_sender(endpoint, message), message, common);
        happened = true;
    }
    return happened;
}

void order_take_handed(struct endpoint *endpoint, struct message *message)
{
    const struct peer *sender = order_sender(endpoint, message);
    endpoint->over->come_first(endpoint);
    if (!endpoint->over->defer(endpoint, sender, message, false))
        order_take_other(endpoint, sender, message, false);
    order_take_due(endpoint);
}

/*
 * The daemon says that a task is over. Nothing more is taken of it if it is a task of this process
 * whose connection has ended. The word may also come of a notice that is taken back.
 */
static void order_silence(struct endpoint *endpoint, const struct message *message)
{
    struct engine *engine = endpoint->engine;
    uint32_t over = endpoint->owner.dialect->take_over(message);
    if (!endpoint_has_neighbours(endpoint) || over == ADDRESS_NONE)
        return;
    lock_acquire(&engine->waiting.lock);
    struct endpoint *neighbour = engine_find(engine, over);
    if (neighbour && neighbour->under->is_cut(neighbour))
        neighbour->silenced = true;
    lock_release(&engine->waiting.lock);
}

void order_take_all(struct endpoint *endpoint)
{
    endpoint->over->insist(endpoint, true);
    order_take_due(endpoint);
    endpoint->over->glance(endpoint, UINT_MAX);
    endpoint->over->insist(endpoint, false);
}

void order_take_in(struct endpoint *endpoint, struct message *arrived, uint32_t peer)
{
    uint32_t daemon = endpoint->owner.dialect->addressing.daemon;
    if (arrived)
        endpoint->over->come_first(endpoint);
    while (arrived) {
        struct message *message = arrived;
        arrived = message->next;
        message->next = NULL;
        if (peer != ADDRESS_NONE && message->header.source != peer) {
            endpoint->owner.dropped(endpoint->owner.owner,
                                    "dropped a message that came on the route of another task");
            message_free(message);
            continue;
        }
        if (order_put_aside(endpoint, message))
            continue;
        if (message->header.source == daemon && message->header.wait == 0) {
            order_silence(endpoint, message);
            order_take_all(endpoint);
        }
        const struct peer *sender = order_sender(endpoint, message);
        if (endpoint->over->defer(endpoint, sender, message, peer == ADDRESS_NONE))
            continue;
        order_take_other(endpoint, sender, message, peer == ADDRESS_NONE);
        order_take_due(endpoint);
    }
}
