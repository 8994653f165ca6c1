/* self.c - a message to this task: its own copy, which refers to the body, is taken in at once. */
#include "ck/ports/self/self.h"

#include <string.h>

#include "ck/endpoint/endpoint.h"
#include "ck/peers/host_message.h"

/* The own copy of a message to this task, with a reference to its body. NULL without memory. */
static struct message *self_copy(struct endpoint *endpoint, const struct message *message)
{
    const struct host_header header = host_header_of(&message->header);
    if (message_is_short(message, HOST_SHORT)) {
        unsigned char *body;
        struct message *copy = host_message_short(&endpoint->engine->messages, endpoint->own,
                                                  endpoint->own, &header, message->length, &body);
        if (copy && message->length > 0)
            memcpy(body, message->segments[0].data, message->length);
        return copy;
    }
    struct message *view = message_view_from(&endpoint->engine->messages, message);
    if (view && message_detach(view, false) < 0) {
        message_free(view);
        return NULL;
    }
    if (view)
        host_message_head(view, endpoint->own, endpoint->own, &header);
    return view;
}

/* What others have sent before comes first, as in 3.4.6, where the daemon brings the message. */
static int self_deliver(struct endpoint *endpoint, const struct message *message)
{
    struct message *copy = self_copy(endpoint, message);
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

const struct port port_self = {.deliver = self_deliver};
