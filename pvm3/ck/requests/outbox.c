/*
 * outbox.c - which way a message of an endpoint goes out, and the wait until it is out.
 *
 * The order protocol, on the side of the sender. A message to a task goes by the link of the port
 * over, if that is engaged and takes it; otherwise by a way of the port under: the peer's own, or
 * the common one. Links and ways come, go and take turns while threads send. Two rules keep a
 * message from overtaking another one of this task to the same peer:
 *
 *   - By a link alone messages come in their order. A link is engaged and left only with the lock
 *     of the way under it (port.send_or_leave), and says so to the peer there or in the link.
 *   - With the lock of a way under, a message may go there only if this way is the one by which
 *     messages to the peer go now, and if the link that its sender has found, or has found missing,
 *     is the peer's link still (endpoint_is_right). For another link may be engaged by now, or
 *     another way be the right one. Otherwise its sender begins anew.
 *
 * So whoever offers or grants another way under enters it in the peer's record before it writes
 * word of it by the common way: what is written there, with the lock, has come before.
 */
#include "ck/endpoint/endpoint.h"
#include "ck/peers/way.h"

/* Sends one message by the common way, whatever its destination. 0 or CK_LOST. */
static int endpoint_push_common(struct endpoint *endpoint, const struct parcel *parcel,
                                struct outgoing *posted)
{
    struct outgoing own = {.posted = NULL};
    struct outgoing *outgoing = outgoing_load(posted ? posted : &own, parcel, 1, endpoint->own);
    struct way *way = endpoint->common;
    lock_acquire(&way->lock);
    enum push_result pushed = endpoint_push(endpoint, way, outgoing);
    lock_release(&way->lock);
    return endpoint_finish_push(endpoint, pushed, outgoing);
}

static bool endpoint_is_for_self(const struct endpoint *endpoint, const struct parcel *parcel)
{
    return parcel->destination == endpoint->own &&
           !word_is_of_ways(dialect_word(endpoint->owner.dialect, &parcel->message->header));
}

/* A message goes another way to what may become a task of this process. With the lock. */
RARELY static void endpoint_pass(const struct endpoint *endpoint, uint32_t address)
{
    const struct addressing *addressing = &endpoint->owner.dialect->addressing;
    if (addressing->is_endpoint(address) && addressing->on_one_host(address, endpoint->own))
        directory_pass(&endpoint->engine->directory, address);
}

/*
 * The destination if it is another task of this process. Words of ways are left to the daemon, as
 * those of a task to itself are. With the lock.
 */
static inline struct endpoint *endpoint_seek_neighbour(const struct endpoint *endpoint,
                                                       uint32_t address,
                                                       const struct message_header *header)
{
    if (!endpoint_has_neighbours(endpoint))
        return NULL;
    struct endpoint *neighbour = endpoint_neighbour(endpoint, address);
    enum word word = dialect_word(endpoint->owner.dialect, header);
    return neighbour == endpoint || (word != WORD_NONE && word != WORD_OTHER) ? NULL : neighbour;
}

/* Likewise, and takes note if the message is about to go another way. */
static inline struct endpoint *endpoint_find_neighbour(struct endpoint *endpoint, uint32_t address,
                                                       const struct message_header *header)
{
    if (endpoint->engine->directory.newcomers > 0 && endpoint_has_neighbours(endpoint) &&
        !endpoint_neighbour(endpoint, address))
        endpoint_pass(endpoint, address);
    return endpoint_seek_neighbour(endpoint, address, header);
}

/* One message to one task. --------------------------------------------------------------------- */

/*
 * The record of a destination, with the one look-up of the message. An address without a record is
 * asked about: if it is no other endpoint's, the common way alone leads there, and it gets none.
 * NULL then, or without memory. With the lock.
 */
static inline struct peer *endpoint_find(struct endpoint *endpoint, uint32_t address, bool *common)
{
    struct peer *peer = peers_find(&endpoint->peers, address);
    *common = !peer && (address == endpoint->own ||
                        !endpoint->owner.dialect->addressing.is_endpoint(address));
    return peer || *common ? peer : peers_add(&endpoint->peers, address);
}

/* The peer's way of the port far, if messages go by it; or NULL. With the lock. */
static inline struct way *endpoint_current_far(const struct endpoint *endpoint,
                                               const struct peer *peer)
{
    return endpoint_has_network(endpoint) ? endpoint->far->current(endpoint, peer) : NULL;
}

