/* ucx.c - how the port begins and ends with its engine and its endpoints, and its table. */
#include "ck/ports/ucx/ucx.h"

#include <poll.h>
#include <stddef.h>
#include <time.h>

#include "ck/base/descriptor.h"
#include "ck/ports/ucx/ucx_meet.h"
#include "ck/ports/ucx/ucx_take.h"

/*
 * Milliseconds for which a task that leaves waits, at most, until its peers have read what it has
 * sent. If it goes before, and a peer has sent it something that nobody reads, the system may take
 * back what is underway to this peer.
 */
#define UCX_PARTING 1000

static void ucx_end(struct engine *engine)
{
    if (engine->far_part)
        ucx_network_free(engine->far_part);
    engine->far_part = NULL;
}

static void ucx_hold(struct engine *engine, bool held)
{
    struct ucx_network *network = ucx_network_of(engine);
    if (held)
        lock_acquire(&network->lock);
    else
        lock_release(&network->lock);
}

/* What UCX has is the parent's: the child touches nothing of it. With the lock of the network. */
static void ucx_forsake(struct engine *engine)
{
    struct ucx_network *network = ucx_network_of(engine);
    network->worker = NULL;
    network->context = NULL;
    network->address = NULL;
    for (struct ucx_link *link = network->links; link; link = link->next) {
        link->ep = NULL;
        link->request = NULL;
    }
    descriptor_close(&network->alarm);
    atomic_store(&network->state, UCX_ABSENT);
}

static struct way *ucx_current(const struct endpoint *endpoint, const struct peer *peer)
{
    struct ucx_link *link = ucx_link_to(peer);
    (void)endpoint;
    return link && link->state == UCX_LINK_ENGAGED ? &link->way : NULL;
}

static bool ucx_serves(const struct peer *peer)
{
    const struct ucx_link *link = ucx_link_to(peer);
    return link && link->state != UCX_LINK_REFUSED && !link->late;
}

static void ucx_fail(struct endpoint *endpoint, struct way *way)
{
    struct ucx_link *link =
        (struct ucx_link *)(void *)((char *)way - offsetof(struct ucx_link, way));
    lock_acquire(&endpoint->waiting->lock);
    if (link->state == UCX_LINK_ENGAGED)
        link->state = UCX_LINK_NEW;
    lock_release(&endpoint->waiting->lock);
}

static bool ucx_sleep(struct engine *engine, enum nap nap)
{
    struct ucx_network *network = ucx_network_of(engine);
    if (nap == NAP_NONE || !ucx_network_is_there(network))
        return false;
    lock_acquire(&network->lock);
    bool armed = ucx_network_arm(network);
    lock_release(&network->lock);
    return !armed;
}

static void ucx_take_word(struct endpoint *endpoint, const struct message *message)
{
    enum word word = dialect_word(endpoint->owner.dialect, &message->header);
    if (word == WORD_CARD)
        ucx_take_card(endpoint, message);
    else if (word == WORD_OVER)
        ucx_take_over(endpoint, message);
}

/* Leaving. ------------------------------------------------------------------------------------- */

/* The next link of an endpoint by which something is queued: what is taken off fails. */
static struct outgoing *ucx_next_queued(struct ucx_network *network,
                                        const struct endpoint *endpoint)
{
    struct outgoing *queued = NULL;
    lock_acquire(&network->lock);
    for (struct ucx_link *link = network->links; link && !queued; link = link->next)
        if (link->owner == endpoint && link->first)
            queued = ucx_link_take_queued(link);
    lock_release(&network->lock);
    return queued;
}

static void ucx_lose(struct endpoint *endpoint)
{
    struct ucx_network *network = ucx_network_of(endpoint->engine);
    struct outgoing *queued;
    while ((queued = ucx_next_queued(network, endpoint)) != NULL) {
        lock_acquire(&endpoint->waiting->lock);
        endpoint_finish_outgoing(endpoint, queued);
        lock_release(&endpoint->waiting->lock);
    }
}

/* With the lock of the network, as what follows. */
static bool ucx_is_awaited(const struct ucx_link *link, const struct endpoint *endpoint)
{
    return link->owner == endpoint && link->ep && !link->broken && !link->bye && !link->heard;
}

static void ucx_say_goodbye(struct ucx_network *network, const struct endpoint *endpoint)
{
    for (struct ucx_link *link = network->links; link; link = link->next)
        if (ucx_is_awaited(link, endpoint))
            ucx_link_say(link, UCX_BYE);
}

static bool ucx_awaits_peers(const struct ucx_network *network, const struct endpoint *endpoint)
{
    const struct ucx_link *link = network->links;
    while (link && !ucx_is_awaited(link, endpoint))
        link = link->next;
    return link;
}

static int64_t ucx_milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Until peers have heard that this task leaves. The lock is given up in between. */
static void ucx_await_peers(struct ucx_network *network, const struct endpoint *endpoint)
{
    const int64_t end = ucx_milliseconds() + UCX_PARTING;
    int64_t left = UCX_PARTING;
    while (left > 0 && ucx_awaits_peers(network, endpoint)) {
        struct pollfd set = {.fd = network->descriptor, .events = POLLIN};
        bool happened = ucx_network_progress(network);
        ucx_sift(network, endpoint);
        if (!happened && network->calls.worker_arm(network->worker) != UCS_ERR_BUSY) {
            lock_release(&network->lock);
            poll(&set, 1, (int)left);
            lock_acquire(&network->lock);
        }
        left = end - ucx_milliseconds();
    }
}

/* Ends all links of an endpoint, which no thread uses any more. */
static void ucx_retire_all(struct endpoint *endpoint)
{
    struct peer *peer = NULL;
    lock_acquire(&endpoint->waiting->lock);
    while ((peer = peers_next(&endpoint->peers, peer)) != NULL)
        if (ucx_link_to(peer))
            peers_retire(&endpoint->peers, ROLE_FAR, &ucx_link_to(peer)->entry);
    lock_release(&endpoint->waiting->lock);
}

static void ucx_part(struct endpoint *endpoint)
{
    struct ucx_network *network = ucx_network_of(endpoint->engine);
    if (ucx_network_is_there(network)) {
        lock_acquire(&network->lock);
        ucx_say_goodbye(network, endpoint);
        ucx_await_peers(network, endpoint);
        lock_release(&network->lock);
        ucx_network_clear(network);
    }
    ucx_retire_all(endpoint);
}

const struct port port_ucx = {
    .make = ucx_network_make,
    .end = ucx_end,
    .hold = ucx_hold,
    .forsake = ucx_forsake,
    .offer = ucx_offer,
    .current = ucx_current,
    .serves = ucx_serves,
    .engage = ucx_engage,
    .fail = ucx_fail,
    .look = ucx_look,
    .sleep = ucx_sleep,
    .hear_fence = ucx_precede,
    .hold_end = ucx_keep,
    .take_word = ucx_take_word,
    .lose = ucx_lose,
    .part = ucx_part,
};
