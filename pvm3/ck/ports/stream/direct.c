/* direct.c - asking for, granting, using and losing direct routes. */
#include "ck/ports/stream/direct.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "ck/endpoint/order.h"
#include "core/environment.h"

#define NAME_TRIES 10

/* States. -------------------------------------------------------------------------------------- */

/* Wakes the threads that wait for the route. With the lock. */
static void direct_wake(struct endpoint *endpoint, struct route *route)
{
    while (route->settlers) {
        struct settler *settler = route->settlers;
        route->settlers = settler->next;
        settler->waiter.done = true;
        waiting_wake(endpoint->waiting, &settler->waiter);
    }
}

/*
 * Gives the route a state, and wakes the threads that waited for it to be settled. After the
 * endpoint was lost no route opens any more. With the lock.
 */
static void direct_settle(struct endpoint *endpoint, struct route *route, enum route_state state)
{
    route->state = state == ROUTE_OPEN && endpoint->lost ? ROUTE_BROKEN : state;
    route->descriptor = state == ROUTE_GRANTED || state == ROUTE_OPEN ? route->port.descriptor : -1;
    if (route_is_settled(route))
        direct_wake(endpoint, route);
}

/* Like direct_settle, by the leader, who tells the owner of a route that has a descriptor. */
static void direct_change(struct endpoint *endpoint, struct route *route, enum route_state state)
{
    lock_acquire(&endpoint->waiting->lock);
    direct_settle(endpoint, route, state);
    int descriptor = route->descriptor;
    lock_release(&endpoint->waiting->lock);
    if (descriptor >= 0)
        endpoint->owner.routed(endpoint->owner.owner, route->peer, descriptor);
}

/* A forked child may have the socket, too: so closing it does not take it out of the set. */
static void direct_unwatch(struct endpoint *endpoint, struct route *route)
{
    if (!route->watched)
        return;
    route->watched = false;
    epoll_ctl(endpoint->waiting->epoll, EPOLL_CTL_DEL, route->port.descriptor, NULL);
    stream_of(endpoint)->watched--;
}

/* Enters a route into the record of its peer. With the lock. */
static void direct_enter(struct endpoint *endpoint, struct peer *peer, struct route *route)
{
    route->port.owner = endpoint;
    peers_enter(&endpoint->peers, peer, ROLE_UNDER, &route->entry);
    atomic_fetch_add(&stream_of(endpoint)->routes, 1);
}

/* Takes it out of there. It goes when nobody uses the peer. With the lock. */
static void direct_remove(struct endpoint *endpoint, struct route *route)
{
    peers_retire(&endpoint->peers, ROLE_UNDER, &route->entry);
    atomic_fetch_sub(&stream_of(endpoint)->routes, 1);
}

/* The route ends; messages to the peer go through the daemon. */
static void direct_end(struct endpoint *endpoint, struct route *route)
{
    bool was_open = route->state == ROUTE_OPEN || route->state == ROUTE_BROKEN;
    struct message *held = route->held;
    route->held = NULL;
    if (was_open)
        endpoint_cut(endpoint, &route->port.way);
    direct_unwatch(endpoint, route);
    if (was_open) /* a peer that still lives sees the end now; the socket goes with its last user */
        shutdown(route->port.descriptor, SHUT_RDWR);
    else
        route_close(route);
    lock_acquire(&endpoint->waiting->lock);
    direct_settle(endpoint, route, ROUTE_DENIED);
    direct_remove(endpoint, route);
    lock_release(&endpoint->waiting->lock);
    if (was_open)
        endpoint->owner.routed(endpoint->owner.owner, route->peer, -1);
    order_take_in(endpoint, held, ADDRESS_NONE);
}

/* What is sent about routes. ------------------------------------------------------------------- */

static struct message *direct_offer(const struct endpoint *endpoint, const struct route *route,
                                    char *address)
{
    struct offer offer = {.address = address, .secretive = route->secret_made};
    if (offer.secretive)
        memcpy(offer.secret, route->secret, sizeof offer.secret);
    return endpoint->owner.dialect->offer(&offer);
}

/* `route` is NULL when none is granted. */
static struct message *direct_answer(const struct endpoint *endpoint, const struct route *route,
                                     char *address)
{
    const struct answer answer = {
        .granted = route, .address = address, .secretive = route && route->secret_said};
    return endpoint->owner.dialect->answer(&answer);
}