/*
 * Uses the peer, and finds a link to it. False without a record, for which there was no memory.
 * With the lock, which is given up if the peer is offered a link.
 */
static inline bool endpoint_begin(struct endpoint *endpoint, struct peer *peer, void **shared,
                                  struct sending *sending)
{
    if (!peer)
        return false;
    peers_use(peer);
    if (!peer->to[ROLE_OVER])
        endpoint->over->offer(endpoint, peer);
    sending->peer = peer;
    if (endpoint_has_network(endpoint))
        endpoint->far->offer(endpoint, peer);
    sending->link = peer->to[ROLE_OVER];
    sending->far = endpoint_current_far(endpoint, peer);
    sending->own = peer->to[ROLE_UNDER] != NULL;
    sending->counts = false;
    sending->load = NULL;
    sending->shared = shared;
    return true;
}

/*
 * The rule above, with the lock of the way and that of the endpoint. No way is right to a task that
 * has become a neighbour (endpoint_return).
 */
static bool endpoint_is_right(const struct endpoint *endpoint, const struct peer *peer,
                              const struct entry *link, const struct way *way,
                              const struct message_header *header)
{
    struct way *far = endpoint_current_far(endpoint, peer);
    return peer->to[ROLE_OVER] == link &&
           (far ? far : endpoint->under->current(endpoint, peer)) == way &&
           !endpoint_seek_neighbour(endpoint, peer->address, header);
}

/*
 * Sends by a way under, or by a link in place of it. False when this is not the right way, or when
 * it is a peer's own and has failed: the message is not sent, and may not go by it.
 */
static bool endpoint_try_under(struct endpoint *endpoint, struct sending *sending,
                               const struct parcel *parcel, struct way *way, int *result)
{
    struct outgoing own = {.posted = NULL};
    struct outgoing *outgoing =
        outgoing_load(sending->posted ? sending->posted : &own, parcel, 1, endpoint->own);
    enum push_result pushed = PUSH_BROKEN;
    lock_acquire(&way->lock);
    lock_acquire(&endpoint->waiting->lock);
    bool right =
        endpoint_is_right(endpoint, sending->peer, sending->link, way, &parcel->message->header);
    lock_release(&endpoint->waiting->lock);
    if (right && way != sending->far && endpoint_has_network(endpoint))
        right = !endpoint->far->engage(endpoint, sending->peer, way);
    if (right)
        pushed =
            sending->link && endpoint->over->send_or_leave(endpoint, sending, parcel->message, way)
                ? PUSH_DONE
                : endpoint_push(endpoint, way, outgoing);
    lock_release(&way->lock);
    if (!right)
        return false;
    int finished = endpoint_finish_push(endpoint, pushed, outgoing);
    if (finished < 0 && way != endpoint->common) {
        const struct port *port = way == sending->far ? endpoint->far : endpoint->under;
        port->fail(endpoint, way);
        return false;
    }
    *result = finished;
    return true;
}

/* Sends by a way under. False when the sender is to begin anew, or *result is an error. */
static bool endpoint_send_under(struct endpoint *endpoint, struct sending *sending,
                                const struct parcel *parcel, bool ask, int *result)
{
    struct way *way = sending->far ? sending->far : endpoint->common;
    if (!sending->far && (ask || sending->own))
        *result = endpoint->under->find(endpoint, sending->peer, ask, &way);
    return *result == 0 && endpoint_try_under(endpoint, sending, parcel, way, result);
}

/*
 * The sending is over, or has failed. A posted message that a way has queued goes on holding the
 * peer, if the link is to count it.
 */
static void endpoint_conclude(struct endpoint *endpoint, struct sending *sending, bool sent)
{
    struct outgoing *posted = sending->posted;
    if (posted && posted->queued && sending->counts) {
        *posted->held = *sending;
        posted->held->load = NULL;
        posted->holds = true;
        sending->counts = false;
    }
    if (sending->load || sending->counts)
        endpoint->over->conclude(endpoint, sending, sent);
}

void endpoint_let_go(struct endpoint *endpoint, struct outgoing *posted)
{
    if (!posted->holds)
        return;
    posted->holds = false;
    if (posted->result == 0) {
        lock_release(&endpoint->waiting->lock);
        endpoint->over->conclude(endpoint, posted->held, true);
        lock_acquire(&endpoint->waiting->lock);
    }
    endpoint_release(endpoint, posted->held->peer);
}

