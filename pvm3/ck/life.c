/* life.c - how an endpoint begins and ends, and what its leader does in between. */
#include <stdlib.h>
#include <string.h>

#include "ck/endpoint.h"
#include "ck/order.h"
#include "ck/ports/list.h"
#include "core/tid.h"

/* Messages of all links in one glance. */
#define LINK_TURN 32

/* Glances that find messages of links, after which the other ways have their turn. */
#define TURN_OF_OTHERS 256

/* Looks, after which the sockets by which links are made and ended have theirs. */
#define TURN_OF_CALLS 64

/*
 * A message of a megabyte, which is long, takes up to so many chunks of a frame_reader: at least
 * three quarters of each, however its pieces come, and the next one.
 */
#define CHUNKS_KEPT 24

/* Whether it is time for the sockets by which links are made and ended. */
static bool endpoint_is_called(struct endpoint *endpoint)
{
    const void *roused = endpoint->waiting.roused;
    endpoint->waiting.roused = NULL;
    return roused == &endpoint->over || roused == &endpoint->waiting ||
           ++endpoint->looks % TURN_OF_CALLS == 0;
}

/* The leader's look at all but the rings. */
static bool endpoint_look(void *owner)
{
    struct endpoint *endpoint = owner;
    if (endpoint_is_called(endpoint) && endpoint->over->serve(endpoint))
        return true;
    return endpoint->under->look(endpoint);
}

/* Its glance at the rings. While messages keep coming there it makes hardly any system call. */
static bool endpoint_glance(void *owner)
{
    struct endpoint *endpoint = owner;
    bool happened = endpoint->over->glance(endpoint, LINK_TURN);
    if (endpoint->over->has_deferred(endpoint))
        happened |= order_take_due(endpoint);
    if (happened && ++endpoint->glances % TURN_OF_OTHERS == 0)
        endpoint_look(endpoint);
    return happened;
}

static bool endpoint_sleep(void *owner, bool asleep)
{
    struct endpoint *endpoint = owner;
    return endpoint->over->sleep(endpoint, asleep);
}

static bool endpoint_tidy(void *owner, bool idle)
{
    struct endpoint *endpoint = owner;
    return endpoint->over->tidy(endpoint, idle);
}

static void endpoint_errand(void *owner)
{
    struct endpoint *endpoint = owner;
    endpoint->owner.errand(endpoint->owner.owner);
}

int endpoint_init(struct endpoint *endpoint, const struct endpoint_owner *owner)
{
    const struct waiting_work work = {.look = endpoint_look,
                                      .glance = endpoint_glance,
                                      .errand = endpoint_errand,
                                      .sleeping = endpoint_sleep,
                                      .tidy = endpoint_tidy,
                                      .owner = endpoint};
    memset(endpoint, 0, sizeof *endpoint);
    pool_start(&endpoint->chunks, CHUNKS_KEPT);
    pool_start(&endpoint->messages, POOL_MOST);
    pool_start(&endpoint->receivings, POOL_MOST);
    endpoint->under = port_list.under;
    endpoint->over = port_list.over;
    endpoint->owner = *owner;
    endpoint->lost = true;
    atomic_init(&endpoint->routing, ROUTING_GRANTED);
    atomic_init(&endpoint->sends_watch, false);
    inbox_start(&endpoint->inbox);
    wait_descriptor_start(&endpoint->wait_descriptor);
    endpoint->under->start(endpoint);
    endpoint->over->start(endpoint);
    return waiting_init(&endpoint->waiting, &work);
}

void endpoint_destroy(struct endpoint *endpoint)
{
    waiting_destroy(&endpoint->waiting);
    endpoint->under->finish(endpoint);
    inbox_finish(&endpoint->inbox);
    endpoint->over->finish(endpoint);
    pool_finish(&endpoint->messages, message_discard);
    pool_finish(&endpoint->receivings, free);
    pool_finish(&endpoint->chunks, free);
}

void endpoint_share(struct endpoint *endpoint, size_t limit, int64_t one_copy)
{
    endpoint->shm.one_copy = one_copy;
    endpoint->shm.arena.limit = limit;
}

int endpoint_attach(struct endpoint *endpoint, int descriptor)
{
    int error = stream_port_open(&endpoint->port, descriptor, endpoint->waiting.epoll);
    if (error < 0)
        return error;
    stream_port_use_pools(&endpoint->port, &endpoint->chunks, &endpoint->messages);
    lock_acquire(&endpoint->waiting.lock);
    endpoint->attached = true;
    endpoint->open = false;
    endpoint->lost = endpoint->port_ended = false;
    endpoint->gone = 0;
    lock_release(&endpoint->waiting.lock);
    return 0;
}

void endpoint_open(struct endpoint *endpoint, uint32_t own, uint32_t host)
{
    endpoint->own = own;
    endpoint->over->open(endpoint);
    lock_acquire(&endpoint->waiting.lock);
    struct message *early = endpoint->early;
    endpoint->early = NULL;
    endpoint->host = host;
    endpoint->open = true;
    waiting_begin_look(&endpoint->waiting);
    lock_release(&endpoint->waiting.lock);
    order_take_in(endpoint, early, 0);
    lock_acquire(&endpoint->waiting.lock);
    waiting_end_look(&endpoint->waiting);
    lock_release(&endpoint->waiting.lock);
}

void endpoint_detach(struct endpoint *endpoint)
{
    lock_acquire(&endpoint->waiting.lock);
    waiting_heed_jump(&endpoint->waiting);
    bool attached = endpoint->attached;
    endpoint->attached = false;
    lock_release(&endpoint->waiting.lock);
    if (!attached)
        return;
    endpoint_lose(endpoint, CK_LOST);
    lock_acquire(&endpoint->waiting.lock);
    waiting_settle(&endpoint->waiting);
    while (endpoint->users > 0)
        lock_wait(&endpoint->waiting.lock, &endpoint->waiting.changed, NULL);
    const struct pattern any = {.source = TID_ANY, .tag = PATTERN_ANY, .context = PATTERN_ANY};
    struct message *message;
    while ((message = inbox_take(&endpoint->inbox, &any)) != NULL)
        endpoint->owner.discard(endpoint->owner.owner, message);
    wait_descriptor_finish(&endpoint->wait_descriptor);
    lock_release(&endpoint->waiting.lock);
    while (endpoint->early) {
        message = endpoint->early;
        endpoint->early = message->next;
        message_free(message);
    }
    endpoint->under->part(endpoint);
    endpoint->over->close(endpoint);
    endpoint->under->close(endpoint);
}

void endpoint_abandon(struct endpoint *endpoint)
{
    endpoint->attached = endpoint->open = false;
    endpoint->lost = true;
    waiting_abandon(&endpoint->waiting); /* so no thread is woken that the child does not have */
    endpoint_fail_receivers(endpoint, CK_LOST);
    endpoint_fail_examinations(endpoint, CK_LOST);
    wait_descriptor_finish(&endpoint->wait_descriptor);
    endpoint->under->abandon(endpoint);
    endpoint->over->abandon(endpoint);
}