/* `message` to the peer and, with `watch`, the request for word of its end behind it. */
static struct unattended *direct_letter(const struct endpoint *endpoint, uint32_t peer,
                                        struct message *message, bool watch)
{
    const struct dialect *dialect = endpoint->owner.dialect;
    struct message *messages[2] = {message, watch ? dialect->watch(peer) : NULL};
    const uint32_t destinations[2] = {peer, dialect->addressing.daemon};
    return endpoint_prepare(messages, destinations, watch ? 2 : 1);
}

/* Asking. -------------------------------------------------------------------------------------- */

/* A bound socket, of the kind that reaches `peer`. 0 or a negative errno. */
static int direct_bind(struct endpoint *endpoint, struct route *route, bool unix_socket,
                       char address[OFFER_ADDRESS_SIZE])
{
    char path[ENVIRONMENT_PATH_SIZE];
    if (!unix_socket)
        return route_bind(route, NULL, endpoint->host, address);
    int error = -ENAMETOOLONG;
    for (int tries = 0; tries < NAME_TRIES; tries++) {
        if (!endpoint->owner.name(endpoint->owner.owner, path))
            return error;
        error = route_bind(route, path, 0, address);
        if (error != -EADDRINUSE)
            break;
    }
    return error;
}

/* Enters a route unless there is one to its peer. False then, or without memory. */
static bool direct_add(struct endpoint *endpoint, struct route *route)
{
    lock_acquire(&endpoint->waiting->lock);
    struct peer *peer = peers_make(&endpoint->peers, route->peer);
    bool absent = peer && !route_to(peer);
    if (absent)
        direct_enter(endpoint, peer, route);
    lock_release(&endpoint->waiting->lock);
    return absent;
}

/*
 * Asks `peer` for a route. A route that cannot be asked for is denied from the start. Without
 * memory there is no route this time.
 */
static void direct_request(struct endpoint *endpoint, uint32_t peer)
{
    char address[OFFER_ADDRESS_SIZE];
    struct route *route = route_new(peer, ROUTE_REQUESTED);
    if (!route)
        return;
    struct unattended *letter = NULL;
    bool here = endpoint->owner.dialect->addressing.on_one_host(peer, endpoint->own);
    if (!here)
        route_make_secret(route);
    if (direct_bind(endpoint, route, here, address) == 0)
        letter = direct_letter(endpoint, peer, direct_offer(endpoint, route, address), true);
    if (!letter)
        route->state = ROUTE_DENIED;
    if (!direct_add(endpoint, route)) {
        route_free(route);
        endpoint_drop(letter);
    } else if (letter) {
        endpoint_send_unattended(endpoint, letter);
    }
}

/* Waits until the route, which may be gone then, is settled. With the lock. */
static void direct_await(struct endpoint *endpoint, struct route *route)
{
    struct settler settler = {.next = route->settlers};
    route->settlers = &settler;
    waiting_wait(&endpoint->party, &settler.waiter, NULL);
    endpoint_rest(endpoint);
}

int direct_find(struct endpoint *endpoint, struct peer *peer, bool ask, struct way **way)
{
    const struct route *route;
    int result = 0;
    lock_acquire(&endpoint->waiting->lock);
    for (;;) {
        route = route_to(peer);
        if (endpoint->lost) {
            result = CK_LOST;
            break;
        }
        if (route && !route_is_settled(route)) {
            direct_await(endpoint, route_to(peer));
            continue;
        }
        if (route || !ask)
            break;
        ask = false;
        lock_release(&endpoint->waiting->lock);
        direct_request(endpoint, peer->address);
        lock_acquire(&endpoint->waiting->lock);
    }
    *way = direct_current(endpoint, peer);
    lock_release(&endpoint->waiting->lock);
    return result;
}

struct way *direct_current(const struct endpoint *endpoint, const struct peer *peer)
{
    struct route *route = route_to(peer);
    if (!route || route->state > ROUTE_OPEN)
        return endpoint->common;
    return route->state == ROUTE_OPEN ? &route->port.way : NULL;
}

void direct_fail(struct endpoint *endpoint, struct way *way)
{
    struct route *route = route_of(way);
    lock_acquire(&endpoint->waiting->lock);
    if (route->state == ROUTE_OPEN)
        route->state = ROUTE_BROKEN;
    lock_release(&endpoint->waiting->lock);
}

/* Granting. ------------------------------------------------------------------------------------ */

/* No route to this peer, now and later, unless the peer asks for one. */
static void direct_give_up(struct endpoint *endpoint, struct route *route)
{
    direct_unwatch(endpoint, route);
    route_close(route);
    direct_change(endpoint, route, ROUTE_DENIED);
}