/*
 * Sends by whatever takes the message. The first message that may ask for a way under asks for it,
 * whatever link there is. False when the sender is to begin anew, or *result is an error. Without a
 * lock.
 */
static bool endpoint_send_body(struct endpoint *endpoint, struct sending *sending,
                               const struct parcel *parcel, bool ask, int *result)
{
    const struct port *over = endpoint->over;
    bool first = ask && !sending->own;
    if (!sending->link)
        return endpoint_send_under(endpoint, sending, parcel, ask, result);
    bool sent = false;
    if (first)
        over->place(endpoint, sending, parcel->message);
    else
        sent = over->send(endpoint, sending, parcel->message);
    if (!sent)
        sent = endpoint_send_under(endpoint, sending, parcel, ask, result);
    endpoint_conclude(endpoint, sending, sent);
    return sent;
}

/* Uses the peer of a sending no more. Without the lock, which it takes only where ways end. */
static inline void endpoint_end(struct endpoint *endpoint, const struct sending *sending)
{
    if ((sending->posted && sending->posted->holds) || peer_release_alone(sending->peer))
        return;
    lock_acquire(&endpoint->waiting->lock);
    endpoint_release(endpoint, sending->peer);
    lock_release(&endpoint->waiting->lock);
}

/*
 * Goes on with what endpoint_begin began, and ends it. With the lock, which is given up. 0, CK_LOST
 * or CK_NO_MEMORY.
 */
static int endpoint_send_begun(struct endpoint *endpoint, struct sending *sending,
                               const struct parcel *parcel, bool ask)
{
    int result = 0;
    ask = ask && !(endpoint_has_network(endpoint) && endpoint->far->serves(sending->peer));
    for (;;) {
        if (endpoint->strayed)
            endpoint_send_strayed(endpoint);
        lock_release(&endpoint->waiting->lock);
        bool sent = endpoint_send_body(endpoint, sending, parcel, ask, &result);
        if (sent || result < 0)
            break;
        ask = false; /* a peer whose own way has ended is not asked again for this message */
        lock_acquire(&endpoint->waiting->lock);
        struct endpoint *neighbour =
            endpoint_seek_neighbour(endpoint, parcel->destination, &parcel->message->header);
        if (neighbour) {
            result = endpoint->self->hand(endpoint, neighbour, parcel->message, NULL);
            endpoint_release(endpoint, sending->peer);
            lock_release(&endpoint->waiting->lock);
            return result;
        }
        endpoint_release(endpoint, sending->peer);
        struct peer *peer = peers_make(&endpoint->peers, parcel->destination);
        if (!endpoint_begin(endpoint, peer, sending->shared, sending)) {
            lock_release(&endpoint->waiting->lock);
            return CK_NO_MEMORY;
        }
    }
    endpoint_end(endpoint, sending);
    return result;
}

/*
 * To another endpoint; `peer` is its record, or NULL without memory. `posted` is NULL for a sender
 * that waits while its way is full. With the lock, which is given up meanwhile. 0, CK_LOST or
 * CK_NO_MEMORY.
 */
static int endpoint_send_to_peer(struct endpoint *endpoint, const struct parcel *parcel,
                                 struct peer *peer, bool ask, struct outgoing *posted)
{
    struct sending sending;
    sending.posted = posted;
    if (!endpoint_begin(endpoint, peer, NULL, &sending))
        return CK_NO_MEMORY;
    int result = endpoint_send_begun(endpoint, &sending, parcel, ask);
    lock_acquire(&endpoint->waiting->lock);
    return result;
}

/*
 * Posted messages whose way broke go another way, in their order. A thread that finds another
 * thread at it does not wait: the other one may be itself, in a message handler.
 */
void endpoint_send_strayed(struct endpoint *endpoint)
{
    while (endpoint->strayed && !endpoint->resending) {
        struct outgoing *outgoing = endpoint->strayed;
        endpoint->strayed = outgoing->next;
        endpoint->resending = true;
        endpoint_let_go(endpoint, outgoing);
        outgoing->waiter.done = outgoing->queued = false;
        const struct parcel *parcel = outgoing->posted;
        struct peer *peer = peers_make(&endpoint->peers, parcel->destination);
        int result = endpoint_send_to_peer(endpoint, parcel, peer, false, outgoing);
        endpoint->resending = false;
        outgoing->strayed--;
        if (!outgoing->queued) {
            outgoing->result = result;
            outgoing->waiter.done = true;
        }
        waiting_wake(endpoint->waiting, &outgoing->waiter);
    }
}

