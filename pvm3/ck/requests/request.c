/* request.c - what is posted at an endpoint, and how threads wait for it. */
#include "ck/requests/request.h"

#include <stddef.h>
#include <stdlib.h>

#include "core/cache_line.h"

struct request *request_new(struct endpoint *endpoint, const struct pattern *pattern)
{
    struct request *request = pool_take(&endpoint->engine->requests);
    if (!request)
        request = cache_line_allocate(sizeof *request);
    if (!request)
        return NULL;
    receiver_start(&request->receiver, pattern);
    request->endpoint = endpoint;
    request->loan.memory = NULL;
    request->settled = true;
    request->settling = request->attended = request->receives = request->sends = false;
    return request;
}

/* The request holds something of a port from now on. */
static void request_hold(struct request *request)
{
    request->settled = false;
    request->unsettled = request->endpoint->unsettled;
    request->endpoint->unsettled = request;
}

void request_open(struct request *request, void *memory, size_t size)
{
    struct endpoint *endpoint = request->endpoint;
    request->receives = true;
    inbox_post(&endpoint->inbox, &request->receiver);
    if (endpoint->inbox.hopeless.count > 0)
        endpoint_fail_if_hopeless(endpoint, &request->receiver);
    if (!memory || request->receiver.waiter.done)
        return;
    request->loan = (struct loan){.memory = memory, .size = size};
    request_hold(request);
    endpoint->over->lend(endpoint, &request->loan, &request->receiver);
}

/*
 * The request, which is over, holds nothing of a port any more. May wait: for a peer, or for
 * another thread that is at it.
 */
static void request_settle(struct request *request)
{
    struct endpoint *endpoint = request->endpoint;
    struct request **place = &endpoint->unsettled;
    while (request->settling)
        sleepers_sleep(&endpoint->waiting->changed, &endpoint->waiting->lock, NULL);
    if (request->settled)
        return;
    request->settling = true;
    if (request->loan.memory)
        endpoint->over->reclaim(endpoint, &request->loan);
    if (request->sends)
        endpoint_let_go(endpoint, &request->outgoing);
    request->loan.memory = NULL;
    request->settling = false;
    request->settled = true;
    sleepers_wake_all(&endpoint->waiting->changed);
    while (*place != request)
        place = &(*place)->unsettled;
    *place = request->unsettled;
}

void request_settle_all(struct endpoint *endpoint)
{
    while (endpoint->unsettled)
        request_settle(endpoint->unsettled);
}

static void request_give(struct request *request)
{
    if (!pool_give(&request->endpoint->engine->requests, request))
        free(request);
}

struct message *request_end(struct request *request)
{
    struct message *message = request->receiver.message;
    inbox_withdraw(&request->endpoint->inbox, &request->receiver);
    request_settle(request);
    request_give(request);
    return message;
}

void request_discard(struct request *request)
{
    struct endpoint *endpoint = request->endpoint;
    struct message *message = request_end(request);
    endpoint_rest(endpoint);
    if (!message)
        return;
    if (message_detach(message, false) == 0) /* it may lie in the memory of the request */
        endpoint_deliver_again(endpoint, message);
    else
        message_free(message);
}

/* Frees a request that is over while the endpoint stays attached. With the lock. */
static void request_release(struct request *request)
{
    struct endpoint *endpoint = request->endpoint;
    endpoint->users++; /* also of an endpoint that is lost */
    request_discard(request);
    endpoint_leave(endpoint);
}

/* Asking. -------------------------------------------------------------------------------------- */

/*
 * A call that is not out is not done, though there is an answer. A stopped receive is not posted,
 * and not done either.
 */
static bool request_is_done(const struct request *request)
{
    if (!request->sends)
        return request->receiver.waiter.done;
    return request->outgoing.waiter.done && request->outgoing.strayed == 0 &&
           !request->receiver.posted;
}

/* Whether the request is done; then its memory is the caller's. With the lock. */
static bool request_complete(struct request *request)
{
    struct endpoint *endpoint = request->endpoint;
    endpoint->users++; /* also of an endpoint that is lost */
    if (request->sends && request->outgoing.strayed > 0)
        endpoint_send_strayed(endpoint);
    bool done = request_is_done(request);
    if (done)
        request_settle(request);
    endpoint_leave(endpoint);
    return done;
}

/* The lock, for a call that asks about a request. */
static void request_begin(struct endpoint *endpoint)
{
    waiting_acquire(endpoint->waiting);
    waiting_heed_jump(endpoint->waiting);
}

