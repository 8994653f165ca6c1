/* at_once.c - the short way of messages within a process (endpoint.h). */
#include "ck/endpoint/endpoint.h"

struct message *endpoint_make_short(struct endpoint *endpoint, uint32_t destination,
                                    const struct message *message)
{
    if (destination == endpoint->own)
        endpoint_fetch(endpoint);
    else if (!endpoint_has_neighbours(endpoint))
        return NULL;
    return endpoint->self->make_short(endpoint, destination, message);
}

/*
 * Whether a message of the task to itself comes behind what others have sent it before: a thread of
 * the task leads, and takes in what comes.
 */
static bool endpoint_is_looked_at(const struct endpoint *endpoint)
{
    const struct waiting *waiting = endpoint->waiting;
    return waiting_is_led(waiting) && waiting->leader->party == &endpoint->party &&
           !waiting->still && !waiting_may_have_jumped(waiting);
}

/* Who is to have the message at once; NULL: nobody. With the lock. */
static struct endpoint *endpoint_find_receiver(struct endpoint *endpoint,
                                               const struct message_header *header)
{
    struct endpoint *to = endpoint;
    if (endpoint->lost || !endpoint->open || endpoint->silenced ||
        dialect_word(endpoint->owner.dialect, header) != WORD_NONE)
        return NULL;
    if (header->destination == endpoint->own) {
        if (!endpoint_is_looked_at(endpoint))
            return NULL;
    } else {
        to = endpoint_neighbour(endpoint, header->destination);
        if (!to || to->lost || to->fenced || endpoint_lets_in_by_send(endpoint) ||
            !handed_is_in_order(to))
            return NULL;
    }
    bool simple = to->wait_descriptor.set < 0 && !to->owner.wants(to->owner.owner, header);
    return simple ? to : NULL;
}

bool endpoint_hand_at_once(struct endpoint *endpoint, struct message *message)
{
    lock_acquire(&endpoint->waiting->lock);
    struct endpoint *to = endpoint_find_receiver(endpoint, &message->header);
    if (to == endpoint)
        inbox_let_in(&endpoint->inbox);
    else if (to)
        endpoint->sends_blind++;
    if (to)
        endpoint_deliver_locked(to, message);
    lock_release(&endpoint->waiting->lock);
    return to != NULL;
}
