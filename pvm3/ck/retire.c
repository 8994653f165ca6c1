/* retire.c - how an endpoint leaves its process for another one, with all that has arrived. */
#include "ck/endpoint/endpoint.h"
#include "ck/endpoint/order.h"

/* What tasks of the process have handed over before is there. With the lock, which is given up. */
static void retire_await_handed(struct endpoint *endpoint)
{
    const struct handed *handed = &endpoint->engine->handed;
    const unsigned put = handed->put;
    do
        waiting_have_looked(&endpoint->party);
    while ((int)(handed->taken - put) < 0);
}

void endpoint_retire(struct endpoint *endpoint)
{
    struct waiting *waiting = endpoint->waiting;
    lock_acquire(&waiting->lock);
    waiting_heed_jump(waiting);
    while (endpoint->fenced && !endpoint->lost)
        sleepers_sleep(&waiting->changed, &waiting->lock, NULL);
    endpoint->aloof = endpoint->apart = true;
    while (endpoint->users > 0) /* who is amid handing over a long message */
        sleepers_sleep(&waiting->changed, &waiting->lock, NULL);
    retire_await_handed(endpoint);
    waiting_stand_still(waiting);
    lock_release(&waiting->lock);
    endpoint->over->retire(endpoint);
    lock_acquire(&waiting->lock);
    waiting_move_on(waiting);
    lock_release(&waiting->lock);
}

void endpoint_return(struct endpoint *endpoint)
{
    lock_acquire(&endpoint->waiting->lock);
    endpoint->apart = false;
    endpoint->fenced = true;
    handed_begin(endpoint);
    lock_release(&endpoint->waiting->lock);
}

void endpoint_open_fence(struct endpoint *endpoint)
{
    struct waiting *waiting = endpoint->waiting;
    lock_acquire(&waiting->lock);
    while (endpoint->kept) {
        struct message *message = endpoint->kept;
        endpoint->kept = message->next;
        message->next = NULL;
        handed_take(endpoint, message);
    }
    endpoint->fenced = false;
    sleepers_wake_all(&waiting->changed);
    lock_release(&waiting->lock);
}

bool endpoint_settle(struct endpoint *endpoint)
{
    struct waiting *waiting = endpoint->waiting;
    lock_acquire(&waiting->lock);
    waiting_heed_jump(waiting);
    retire_await_handed(endpoint);
    waiting_stand_still(waiting);
    lock_release(&waiting->lock);
    order_take_all(endpoint);
    bool settled = endpoint->over->settle(endpoint);
    taken_deliver(endpoint->engine);
    lock_acquire(&waiting->lock);
    waiting_move_on(waiting);
    lock_release(&waiting->lock);
    return settled;
}

void endpoint_show_arrived(struct endpoint *endpoint,
                           void (*see)(void *context, const struct message *message, bool let_in),
                           void *context)
{
    lock_acquire(&endpoint->waiting->lock);
    for (struct message *message = endpoint->inbox.arrived.first; message; message = message->next)
        see(context, message, true);
    for (struct message *message = endpoint->inbox.outside; message; message = message->next)
        see(context, message, false);
    lock_release(&endpoint->waiting->lock);
}

void endpoint_put_arrived(struct endpoint *endpoint, struct message *message, bool let_in)
{
    lock_acquire(&endpoint->waiting->lock);
    endpoint_deliver_locked(endpoint, message);
    while (let_in && inbox_let_in(&endpoint->inbox))
        continue;
    lock_release(&endpoint->waiting->lock);
}