/*
 * The entry for a peer that asks, made ready to be granted, with what the answer depends on; NULL
 * when the request is to be denied, or with *ignored to be ignored.
 */
static struct route *direct_admit(struct endpoint *endpoint, uint32_t address, bool *ignored)
{
    struct route *fresh = route_new(address, ROUTE_GRANTED);
    lock_acquire(&endpoint->waiting->lock);
    struct peer *peer = peers_make(&endpoint->peers, address);
    struct route *route = peer ? route_to(peer) : NULL;
    bool crossed = route && route->state == ROUTE_REQUESTED;
    bool absent = !route || route->state == ROUTE_DENIED;
    /*
     * Both have asked: the task with the higher address grants, and the request of the task with
     * the lower address counts.
     */
    *ignored = crossed && endpoint->own < address;
    if (*ignored || !(crossed || absent) || (!route && !(fresh && peer)) ||
        (absent && (endpoint->unrouted || atomic_load(&endpoint->routing) == ROUTING_NEVER))) {
        route = NULL;
    } else if (route) {
        route->state = ROUTE_GRANTED;
    } else {
        direct_enter(endpoint, peer, fresh);
        route = fresh;
    }
    lock_release(&endpoint->waiting->lock);
    if (fresh && route != fresh)
        route_free(fresh);
    return route;
}

/*
 * Listens for the socket with the address `from`, which will say `secret` unless it is NULL.
 * Returns the answer, or NULL when the route cannot be made.
 */
static struct unattended *direct_invite(struct endpoint *endpoint, struct route *route,
                                        const char *from, const unsigned char *secret)
{
    char address[OFFER_ADDRESS_SIZE];
    if (!route_expect(route, from, secret))
        return NULL;
    if (route->port.descriptor >= 0)
        route_address(route, address);
    else if (direct_bind(endpoint, route, from[0] == '/', address) < 0)
        return NULL;
    if (route_listen(route, endpoint->waiting->epoll) < 0)
        return NULL;
    route->watched = true;
    stream_of(endpoint)->watched++;
    return direct_letter(endpoint, route->peer, direct_answer(endpoint, route, address), true);
}

/*
 * Denies, and keeps in mind that there is no route: a task of 3.4.6 that was denied one never
 * answers when it is asked for one later, and who asked would wait for ever.
 */
static void direct_deny(struct endpoint *endpoint, uint32_t peer)
{
    bool kept = false;
    struct route *denied = route_new(peer, ROUTE_DENIED);
    if (denied)
        kept = direct_add(endpoint, denied);
    if (denied && !kept)
        route_free(denied);
    char nowhere[] = "";
    struct unattended *letter =
        direct_letter(endpoint, peer, direct_answer(endpoint, NULL, nowhere), kept);
    if (letter) /* without memory the peer waits until one of us ends */
        endpoint_send_unattended(endpoint, letter);
}

static void direct_take_request(struct endpoint *endpoint, const struct message *message)
{
    uint32_t peer = message->header.source;
    const struct dialect *dialect = endpoint->owner.dialect;
    struct offer offer;
    bool understood = dialect->take_offer(message, &offer);
    bool ignored = peer == endpoint->own || !dialect->addressing.is_endpoint(peer);
    struct route *route = NULL;
    if (understood && !ignored)
        route = direct_admit(endpoint, peer, &ignored);
    struct unattended *letter = NULL;
    if (route)
        letter =
            direct_invite(endpoint, route, offer.address, offer.secretive ? offer.secret : NULL);
    free(offer.address);
    if (letter) {
        direct_change(endpoint, route, ROUTE_GRANTED);
        endpoint_send_unattended(endpoint, letter);
    } else if (route) {
        direct_end(endpoint, route);
    }
    if (!letter && !ignored)
        direct_deny(endpoint, peer);
}

/* Opening. ------------------------------------------------------------------------------------- */

/* `result` is that of the step that was to open the port. */
static void direct_opened(struct endpoint *endpoint, struct route *route, int result)
{
    if (result < 0) {
        direct_give_up(endpoint, route);
        return;
    }
    if (!route->watched)
        stream_of(endpoint)->watched++;
    route->watched = true;
    stream_port_use_pools(&route->port, &endpoint->engine->chunks, &endpoint->engine->messages);
    direct_change(endpoint, route, ROUTE_OPEN);
}

