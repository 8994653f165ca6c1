/* life.c - how an endpoint begins and ends. */
#include <string.h>

#include "ck/endpoint/endpoint.h"
#include "ck/endpoint/order.h"
#include "ck/requests/request.h"

static void endpoint_errand(void *owner)
{
    struct endpoint *endpoint = owner;
    endpoint_send_receipts(endpoint);
    endpoint->owner.errand(endpoint->owner.owner);
}

/* A thread that waited has been relieved. With the lock. */
static void endpoint_left(void *owner)
{
    endpoint_leave(owner);
}

/* The parts of the ports. 0 or a negative errno; then there are none. */
static int endpoint_start_ports(struct endpoint *endpoint)
{
    int error = endpoint->under->start(endpoint);
    if (error < 0)
        return error;
    error = endpoint->over->start(endpoint);
    if (error < 0)
        endpoint->under->finish(endpoint);
    return error;
}

int endpoint_init(struct endpoint *endpoint, struct engine *engine,
                  const struct endpoint_owner *owner)
{
    memset(endpoint, 0, sizeof *endpoint);
    endpoint->engine = engine;
    endpoint->waiting = &engine->waiting;
    endpoint->self = engine->ports.self;
    endpoint->under = engine->ports.under;
    endpoint->over = engine->ports.over;
    endpoint->far = engine->ports.far;
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
    if (error == 0) {
        party_start(&endpoint->party, &engine->waiting, endpoint_errand, endpoint);
        endpoint->party.leave = endpoint_left;
    }
    return error;
}

void endpoint_destroy(struct endpoint *endpoint)
{
    party_finish(&endpoint->party);
    inbox_finish(&endpoint->inbox);
    peers_finish(&endpoint->peers);
    endpoint->over->finish(endpoint);
    endpoint->under->finish(endpoint);
}

/* What happens in between meets no leader (waiting_stand_still). Without the lock. */
static void endpoint_begin_change(struct endpoint *endpoint)
{
    lock_acquire(&endpoint->waiting->lock);
    waiting_stand_still(endpoint->waiting);
    lock_release(&endpoint->waiting->lock);
}

static void endpoint_end_change(struct endpoint *endpoint)
{
    lock_acquire(&endpoint->waiting->lock);
    waiting_move_on(endpoint->waiting);
    lock_release(&endpoint->waiting->lock);
}

/* The common way is there. With the lock. */
static void endpoint_begin(struct endpoint *endpoint)
{
    engine_enter(endpoint->engine, endpoint);
    endpoint->attached = true;
    endpoint->lost = endpoint->silenced = endpoint->mute = endpoint->aloof = false;
    endpoint->apart = endpoint->fenced = false;
    endpoint->gone = ADDRESS_NONE;
}

int endpoint_attach(struct endpoint *endpoint, int descriptor)
{
    endpoint_begin_change(endpoint);
    int error = endpoint->under->attach(endpoint, descriptor);
    if (error == 0) {
        endpoint->own = endpoint->owner.dialect->addressing.newcomer;
        lock_acquire(&endpoint->waiting->lock);
        endpoint_begin(endpoint);
        directory_expect(&endpoint->engine->directory);
        engine_admit(endpoint->engine);
        lock_release(&endpoint->waiting->lock);
    }
    endpoint_end_change(endpoint);
    return error;
}

/* From now on the tasks of its process find the endpoint, if none has sent to it before. Locked. */
static void endpoint_list(struct endpoint *endpoint)
{
    struct directory *directory = &endpoint->engine->directory;
    endpoint->open = true;
    endpoint->listed = !directory_has_passed(directory, endpoint->own);
    if (endpoint->listed)
        directory_enter(directory, endpoint);
    directory_expect_less(directory);
    handed_begin(endpoint);
}

void endpoint_open(struct endpoint *endpoint, uint32_t own, uint32_t host)
{
    endpoint_begin_change(endpoint);
    endpoint->own = endpoint->called = own;
    endpoint->over->open(endpoint);
    if (endpoint_has_neighbours(endpoint)) /* what they send is in inboxes, not in rings */
        engine_stock(endpoint->engine);
    lock_acquire(&endpoint->waiting->lock);
    struct message *early = endpoint->early;
    endpoint->early = NULL;
    endpoint->host = host;
    endpoint_list(endpoint);
    lock_release(&endpoint->waiting->lock);
    order_take_in(endpoint, early, ADDRESS_NONE);
    endpoint_end_change(endpoint);
}

bool endpoint_keep_common(struct endpoint *endpoint)
{
    endpoint_begin_change(endpoint);
    bool kept = endpoint->listed && endpoint->under->keep_common(endpoint);
    endpoint_end_change(endpoint);
    if (kept) /* those who join are its neighbours, as in endpoint_open */
        engine_stock(endpoint->engine);
    return kept;
}

/* With the lock, which is given up meanwhile. */
static void endpoint_open_over(struct endpoint *endpoint)
{
    waiting_stand_still(endpoint->waiting);
    lock_release(&endpoint->waiting->lock);
    endpoint->over->open(endpoint);
    lock_acquire(&endpoint->waiting->lock);
    waiting_move_on(endpoint->waiting);
}