bool request_test(struct request *request)
{
    struct endpoint *endpoint = request->endpoint;
    bool happened = false;
    request_begin(endpoint);
    if (!request_is_done(request) && endpoint_enter(endpoint, false)) {
        while (!request_is_done(request) && !endpoint->lost && waiting_look(&endpoint->party))
            happened = true;
        endpoint_leave(endpoint);
    }
    bool done = request_complete(request);
    wait_descriptor_adjust(&endpoint->wait_descriptor, done, happened,
                           inbox_has_messages(&endpoint->inbox));
    endpoint_rest(endpoint);
    lock_release(&endpoint->waiting->lock);
    return done;
}

bool request_is_over(struct request *request)
{
    lock_acquire(&request->endpoint->waiting->lock);
    bool over = request_is_done(request);
    lock_release(&request->endpoint->waiting->lock);
    return over;
}

/* The thread does not return from its wait for a request, which stays. */
static void request_depart(struct waiter *waiter)
{
    struct request *request = request_of(waiter);
    request->attended = false;
    endpoint_leave(request->endpoint);
    endpoint_rest(request->endpoint);
}

/* Waits until the waiter of `request` is done. False when time was up before. With the lock. */
static bool request_sleep(struct request *request, const struct timespec *deadline,
                          void (*depart)(struct waiter *waiter))
{
    struct endpoint *endpoint = request->endpoint;
    struct waiter *waiter = &request->receiver.waiter;
    waiter->done = false;
    waiter->abandon = depart;
    waiter->interruptible = request->receives && !request->sends && !waiter->stands_by;
    waiter->cancellable = endpoint_may_cancel(endpoint);
    waiter->recallable = endpoint_may_recall(endpoint) & RECALL_WAITS;
    waiter->recalled = endpoint->recalled & waiter->recallable;
    endpoint->users++;
    bool woken = waiting_wait(&endpoint->party, waiter, deadline) == 0;
    endpoint_leave(endpoint);
    endpoint_rest(endpoint);
    return woken;
}

bool request_wait(struct request *request, const struct timespec *deadline)
{
    struct endpoint *endpoint = request->endpoint;
    bool done, woken = true;
    request_begin(endpoint);
    request->attended = true;
    while (!(done = request_complete(request)) && woken)
        woken = request_sleep(request, deadline, request_depart);
    request->attended = false;
    lock_release(&endpoint->waiting->lock);
    return done;
}

void request_stand_by(struct request *request)
{
    request->receiver.waiter.stands_by = true;
    request_wait(request, NULL);
}

bool request_wait_all(struct request *const *requests, int count, const struct timespec *deadline)
{
    bool all = true;
    for (int i = 0; i < count && all; i++)
        all = !requests[i] || request_wait(requests[i], deadline);
    return all;
}

/* Any of several. ------------------------------------------------------------------------------ */

/* The first that is done; -1 when none is. With the lock. */
static int request_first_done(struct endpoint *endpoint, struct request *const *requests, int count)
{
    if (endpoint->strayed && endpoint_enter(endpoint, true)) {
        endpoint_send_strayed(endpoint);
        endpoint_leave(endpoint);
    }
    for (int i = 0; i < count; i++)
        if (requests[i] && request_is_done(requests[i]))
            return i;
    return -1;
}

/* Who waits for `requests` is woken as the waiter of `any`. */
static void request_gather(struct request *any, struct request *const *requests, int count)
{
    any->next = NULL;
    for (int i = 0; i < count; i++) {
        if (!requests[i])
            continue;
        requests[i]->receiver.waiter.instead = &any->receiver.waiter;
        requests[i]->attended = true;
        requests[i]->next = any->next;
        any->next = requests[i];
    }
}

static void request_scatter(struct request *any)
{
    for (struct request *request = any->next; request; request = request->next) {
        request->receiver.waiter.instead = NULL;
        request->attended = false;
    }
    request_give(any);
}

static void request_depart_any(struct waiter *waiter)
{
    struct request *any = request_of(waiter);
    request_depart(waiter);
    request_scatter(any);
}

/* Waits until one may be done. False when time was up before, or without memory. With the lock. */
static bool request_sleep_any(struct endpoint *endpoint, struct request *const *requests, int count,
                              const struct timespec *deadline, int *error)
{
    const struct pattern none = {.source = PATTERN_ANY_SOURCE};
    struct request *any = request_new(endpoint, &none);
    *error = any ? CK_NOT_FOUND : CK_NO_MEMORY;
    if (!any)
        return false;
    request_gather(any, requests, count);
    bool woken = request_sleep(any, deadline, request_depart_any);
    request_scatter(any);
    return woken;
}