static void direct_take_answer(struct endpoint *endpoint, struct route *route,
                               const struct message *message)
{
    struct answer answer;
    int result = -ECONNREFUSED;
    bool understood = endpoint->owner.dialect->take_answer(message, &answer);
    route->secret_said = route->secret_made && answer.secretive;
    if (understood && answer.granted)
        result = route_connect(route, answer.address, endpoint->waiting->epoll);
    free(answer.address);
    if (result == -EINPROGRESS) {
        route->watched = true;
        stream_of(endpoint)->watched++;
        direct_change(endpoint, route, ROUTE_CONNECTING);
    } else {
        direct_opened(endpoint, route, result);
    }
}

/*
 * The peer is over. An open route ends with its stream: what the task sent last is still to come.
 * But nobody reads any more, and the end of the stream never comes from a host that was unplugged:
 * senders that wait to write go on.
 */
static void direct_expect_end(struct endpoint *endpoint, struct route *route)
{
    lock_acquire(&endpoint->waiting->lock);
    if (route->state == ROUTE_OPEN)
        route->state = ROUTE_BROKEN;
    lock_release(&endpoint->waiting->lock);
    endpoint_cut(endpoint, &route->port.way);
    route_expect_end(route);
}

static struct route *direct_route_to(struct endpoint *endpoint, uint32_t address)
{
    lock_acquire(&endpoint->waiting->lock);
    const struct peer *peer = peers_find(&endpoint->peers, address);
    struct route *route = peer ? route_to(peer) : NULL;
    lock_release(&endpoint->waiting->lock);
    return route;
}

static enum word direct_word(const struct endpoint *endpoint, const struct message *message)
{
    return dialect_word(endpoint->owner.dialect, &message->header);
}

static void direct_take_end(struct endpoint *endpoint, const struct message *message)
{
    uint32_t peer = endpoint->owner.dialect->take_over(message);
    struct route *route = direct_route_to(endpoint, peer);
    if (route && route->state != ROUTE_OPEN && route->state != ROUTE_BROKEN)
        direct_end(endpoint, route);
    else if (route)
        direct_expect_end(endpoint, route);
}

void direct_take(struct endpoint *endpoint, const struct message *message)
{
    enum word word = direct_word(endpoint, message);
    struct route *route;
    if (word == WORD_OFFER) {
        direct_take_request(endpoint, message);
    } else if (word == WORD_ANSWER) {
        route = direct_route_to(endpoint, message->header.source);
        if (route && route->state == ROUTE_REQUESTED)
            direct_take_answer(endpoint, route, message);
    } else if (word == WORD_OVER) {
        direct_take_end(endpoint, message);
    }
}

/* Whether there is no route; a hint. */
static bool direct_has_none(const struct endpoint *endpoint)
{
    return atomic_load_explicit(&stream_of(endpoint)->routes, memory_order_relaxed) == 0;
}

void direct_foresee(struct endpoint *endpoint, const struct message *arrived)
{
    if (direct_has_none(endpoint))
        return;
    for (; arrived; arrived = arrived->next)
        if (direct_word(endpoint, arrived) == WORD_OVER)
            direct_take(endpoint, arrived);
}

/*
 * Only tasks of ours are known to have no child that keeps their end of the stream open. What comes
 * by a Unix socket is there before its sender ends. The pvmd tells the program and the library of
 * an end in the order of their requests, so the program's word may come first and is held, too.
 */
bool direct_hold(struct endpoint *endpoint, struct message *message)
{
    const struct dialect *dialect = endpoint->owner.dialect;
    if (direct_has_none(endpoint) || message->header.source != dialect->addressing.daemon ||
        message->header.wait != 0 || word_is_of_ways(direct_word(endpoint, message)))
        return false;
    uint32_t peer = dialect->take_over(message);
    struct route *route = peer ? direct_route_to(endpoint, peer) : NULL;
    if (!route || !route->secret_said ||
        (route->state != ROUTE_OPEN && route->state != ROUTE_BROKEN))
        return false;
    struct message **end = &route->held;
    while (*end)
        end = &(*end)->next;
    *end = message;
    return true;
}

void direct_see(struct endpoint *endpoint, const struct peer *peer, const struct message *message)
{
    struct route *route = peer ? route_to(peer) : NULL;
    if (route && route->state == ROUTE_GRANTED && direct_word(endpoint, message) != WORD_OFFER)
        direct_give_up(endpoint, route);
}

/* Using. --------------------------------------------------------------------------------------- */

