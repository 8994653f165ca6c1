/* shm_landing.c - receives that offer their memory to a peer, and what lands there. */
#include "ck/endpoint.h"
#include "core/annotate.h"
#include "core/tid.h"

void shm_offer(struct endpoint *endpoint, struct shm_landing *landing, struct receiver *receiver)
{
    const struct pattern *pattern = &receiver->pattern;
    if (landing->size < one_copy_least(endpoint->shm.one_copy) || !tid_is_task(pattern->source))
        return;
    struct shm_in *in = shm_in_find(&endpoint->shm, pattern->source);
    if (!in || in->landing || in->stranded || in->given_up || in->ended)
        return;
    if (++in->offers == 0)
        in->offers = 1;
    landing->number = in->offers;
    landing->receiver = receiver;
    landing->in = in;
    in->landing = landing;
    const struct landing_offer offer = {
        .number = landing->number,
        .address = (uintptr_t)landing->memory,
        .size = landing->size,
        .tag = pattern->tag,
        .context = pattern->context,
    };
    landing_open(&in->area->landing, &offer);
}

/* Nobody writes there any more. With the lock of the endpoint. */
static void shm_landing_wake(struct endpoint *endpoint, struct shm_landing *landing)
{
    landing->waiter.done = true;
    waiting_wake(&endpoint->waiting, &landing->waiter);
}

static void shm_landing_over(struct endpoint *endpoint, struct shm_landing *landing)
{
    landing->in->landing = NULL;
    landing->in = NULL;
    landing->taken = false;
    shm_landing_wake(endpoint, landing);
}

static enum landing_state shm_landing_state(const struct shm_landing *landing)
{
    return landing_state(&landing->in->area->landing, landing->number);
}

/* While its memory must stay. */
static bool shm_landing_is_in_use(const struct shm_landing *landing)
{
    return landing->in && (landing->taken ||
                           (!landing->in->ended && shm_landing_state(landing) == LANDING_CLAIMED));
}

/* How much has landed, which may be read now; 0 when the peer says what cannot be. */
static size_t shm_landing_length(const struct shm_landing *landing)
{
    uint64_t length = landing_length(&landing->in->area->landing);
    if (length > landing->size)
        return 0;
    ANNOTATE_FILLED(landing->memory, length);
    return (size_t)length;
}

/*
 * What has landed is for another receive: the ring has not told of it yet. Without memory for it
 * the link is given up when it does.
 */
static void shm_landing_strand(struct endpoint *endpoint, const struct shm_landing *landing)
{
    size_t length = shm_landing_length(landing);
    struct message *message =
        length > 0 ? message_new_from(&endpoint->messages, MESSAGE_XDR, MESSAGE_FRAGMENT_DEFAULT)
                   : NULL;
    if (message && message_append_copy(message, landing->memory, length) < 0) {
        message_free(message);
        message = NULL;
    }
    landing->in->stranded = message;
    landing->in->stranded_number = landing->number;
}

void shm_withdraw(struct endpoint *endpoint, struct shm_landing *landing)
{
    struct waiting *waiting = &endpoint->waiting;
    if (landing->in)
        landing_withdraw(&landing->in->area->landing, landing->number);
    while (shm_landing_is_in_use(landing)) {
        atomic_store(&landing->in->closing, landing->number);
        atomic_store(&endpoint->shm.closing, true);
        landing->waiter.done = false;
        if (waiting->leader) /* the peer may have ended, or settled, before it was known */
            waiting_wake(waiting, waiting->leader);
        waiting_wait(waiting, &landing->waiter, NULL);
        endpoint_rest(endpoint);
    }
    if (!landing->in)
        return;
    if (shm_landing_state(landing) == LANDING_WRITTEN)
        shm_landing_strand(endpoint, landing);
    shm_landing_over(endpoint, landing);
}

/* The leader's part. --------------------------------------------------------------------------- */

static bool shm_in_is_settled(struct shm_in *in)
{
    uint32_t number = atomic_load(&in->closing);
    return number != 0 && landing_state(&in->area->landing, number) != LANDING_CLAIMED;
}

bool shm_is_settled(struct shm *shm)
{
    bool settled = false;
    struct shm_in *in = atomic_load(&shm->closing) ? shm->in : NULL;
    for (; in && !settled; in = in->next)
        settled = shm_in_is_settled(in);
    return settled;
}