/* To an address that has no record. With the lock, which is given up meanwhile. */
static int endpoint_send_to_other(struct endpoint *endpoint, const struct parcel *parcel,
                                  struct outgoing *posted)
{
    lock_release(&endpoint->waiting->lock);
    int result = endpoint_is_for_self(endpoint, parcel)
                     ? endpoint->self->deliver(endpoint, parcel->message)
                     : endpoint_push_common(endpoint, parcel, posted);
    lock_acquire(&endpoint->waiting->lock);
    return result;
}

int endpoint_send_as(struct endpoint *endpoint, const struct parcel *parcel, bool request,
                     struct outgoing *posted)
{
    bool common;
    struct endpoint *neighbour =
        endpoint_find_neighbour(endpoint, parcel->destination, &parcel->message->header);
    if (neighbour)
        return endpoint->self->hand(endpoint, neighbour, parcel->message, NULL);
    struct peer *peer = endpoint_find(endpoint, parcel->destination, &common);
    return common ? endpoint_send_to_other(endpoint, parcel, posted)
                  : endpoint_send_to_peer(endpoint, parcel, peer, request, posted);
}

/* Sends to an address without a record, or begins a sending to a peer. With the lock. */
static inline int endpoint_begin_send(struct endpoint *endpoint, const struct parcel *parcel,
                                      struct sending *sending)
{
    bool common;
    struct peer *peer = endpoint_find(endpoint, parcel->destination, &common);
    if (common)
        return endpoint_send_to_other(endpoint, parcel, NULL);
    return endpoint_begin(endpoint, peer, NULL, sending) ? CK_LOST : CK_NO_MEMORY;
}

int endpoint_send(struct endpoint *endpoint, const struct parcel *parcel, bool request)
{
    if (endpoint_is_for_self(endpoint, parcel))
        return endpoint->self->deliver(endpoint, parcel->message);
    struct sending sending;
    int result = CK_LOST;
    sending.posted = NULL;
    sending.peer = NULL;
    lock_acquire(&endpoint->waiting->lock);
    if (endpoint_enter(endpoint, true)) {
        endpoint_let_in_by_send(endpoint);
        struct endpoint *neighbour =
            endpoint_find_neighbour(endpoint, parcel->destination, &parcel->message->header);
        request =
            request && !endpoint->unrouted && atomic_load(&endpoint->routing) == ROUTING_REQUESTED;
        if (neighbour)
            result = endpoint->self->hand(endpoint, neighbour, parcel->message, NULL);
        else
            result = endpoint_begin_send(endpoint, parcel, &sending);
        endpoint_leave(endpoint); /* who uses a peer uses the endpoint */
    }
    if (sending.peer)
        return endpoint_send_begun(endpoint, &sending, parcel, request);
    lock_release(&endpoint->waiting->lock);
    return result;
}

/* One message to many tasks. ------------------------------------------------------------------- */

/*
 * Whether the daemon serves a task as well as others: it has neither a link nor an open way of its
 * own. 0 or CK_LOST. With the lock, which is given up if the peer has had a way of its own.
 */
static int endpoint_is_common(struct endpoint *endpoint, const struct sending *sending,
                              bool *common)
{
    struct way *way = endpoint->common;
    int result = 0;
    if (!sending->link && !sending->far && sending->own) {
        lock_release(&endpoint->waiting->lock);
        result = endpoint->under->find(endpoint, sending->peer, false, &way);
        lock_acquire(&endpoint->waiting->lock);
    }
    *common = !sending->link && !sending->far && way == endpoint->common;
    return result;
}

/* What the receivers of a multicast share. */
struct shared {
    void *load;           /* over: the body, where peers can read it, or NULL */
    struct message *body; /* self: a message that has it, or NULL */
};

/*
 * Sends to one of many unless the daemon serves it as well as others. 0, CK_LOST or CK_NO_MEMORY.
 */