bool endpoint_join(struct endpoint *endpoint, uint32_t own, uint32_t called,
                   const struct endpoint *beside)
{
    lock_acquire(&endpoint->waiting->lock);
    bool joined = endpoint->under->join(endpoint);
    if (joined) {
        endpoint->own = own;
        endpoint->called = called;
        endpoint_begin(endpoint); /* and so it is told if that way ends from now on */
        endpoint->aloof = endpoint->apart = called == ADDRESS_NONE;
        if (!endpoint->aloof && !endpoint->over->join(endpoint))
            endpoint_open_over(endpoint);
        endpoint->host = beside->host;
        endpoint->open = endpoint->listed = true; /* nobody can have known it before */
        directory_enter(&endpoint->engine->directory, endpoint);
        endpoint->seen = endpoint->engine->handed.arrivals;
    }
    lock_release(&endpoint->waiting->lock);
    return joined;
}

/* Nobody finds the endpoint any more. With the lock. */
static void endpoint_unlist(struct endpoint *endpoint)
{
    struct directory *directory = &endpoint->engine->directory;
    if (endpoint->listed)
        directory_leave(directory, endpoint);
    if (!endpoint->open)
        directory_expect_less(directory);
    endpoint->open = endpoint->listed = false;
}

static void messages_free(struct message **list)
{
    while (*list) {
        struct message *first = *list;
        *list = first->next;
        message_free(first);
    }
}

/* What is left in an endpoint that nobody uses and no leader sees. */
static void endpoint_discard(struct endpoint *endpoint)
{
    const struct pattern any = {
        .source = PATTERN_ANY_SOURCE, .tag = PATTERN_ANY, .context = PATTERN_ANY};
    struct message *message;
    while ((message = inbox_take(&endpoint->inbox, &any)) != NULL)
        endpoint->owner.discard(endpoint->owner.owner, message);
    messages_free(&endpoint->early);
    messages_free(&endpoint->kept);
    messages_free(&endpoint->receipts);
}

/* No leader sees the endpoint from now on. Still, with the lock. */
static void endpoint_withdraw_now(struct endpoint *endpoint)
{
    endpoint->under->withdraw(endpoint);
    endpoint->over->withdraw(endpoint);
    endpoint_unlist(endpoint);
    engine_leave(endpoint->engine, endpoint);
    endpoint_discard(endpoint);
    wait_descriptor_finish(&endpoint->wait_descriptor);
    endpoint->withdrawn = true;
}

/* The same. Who makes the leader stand still does it for all that wait for it. With the lock. */
static void endpoint_withdraw(struct endpoint *endpoint)
{
    struct engine *engine = endpoint->engine;
    endpoint->withdrawn = false;
    endpoint->leaving = engine->leaving;
    engine->leaving = endpoint;
    if (!waiting_stand_still_unless(endpoint->waiting, &endpoint->withdrawn))
        return;
    while (engine->leaving) {
        endpoint = engine->leaving;
        engine->leaving = endpoint->leaving;
        endpoint_withdraw_now(endpoint);
    }
    waiting_move_on(&engine->waiting);
}

void endpoint_detach(struct endpoint *endpoint)
{
    lock_acquire(&endpoint->waiting->lock);
    waiting_heed_jump(endpoint->waiting);
    bool attached = endpoint->attached;
    endpoint->attached = false;
    lock_release(&endpoint->waiting->lock);
    if (!attached)
        return;
    endpoint_lose(endpoint, CK_LOST);
    lock_acquire(&endpoint->waiting->lock);
    while (endpoint->users > 0)
        sleepers_sleep(&endpoint->waiting->changed, &endpoint->waiting->lock, NULL);
    request_settle_all(endpoint);
    while (peers_are_used(&endpoint->peers))
        sleepers_sleep(&endpoint->waiting->changed, &endpoint->waiting->lock, NULL);
    lock_release(&endpoint->waiting->lock);
    lock_acquire(&endpoint->waiting->lock);
    endpoint_withdraw(endpoint);
    lock_release(&endpoint->waiting->lock);
    if (endpoint_has_network(endpoint))
        endpoint->far->part(endpoint);
    endpoint->under->part(endpoint);
    endpoint->over->close(endpoint);
    endpoint->under->close(endpoint);
    endpoint->descriptor = -1;
    peers_sweep(&endpoint->peers);
    peers_finish(&endpoint->peers);
}

void endpoint_abandon(struct endpoint *endpoint)
{
    endpoint->attached = endpoint->open = endpoint->listed = false;
    endpoint->lost = true;
    party_abandon(&endpoint->party);
    endpoint_fail_receivers(endpoint, CK_LOST);
    endpoint_fail_examinations(endpoint, CK_LOST);
    wait_descriptor_finish(&endpoint->wait_descriptor);
    endpoint->under->abandon(endpoint);
    endpoint->over->abandon(endpoint);
    peers_abandon(&endpoint->peers);
}
