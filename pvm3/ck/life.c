/* life.c - how an endpoint begins and ends, and what its leader does in between. */
#include <stdlib.h>
#include <string.h>

#include "ck/endpoint.h"
#include "ck/order.h"
#include "ck/ports/list.h"
#include "ck/request.h"
#include "ck/way.h"
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

/* Frees ways that have ended; the leader, who is amid none. */
static void endpoint_sweep(struct endpoint *endpoint)
{
    if (!peers_are_unswept(&endpoint->peers))
        return;
    lock_acquire(&endpoint->waiting.lock);
    peers_sweep(&endpoint->peers);
    lock_release(&endpoint->waiting.lock);
}

/* The leader's look at all that a glance does not see. */
static bool endpoint_look(void *owner)
{
    struct endpoint *endpoint = owner;
    bool happened = endpoint_is_called(endpoint) && endpoint->over->serve(endpoint);
    if (!happened)
        happened = endpoint->under->look(endpoint);
    endpoint_sweep(endpoint);
    return happened;
}

/* Its glance. While messages keep coming by links it makes hardly any system call. */
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
    endpoint_sweep(endpoint);
    return endpoint->over->tidy(endpoint, idle);
}

static void endpoint_errand(void *owner)
{
    struct endpoint *endpoint = owner;
    endpoint->owner.errand(endpoint->owner.owner);
}

/* The parts of the ports. 0 or a negative errno; then there are none. */
static int endpoint_start_ports(struct endpoint *endpoint)
{
    endpoint->self = port_list.self;
    endpoint->under = port_list.under;
    endpoint->over = port_list.over;
    int error = endpoint->under->start(endpoint);
    if (error < 0)
        return error;
    error = endpoint->over->start(endpoint);
    if (error < 0)
        endpoint->under->finish(endpoint);
    return error;
}

static void endpoint_finish_ports(struct endpoint *endpoint)
{
    endpoint->over->finish(endpoint);
    endpoint->under->finish(endpoint);
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
    pool_start(&endpoint->requests, POOL_MOST);
    endpoint->owner = *owner;
    endpoint->lost = true;
    endpoint->descriptor = -1;
    atomic_init(&endpoint->routing, ROUTING_GRANTED);
    atomic_init(&endpoint->sends_watch, false);
    atomic_init(&endpoint->unheeded, 0);
    inbox_start(&endpoint->inbox);
    wait_descriptor_start(&endpoint->wait_descriptor);
    peers_start(&endpoint->peers);
    int error = endpoint_start_ports(endpoint);
    if (error < 0)
        return error;
    error = waiting_init(&endpoint->waiting, &work);
    if (error < 0)
        endpoint_finish_ports(endpoint);
    return error;
}

void endpoint_destroy(struct endpoint *endpoint)
{
    waiting_destroy(&endpoint->waiting);
    inbox_finish(&endpoint->inbox);
    peers_finish(&endpoint->peers);
    endpoint_finish_ports(endpoint);
    pool_finish(&endpoint->messages, message_discard);
    pool_finish(&endpoint->requests, free);
    pool_finish(&endpoint->chunks, free);
}

void endpoint_share(struct endpoint *endpoint, size_t limit, int64_t one_copy)
{
    endpoint->over->share(endpoint, limit, one_copy);
}

int endpoint_attach(struct endpoint *endpoint, int descriptor)
{
    int error = endpoint->under->attach(endpoint, descriptor);
    if (error < 0)
        return error;
    endpoint->descriptor = descriptor;
    lock_acquire(&endpoint->waiting.lock);
    endpoint->attached = true;
    endpoint->open = false;
    endpoint->lost = false;
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
        sleepers_sleep(&endpoint->waiting.changed, &endpoint->waiting.lock, NULL);
    request_settle_all(endpoint);
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
    endpoint->descriptor = -1;
    peers_sweep(&endpoint->peers);
    peers_finish(&endpoint->peers);
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
    peers_abandon(&endpoint->peers);
}