static int endpoint_send_to_one(struct endpoint *endpoint, const struct message *message,
                                uint32_t address, struct shared *shared, bool *common)
{
    struct sending sending;
    const struct parcel parcel = {message, address};
    sending.posted = NULL;
    lock_acquire(&endpoint->waiting->lock);
    struct endpoint *neighbour = endpoint_find_neighbour(endpoint, address, &message->header);
    if (neighbour) {
        int handed = endpoint->self->hand(endpoint, neighbour, message, &shared->body);
        lock_release(&endpoint->waiting->lock);
        return handed;
    }
    struct peer *peer = endpoint_find(endpoint, address, common);
    int result = *common ? 0 : CK_NO_MEMORY;
    if (endpoint_begin(endpoint, peer, &shared->load, &sending)) {
        result = endpoint_is_common(endpoint, &sending, common);
        if (result == 0 && !*common)
            return endpoint_send_begun(endpoint, &sending, &parcel, false);
        endpoint_release(endpoint, sending.peer);
    }
    lock_release(&endpoint->waiting->lock);
    return result;
}

/* Returns how many addresses are left over for the daemon, moved to the front, or an error. */
static int endpoint_send_singly(struct endpoint *endpoint, const struct message *message,
                                uint32_t *addresses, int count)
{
    struct shared shared = {NULL, NULL};
    int kept = 0;
    for (int i = 0; i < count && kept >= 0; i++) {
        bool common = false;
        int result = endpoint_send_to_one(endpoint, message, addresses[i], &shared, &common);
        if (result < 0)
            kept = result;
        else if (common)
            addresses[kept++] = addresses[i];
    }
    endpoint->over->drop(shared.load);
    message_free(shared.body);
    return kept;
}

/* Whether the common way is right for all of these tasks, none of which has a link. Locked. */
static bool endpoint_is_right_for_all(struct endpoint *endpoint, const uint32_t *addresses,
                                      int count, const struct message_header *header)
{
    bool right = true;
    for (int i = 0; i < count && right; i++) {
        const struct peer *peer = peers_find(&endpoint->peers, addresses[i]);
        right = peer ? endpoint_is_right(endpoint, peer, NULL, endpoint->common, header)
                     : !endpoint_seek_neighbour(endpoint, addresses[i], header);
    }
    return right;
}

/*
 * The daemon keeps one list a task, and sends to it what comes for the list's address: so nothing
 * of other threads may come between the list and the message. False when the common way is not
 * right for one of the tasks any more, and nothing is sent.
 */
static bool endpoint_push_multicast(struct endpoint *endpoint, const struct message *message,
                                    const uint32_t *addresses, int count, int *result)
{
    struct way *way = endpoint->common;
    const struct dialect *dialect = endpoint->owner.dialect;
    struct message *list = dialect->list(addresses, count);
    const struct parcel parcels[] = {{list, dialect->addressing.daemon},
                                     {message, dialect->addressing.list_of(endpoint->own)}};
    struct outgoing own = {.posted = NULL};
    struct outgoing *outgoing = outgoing_load(&own, parcels, 2, endpoint->own);
    enum push_result pushed = PUSH_BROKEN;
    *result = CK_NO_MEMORY;
    if (!list)
        return true;
    lock_acquire(&way->lock);
    lock_acquire(&endpoint->waiting->lock);
    bool right = endpoint_is_right_for_all(endpoint, addresses, count, &message->header);
    lock_release(&endpoint->waiting->lock);
    if (right)
        pushed = endpoint_push(endpoint, way, outgoing);
    lock_release(&way->lock);
    *result = right ? endpoint_finish_push(endpoint, pushed, outgoing) : 0;
    message_free(list);
    return right;
}

int endpoint_send_all(struct endpoint *endpoint, const struct message *message, uint32_t *addresses,
                      int count)
{
    lock_acquire(&endpoint->waiting->lock);
    bool entered = endpoint_enter(endpoint, true);
    for (int written = 0; entered && written < 2; written++) /* in 3.4.6 the list, too */
        endpoint_let_in_by_send(endpoint);
    if (entered)
        endpoint_send_strayed(endpoint);
    lock_release(&endpoint->waiting->lock);
    if (!entered)
        return CK_LOST;
    int result;
    do {
        count = endpoint_send_singly(endpoint, message, addresses, count);
        result = count < 0 ? count : 0;
    } while (count > 0 && !endpoint_push_multicast(endpoint, message, addresses, count, &result));
    lock_acquire(&endpoint->waiting->lock);
    endpoint_leave(endpoint);
    lock_release(&endpoint->waiting->lock);
    return result;
}
