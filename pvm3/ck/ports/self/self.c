/*
 * self.c - a message to this task, or to another one of its process: the receiver's own message,
 * which refers to the body, is taken in at once.
 */
#include "ck/ports/self/self.h"

#include <string.h>

#include "ck/endpoint/endpoint.h"
#include "ck/peers/host_message.h"

static struct message *self_copy_short(struct endpoint *endpoint, uint32_t destination,
                                       const struct message *message)
{
    const struct host_header header = host_header_of(&message->header);
    unsigned char *body;
    struct message *copy = host_message_short(&endpoint->engine->messages, endpoint->own,
                                              destination, &header, message->length, &body);
    if (copy && message->length > 0)
        memcpy(body, message->segments[0].data, message->length);
    return copy;
}

/* Shares the body, but for what lies in memory of the program. NULL without memory. */
static struct message *self_share(struct endpoint *endpoint, uint32_t destination,
                                  const struct message *message)
{
    const struct host_header header = host_header_of(&message->header);
    struct message *view = message_view_from(&endpoint->engine->messages, message);
    if (view && message_detach(view, false) < 0) {
        message_free(view);
        return NULL;
    }
    if (view)
        host_message_head(view, endpoint->own, destination, &header);
    return view;
}

/* The receiver's own message. NULL without memory. */
static struct message *self_copy(struct endpoint *endpoint, uint32_t destination,
                                 const struct message *message)
{
    return message_is_short(message, HOST_SHORT) ? self_copy_short(endpoint, destination, message)
                                                 : self_share(endpoint, destination, message);
}

/* What others have sent before comes first, as in 3.4.6, where the daemon brings the message. */
static int self_deliver(struct endpoint *endpoint, const struct message *message)
{
    struct message *copy = self_copy(endpoint, endpoint->own, message);
    if (!copy)
        return CK_NO_MEMORY;
    lock_acquire(&endpoint->waiting->lock);
    bool open = endpoint_enter(endpoint, true), taken = false;
    if (open) {
        endpoint_catch_up(endpoint);
        if (endpoint->owner.wants(endpoint->owner.owner, &copy->header)) {
            lock_release(&endpoint->waiting->lock);
            taken = endpoint->owner.intercept(endpoint->owner.owner, copy);
            lock_acquire(&endpoint->waiting->lock);
        }
        if (!taken)
            endpoint_deliver_locked(endpoint, copy);
        endpoint_leave(endpoint);
    }
    lock_release(&endpoint->waiting->lock);
    if (open)
        return 0;
    message_free(copy);
    return CK_LOST;
}

/* A body of its own, in memory that is the receiver's alone. */
static struct message *self_copy_long(struct endpoint *endpoint, uint32_t destination,
                                      const struct message *message)
{
    const struct host_header header = host_header_of(&message->header);
    struct message *copy = message_copy_from(&endpoint->engine->messages, message);
    if (copy)
        host_message_head(copy, endpoint->own, destination, &header);
    return copy;
}

/*
 * The message of one receiver. One that is not copied from a few bytes is made without the lock. Of
 * a multicast the first receiver's message lends its body to all.
 */
static struct message *self_copy_locked(struct endpoint *endpoint, uint32_t destination,
                                        const struct message *message, struct message **shared)
{
    const enum passing passing = engine_passing(endpoint->engine);
    if (passing != PASS_SHARED && message_is_short(message, HOST_SHORT))
        return self_copy_short(endpoint, destination, message);
    lock_release(&endpoint->waiting->lock);
    bool share = passing != PASS_COPIED;
    if (share && shared && !*shared)
        *shared = self_share(endpoint, destination, message);
    const struct message *body = share && shared ? *shared : message;
    struct message *copy = !share ? self_copy_long(endpoint, destination, message)
                           : body ? self_share(endpoint, destination, body)
                                  : NULL;
    lock_acquire(&endpoint->waiting->lock);
    return copy;
}

static int self_hand(struct endpoint *endpoint, struct endpoint *to, const struct message *message,
                     struct message **shared)
{
    uint32_t destination = to->own;
    struct message *copy = self_copy_locked(endpoint, destination, message, shared);
    if (!copy)
        return CK_NO_MEMORY;
    to = engine_find(endpoint->engine, destination);
    if (endpoint->silenced || !to || to->lost) { /* nobody is there any more */
        message_free(copy);
        return endpoint->silenced ? CK_LOST : 0;
    }
    handed_give(endpoint, to, copy);
    return 0;
}

const struct port port_self = {.deliver = self_deliver, .hand = self_hand};