int request_wait_any(struct request *const *requests, int count, const struct timespec *deadline)
{
    const struct request *some = NULL;
    for (int i = 0; i < count && !some; i++)
        some = requests[i];
    if (!some)
        return CK_NOT_FOUND;
    struct endpoint *endpoint = some->endpoint;
    int found, error = CK_NOT_FOUND;
    bool woken = true;
    request_begin(endpoint);
    while ((found = request_first_done(endpoint, requests, count)) < 0 && woken)
        woken = request_sleep_any(endpoint, requests, count, deadline, &error);
    if (found >= 0)
        request_complete(requests[found]);
    lock_release(&endpoint->waiting->lock);
    return found < 0 ? error : found;
}

int request_result(const struct request *request)
{
    if (request->sends && request->outgoing.result < 0)
        return request->outgoing.result;
    return request->receiver.message ? 0 : request->receiver.error;
}

/* Posting. ------------------------------------------------------------------------------------- */

static int request_post_as(struct endpoint *endpoint, const struct pattern *pattern, bool accepts,
                           void *memory, size_t size, struct request **posted)
{
    struct request *request = request_new(endpoint, pattern);
    if (!request)
        return CK_NO_MEMORY;
    request_begin(endpoint);
    bool open = endpoint_enter(endpoint, true);
    if (open) {
        waiting_run_errand(&endpoint->party);
        request->receives = true;
        request->receiver.accepts = accepts;
        request->receiver.message = inbox_take(&endpoint->inbox, pattern);
        request->receiver.waiter.done = request->receiver.message != NULL;
        if (!request->receiver.message) {
            endpoint->sends_blind = 0;
            request_open(request, memory, size);
        }
        endpoint_leave(endpoint);
    } else {
        request_give(request);
    }
    *posted = open ? request : NULL;
    struct message *found = open && accepts ? request->receiver.message : NULL;
    lock_release(&endpoint->waiting->lock);
    if (found && found->header.wait != 0) {
        endpoint_accept(endpoint, found);
        found->header.wait = 0;
    }
    return open ? 0 : CK_LOST;
}

int request_post_receive(struct endpoint *endpoint, const struct pattern *pattern, void *memory,
                         size_t size, struct request **posted)
{
    return request_post_as(endpoint, pattern, false, memory, size, posted);
}

int request_post_accepting(struct endpoint *endpoint, const struct pattern *pattern, void *memory,
                           size_t size, struct request **posted)
{
    return request_post_as(endpoint, pattern, true, memory, size, posted);
}

/* Sends what the request is for. With the lock. */
static int request_send(struct request *request)
{
    struct endpoint *endpoint = request->endpoint;
    struct outgoing *outgoing = &request->outgoing;
    request_hold(request);
    int result = endpoint_send_as(endpoint, &request->parcel, false, outgoing);
    if (!outgoing->queued) {
        outgoing->result = result;
        outgoing->waiter.done = true;
    }
    return result;
}

/*
 * Posts a send, and with `answer` the receive of what answers it. With `at_once` a send that is done
 * leaves no request.
 */
static int request_post(struct endpoint *endpoint, const struct parcel *parcel, bool introduced,
                        const struct pattern *answer, bool at_once, struct request **posted)
{
    const struct pattern none = {.source = PATTERN_ANY_SOURCE};
    struct request *request = request_new(endpoint, answer ? answer : &none);
    if (!request)
        return CK_NO_MEMORY;
    request->parcel = *parcel;
    request->sends = true;
    request->outgoing =
        (struct outgoing){.posted = &request->parcel, .held = &request->held, .result = CK_LOST};
    request->outgoing.waiter.instead = &request->receiver.waiter;
    request_begin(endpoint);
    int result = endpoint->gone != ADDRESS_NONE && endpoint->gone == parcel->destination && answer
                     ? CK_PEER_OVER
                     : CK_LOST;
    if (result == CK_LOST && endpoint_enter(endpoint, introduced)) {
        if (answer)
            request_open(request, NULL, 0);
        result = request_send(request);
        if (result < 0)
            inbox_withdraw(&endpoint->inbox, &request->receiver);
        endpoint_leave(endpoint);
    }
    *posted = result < 0 ? NULL : request;
    if (result < 0)
        request_discard(request);
    else if (at_once && request_is_done(request)) {
        result = request->outgoing.result;
        request_release(request);
        *posted = NULL;
    }
    lock_release(&endpoint->waiting->lock);
    return result;
}

int request_post_send(struct endpoint *endpoint, const struct parcel *parcel,
                      struct request **request)
{
    return request_post(endpoint, parcel, true, NULL, false, request);
}

int request_try_send(struct endpoint *endpoint, const struct parcel *parcel,
                     struct request **request)
{
    return request_post(endpoint, parcel, true, NULL, true, request);
}

int request_post_call(struct endpoint *endpoint, const struct parcel *parcel, bool introduced,
                      const struct pattern *answer, struct request **request)
{
    return request_post(endpoint, parcel, introduced, answer, false, request);
}