static void shm_in_settle(struct endpoint *endpoint, struct shm_in *in)
{
    lock_acquire(&endpoint->waiting.lock);
    atomic_store(&in->closing, 0);
    if (in->landing)
        shm_landing_wake(endpoint, in->landing);
    lock_release(&endpoint->waiting.lock);
}

bool shm_settle(struct endpoint *endpoint)
{
    struct shm *shm = &endpoint->shm;
    bool happened = false;
    struct shm_in *next;
    atomic_store(&shm->closing, false);
    for (struct shm_in *in = shm->in; in; in = next) {
        next = in->next;
        if (shm_in_is_settled(in) && (!in->current || ring_is_empty(&in->reader))) {
            happened = true;
            shm_in_settle(endpoint, in);
            if (in->given_up)
                shm_in_remove(endpoint, in);
        } else if (atomic_load(&in->closing) != 0) {
            atomic_store(&shm->closing, true);
        }
    }
    return happened;
}

bool shm_in_give_up(struct endpoint *endpoint, struct shm_in *in)
{
    lock_acquire(&endpoint->waiting.lock);
    in->given_up = true;
    struct shm_landing *landing = in->landing;
    if (landing)
        landing_withdraw(&in->area->landing, landing->number);
    bool in_use = landing && shm_landing_is_in_use(landing);
    if (in_use)
        atomic_store(&in->closing, landing->number);
    if (in_use)
        atomic_store(&endpoint->shm.closing, true);
    lock_release(&endpoint->waiting.lock);
    return !in_use;
}

void shm_in_stop(struct endpoint *endpoint, struct shm_in *in)
{
    in->ended = true;
    if (in->landing)
        shm_landing_wake(endpoint, in->landing);
}

void shm_in_forget(struct endpoint *endpoint, struct shm_in *in)
{
    if (in->landing)
        shm_landing_over(endpoint, in->landing);
    message_free(in->stranded);
    in->stranded = NULL;
}

/*
 * Gives `message` the body that landed under that number, in the memory of the receive, which
 * *landing is then; one that is stranded has taken its place. NULL when there is none.
 */
static struct message *shm_in_find_landed(struct shm_in *in, uint32_t number,
                                          struct message *message, struct shm_landing **landing)
{
    struct message *stranded = in->stranded;
    *landing = NULL;
    if (stranded && in->stranded_number == number) {
        in->stranded = NULL;
        return stranded;
    }
    if (!in->landing || in->landing->number != number || !message)
        return NULL;
    size_t length = shm_landing_length(in->landing);
    if (length == 0 || message_append(message, NULL, in->landing->memory, length) < 0)
        return NULL;
    *landing = in->landing;
    in->landing->taken = true;
    return message;
}

/*
 * Delivers what lies in the memory of a receive: to that, or else a copy. False when there is no
 * memory for that.
 */
static bool shm_deliver_landed(struct endpoint *endpoint, struct message *message,
                               struct shm_landing *landing)
{
    bool taken = endpoint->owner.intercept(endpoint->owner.owner, message);
    lock_acquire(&endpoint->waiting.lock);
    bool whole = taken || inbox_receiver_for(&endpoint->inbox, message) == landing->receiver ||
                 message_detach(message, false) == 0;
    if (!whole)
        message_free(message);
    else if (!taken)
        endpoint_deliver_locked(endpoint, message);
    shm_landing_over(endpoint, landing);
    lock_release(&endpoint->waiting.lock);
    return whole;
}

bool shm_in_land(struct endpoint *endpoint, struct shm_in *in, const struct ring_record *record)
{
    struct shm_landing *landing;
    struct message *fresh =
        message_new_from(&endpoint->messages, MESSAGE_XDR, MESSAGE_FRAGMENT_DEFAULT);
    lock_acquire(&endpoint->waiting.lock);
    struct message *message = shm_in_find_landed(in, record->cookie, fresh, &landing);
    lock_release(&endpoint->waiting.lock);
    if (message != fresh)
        message_free(fresh);
    if (!message)
        return false;
    shm_message_head(endpoint, message, in->peer, &record->header);
    if (landing)
        return shm_deliver_landed(endpoint, message, landing);
    endpoint_take_one(endpoint, message);
    return true;
}