/* Reads once. False when nothing came. */
static bool direct_read(struct endpoint *endpoint, struct route *route)
{
    struct message *arrived = NULL;
    const char *reason;
    int answer = route->answer_due ? route_hear_answer(route) : 0;
    if (answer < 0 && answer != -EAGAIN)
        direct_end(endpoint, route);
    if (answer < 0)
        return false;
    int got = stream_port_receive(&route->port, &arrived, &reason);
    order_take_in(endpoint, arrived, route->peer);
    if (got == CK_NONSENSE)
        reason = "a direct route ends, because what came on it makes no sense";
    if (reason && got != CK_LOST) /* that is how routes end when their tasks do */
        endpoint->owner.dropped(endpoint->owner.owner, reason);
    if (got < 0)
        direct_end(endpoint, route);
    return got > 0;
}

static bool direct_exchange(struct endpoint *endpoint, struct route *route, bool all)
{
    int waiting = 0;
    if (all)
        ioctl(route->port.descriptor, FIONREAD, &waiting);
    bool happened = false;
    size_t before = route->port.received;
    while (direct_read(endpoint, route)) {
        happened = true;
        if (route->port.received - before > (size_t)waiting)
            break;
    }
    struct outgoing *finished = stream_port_flush(&route->port);
    if (!finished)
        return happened;
    lock_acquire(&endpoint->waiting->lock);
    endpoint_finish_outgoing(endpoint, finished);
    lock_release(&endpoint->waiting->lock);
    return true;
}

/* While a connection is heard, pvm_getfds tells of it in place of the socket that listens. */
static void direct_expose(struct endpoint *endpoint, struct route *route)
{
    lock_acquire(&endpoint->waiting->lock);
    route->descriptor = route->port.descriptor;
    lock_release(&endpoint->waiting->lock);
}

/* Takes the peer's connection, if it is there. False when it is not. */
static bool direct_accept(struct endpoint *endpoint, struct route *route)
{
    int result = route_accept(route, endpoint->waiting->epoll);
    if (result == -EAGAIN) {
        direct_expose(endpoint, route);
        return false;
    }
    if (result < 0) /* no descriptor is left, mostly: what the peer has sent already goes with it */
        endpoint->owner.dropped(endpoint->owner.owner,
                                "cannot accept a direct route; what came on it is lost");
    direct_opened(endpoint, route, result);
    return true;
}

bool direct_look(struct endpoint *endpoint, struct route *route, bool all)
{
    bool opened = route->state == ROUTE_CONNECTING;
    if (route->state == ROUTE_GRANTED)
        opened = direct_accept(endpoint, route);
    else if (opened)
        direct_opened(endpoint, route, route_finish_connect(route, endpoint->waiting->epoll));
    if (route->state != ROUTE_OPEN && route->state != ROUTE_BROKEN)
        return opened;
    return direct_exchange(endpoint, route, all) || opened;
}

/* Losing. -------------------------------------------------------------------------------------- */

/* Breaks one open route, and enters its peer as a user; NULL when there is none. With the lock. */
static struct peer *direct_break_next(struct endpoint *endpoint, struct route **broken)
{
    struct peer *peer = peers_next(&endpoint->peers, NULL);
    for (; peer; peer = peers_next(&endpoint->peers, peer)) {
        struct route *route = route_to(peer);
        if (route && route->state == ROUTE_OPEN) {
            route->state = ROUTE_BROKEN;
            users_enter(&peer->users);
            *broken = route;
            break;
        }
    }
    return peer;
}

void direct_lose(struct endpoint *endpoint)
{
    struct peer *peer = NULL;
    struct route *route;
    lock_acquire(&endpoint->waiting->lock);
    while ((peer = peers_next(&endpoint->peers, peer)) != NULL)
        if ((route = route_to(peer)) != NULL)
            direct_wake(endpoint, route);
    while ((peer = direct_break_next(endpoint, &route)) != NULL) {
        lock_release(&endpoint->waiting->lock);
        endpoint_cut(endpoint, &route->port.way);
        lock_acquire(&endpoint->waiting->lock);
        endpoint_release(endpoint, peer);
    }
    lock_release(&endpoint->waiting->lock);
}

void direct_withdraw(struct endpoint *endpoint)
{
    struct peer *peer = NULL;
    while ((peer = peers_next(&endpoint->peers, peer)) != NULL)
        if (route_to(peer))
            direct_unwatch(endpoint, route_to(peer));
}

void direct_finish(struct endpoint *endpoint)
{
    struct peer *peer = NULL;
    struct route *route;
    while ((peer = peers_next(&endpoint->peers, peer)) != NULL) {
        if ((route = route_to(peer)) == NULL)
            continue;
        route_say_goodbye(route);
        direct_remove(endpoint, route);
    }
    peers_sweep(&endpoint->peers);
}