int request_post_synchronous(struct endpoint *endpoint, const struct parcel *parcel,
                             struct request **request)
{
    const struct pattern receipt = {.source = parcel->destination,
                                    .tag = PATTERN_ANY,
                                    .context = PATTERN_ANY,
                                    .wait = parcel->message->header.wait};
    if (!endpoint->owner.dialect->receipt)
        return CK_NOT_FOUND;
    return request_post(endpoint, parcel, true, &receipt, false, request);
}

/* Ending. -------------------------------------------------------------------------------------- */

/* Takes what is posted out of the peer's own way, if it has one. */
static bool request_recall_own(struct request *request)
{
    struct endpoint *endpoint = request->endpoint;
    struct way *way = NULL;
    lock_acquire(&endpoint->waiting->lock);
    struct peer *peer = peers_find(&endpoint->peers, request->parcel.destination);
    if (peer) {
        users_enter(&peer->users);
        way = endpoint->under->current(endpoint, peer);
    }
    lock_release(&endpoint->waiting->lock);
    bool recalled = way && way != endpoint->common && way->recall(way, &request->outgoing);
    lock_acquire(&endpoint->waiting->lock);
    if (peer)
        endpoint_release(endpoint, peer);
    lock_release(&endpoint->waiting->lock);
    return recalled;
}

/* Takes a posted message back. False when it is out, or a part of it. */
static bool request_recall(struct request *request)
{
    struct endpoint *endpoint = request->endpoint;
    struct outgoing *outgoing = &request->outgoing;
    if (endpoint->common->recall(endpoint->common, outgoing) || request_recall_own(request))
        return true;
    lock_acquire(&endpoint->waiting->lock);
    struct outgoing **place = &endpoint->strayed;
    while (*place && *place != outgoing)
        place = &(*place)->next;
    bool strayed = *place != NULL;
    if (strayed) {
        *place = outgoing->next;
        outgoing->strayed--;
    }
    lock_release(&endpoint->waiting->lock);
    return strayed;
}

/* The request is over, and got nothing. With the lock. */
static void request_give_up(struct request *request)
{
    struct endpoint *endpoint = request->endpoint;
    inbox_withdraw(&endpoint->inbox, &request->receiver);
    request->receiver.error = CK_CANCELLED;
    request->receiver.waiter.done = true;
    waiting_wake(endpoint->waiting, &request->receiver.waiter);
    if (!request->attended) /* who waits settles */
        request_complete(request);
}

bool request_cancel(struct request *request)
{
    struct endpoint *endpoint = request->endpoint;
    bool recalled = request->sends && request_recall(request);
    request_begin(endpoint);
    bool cancelled = recalled || (request->receives && !request_is_done(request));
    if (recalled) { /* a thread that was sending it again may not have returned yet */
        request->outgoing.waiter.done = true;
        request->outgoing.result = CK_CANCELLED;
    } else if (cancelled && request->sends) {
        cancelled = request->outgoing.waiter.done && request->outgoing.strayed == 0;
    }
    if (cancelled)
        request_give_up(request);
    lock_release(&endpoint->waiting->lock);
    return cancelled;
}

struct message *request_claim(struct request *request)
{
    struct endpoint *endpoint = request->endpoint;
    lock_acquire(&endpoint->waiting->lock);
    struct message *message = request->receiver.message;
    request->receiver.message = NULL;
    lock_release(&endpoint->waiting->lock);
    return message;
}

struct message *request_take(struct request *request)
{
    struct message *message = request_claim(request);
    endpoint_accept(request->endpoint, message);
    return message;
}

struct message *request_take_last(struct request *request)
{
    struct endpoint *endpoint = request->endpoint;
    request_begin(endpoint);
    struct message *message = request->receiver.message;
    request->receiver.message = NULL;
    request_release(request);
    lock_release(&endpoint->waiting->lock);
    endpoint_accept(endpoint, message);
    return message;
}

/* Cancels a send. One that has begun goes out, whatever becomes of its answer. */
static void request_see_off(struct request *request)
{
    struct endpoint *endpoint = request->endpoint;
    request_cancel(request);
    lock_acquire(&endpoint->waiting->lock);
    inbox_withdraw(&endpoint->inbox, &request->receiver);
    lock_release(&endpoint->waiting->lock);
    request_wait(request, NULL);
}

void request_free(struct request *request)
{
    if (!request)
        return;
    struct endpoint *endpoint = request->endpoint;
    if (request->sends && !request_is_over(request))
        request_see_off(request);
    request_begin(endpoint);
    if (request->sends) { /* an answer that nobody else asks for */
        message_free(request->receiver.message);
        request->receiver.message = NULL;
    }
    request_release(request);
    lock_release(&endpoint->waiting->lock);
}
