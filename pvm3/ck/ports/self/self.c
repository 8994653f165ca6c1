/*
 * self.c - a message to this task, or to another one of its process: the receiver's own message,
 * which refers to the body, is taken in at once.
 */
#include "ck/ports/self/self.h"

#include "ck/endpoint/endpoint.h"
#include "ck/peers/host_message.h"
#include "core/one_thread.h"
#include "core/signature.h"

/* The header of a message as it arrives, which has not been a host_header in between. */
static void self_head(struct message *copy, uint32_t source, uint32_t destination,
                      const struct message_header *header)
{
    copy->header = *header;
    if (header->encoding == MESSAGE_IN_PLACE)
        copy->header.encoding = signature_native();
    if (header->longs != MESSAGE_LONGS_NEGATIVE)
        copy->header.longs = MESSAGE_LONGS_UNKNOWN;
    copy->header.unmeasured = 0;
    copy->header.source = source;
    copy->header.destination = destination;
}

static struct message *self_copy_short(struct endpoint *endpoint, uint32_t destination,
                                       const struct message *message)
{
    struct message *copy =
        message_new_from(&endpoint->engine->messages, message->header.encoding, message->fragment);
    if (!copy)
        return NULL;
    if (message->length > 0 &&
        message_append_copy(copy, message->segments[0].data, message->length) < 0) {
        message_free(copy);
        return NULL;
    }
    self_head(copy, endpoint->own, destination, &message->header);
    return copy;
}

/* One of a task to itself is copied even where others are not. */
static bool self_copies(const struct endpoint *endpoint, uint32_t destination,
                        const struct message *message)
{
    return message_is_short(message, HOST_SHORT) &&
           (destination == endpoint->own || engine_passing(endpoint->engine) != PASS_SHARED);
}

static struct message *self_make_short(struct endpoint *endpoint, uint32_t destination,
                                       const struct message *message)
{
    return self_copies(endpoint, destination, message)
               ? self_copy_short(endpoint, destination, message)
               : NULL;
}

/* Shares the body, but for what lies in memory of the program. NULL without memory. */
static struct message *self_share(struct endpoint *endpoint, uint32_t destination,
                                  const struct message *message)
{
    struct message *view = message_view_from(&endpoint->engine->messages, message);
    if (view && message_detach(view, false) < 0) {
        message_free(view);
        return NULL;
    }
    if (view)
        self_head(view, endpoint->own, destination, &message->header);
    return view;
}

/* The receiver's own message. NULL without memory. */
static struct message *self_copy(struct endpoint *endpoint, uint32_t destination,
                                 const struct message *message)
{
    return self_copies(endpoint, destination, message)
               ? self_copy_short(endpoint, destination, message)
               : self_share(endpoint, destination, message);
}

/* What others have sent before comes first, as in 3.4.6, where the daemon brings the message. */
static int self_deliver(struct endpoint *endpoint, const struct message *message)
{
    if (!process_has_one_thread())
        endpoint_fetch(endpoint);
    struct message *copy = self_copy(endpoint, endpoint->own, message);
    if (!copy)
        return CK_NO_MEMORY;
    lock_acquire(&endpoint->waiting->lock);
    bool open = endpoint_enter(endpoint, true);
    if (open) {
        endpoint_catch_up(endpoint);
        handed_take(endpoint, copy);
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
    struct message *copy = message_copy_from(&endpoint->engine->messages, message);
    if (copy)
        self_head(copy, endpoint->own, destination, &message->header);
    return copy;
}

/*
 * The message of one receiver that is not copied from a few bytes. Of a multicast the first
 * receiver's message lends its body to all. Without the lock.
 */
static struct message *self_pass_long(struct endpoint *endpoint, uint32_t destination,
                                      const struct message *message, struct message **shared)
{
    if (engine_passing(endpoint->engine) == PASS_COPIED)
        return self_copy_long(endpoint, destination, message);
    if (shared && !*shared)
        *shared = self_share(endpoint, destination, message);
    const struct message *body = shared ? *shared : message;
    return body ? self_share(endpoint, destination, body) : NULL;
}

/* With the lock, which is given up for a message that is not short: the receiver stays meanwhile. */
static struct message *self_pass(struct endpoint *endpoint, struct endpoint *to,
                                 const struct message *message, struct message **shared)
{
    if (self_copies(endpoint, to->own, message))
        return self_copy_short(endpoint, to->own, message);
    to->users++;
    lock_release(&endpoint->waiting->lock);
    struct message *copy = self_pass_long(endpoint, to->own, message, shared);
    lock_acquire(&endpoint->waiting->lock);
    endpoint_leave(to);
    return copy;
}

static int self_hand(struct endpoint *endpoint, struct endpoint *to, const struct message *message,
                     struct message **shared)
{
    struct message *copy = self_pass(endpoint, to, message, shared);
    if (!copy)
        return CK_NO_MEMORY;
    if (endpoint->silenced || to->lost) { /* nobody is there any more */
        message_free(copy);
        return endpoint->silenced ? CK_LOST : 0;
    }
    handed_give(endpoint, to, copy);
    return 0;
}

const struct port port_self = {
    .make_short = self_make_short, .deliver = self_deliver, .hand = self_hand};
