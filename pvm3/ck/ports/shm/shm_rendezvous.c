/* shm_rendezvous.c - receives that offer their memory to a peer, and what is written there. */
#include "ck/endpoint.h"
#include "core/annotate.h"
#include "core/tid.h"

void shm_offer(struct endpoint *endpoint, struct shm_rendezvous *rendezvous,
               struct receiver *receiver)
{
    const struct pattern *pattern = &receiver->pattern;
    if (rendezvous->size < one_copy_least(endpoint->shm.one_copy) || !tid_is_task(pattern->source))
        return;
    struct shm_in *in = shm_in_find(&endpoint->shm, pattern->source);
    if (!in || in->rendezvous || in->stranded || in->given_up || in->ended)
        return;
    if (++in->offers == 0)
        in->offers = 1;
    rendezvous->number = in->offers;
    rendezvous->receiver = receiver;
    rendezvous->in = in;
    in->rendezvous = rendezvous;
    const struct rendezvous_offer offer = {
        .number = rendezvous->number,
        .address = (uintptr_t)rendezvous->memory,
        .size = rendezvous->size,
        .tag = pattern->tag,
        .context = pattern->context,
    };
    rendezvous_open(&in->area->rendezvous, &offer);
}

/* Nobody writes there any more. With the lock of the endpoint. */
static void shm_rendezvous_wake(struct endpoint *endpoint, struct shm_rendezvous *rendezvous)
{
    rendezvous->waiter.done = true;
    waiting_wake(&endpoint->waiting, &rendezvous->waiter);
}

static void shm_rendezvous_over(struct endpoint *endpoint, struct shm_rendezvous *rendezvous)
{
    rendezvous->in->rendezvous = NULL;
    rendezvous->in = NULL;
    rendezvous->taken = false;
    shm_rendezvous_wake(endpoint, rendezvous);
}

static enum rendezvous_state shm_rendezvous_state(const struct shm_rendezvous *rendezvous)
{
    return rendezvous_state(&rendezvous->in->area->rendezvous, rendezvous->number);
}

/* While its memory must stay. */
static bool shm_rendezvous_is_in_use(const struct shm_rendezvous *rendezvous)
{
    return rendezvous->in &&
           (rendezvous->taken ||
            (!rendezvous->in->ended && shm_rendezvous_state(rendezvous) == RENDEZVOUS_CLAIMED));
}

/* How much was written, which may be read now; 0 when the peer says what cannot be. */
static size_t shm_rendezvous_length(const struct shm_rendezvous *rendezvous)
{
    uint64_t length = rendezvous_length(&rendezvous->in->area->rendezvous);
    if (length > rendezvous->size)
        return 0;
    ANNOTATE_FILLED(rendezvous->memory, length);
    return (size_t)length;
}

/*
 * What was written is for another receive: the ring has not told of it yet. Without memory for it
 * the link is given up when it does.
 */
static void shm_rendezvous_strand(struct endpoint *endpoint,
                                  const struct shm_rendezvous *rendezvous)
{
    size_t length = shm_rendezvous_length(rendezvous);
    struct message *message =
        length > 0 ? message_new_from(&endpoint->messages, MESSAGE_XDR, MESSAGE_FRAGMENT_DEFAULT)
                   : NULL;
    if (message && message_append_copy(message, rendezvous->memory, length) < 0) {
        message_free(message);
        message = NULL;
    }
    rendezvous->in->stranded = message;
    rendezvous->in->stranded_number = rendezvous->number;
}

void shm_withdraw(struct endpoint *endpoint, struct shm_rendezvous *rendezvous)
{
    struct waiting *waiting = &endpoint->waiting;
    if (rendezvous->in)
        rendezvous_withdraw(&rendezvous->in->area->rendezvous, rendezvous->number);
    while (shm_rendezvous_is_in_use(rendezvous)) {
        atomic_store(&rendezvous->in->closing, rendezvous->number);
        atomic_store(&endpoint->shm.closing, true);
        rendezvous->waiter.done = false;
        if (waiting->leader) /* the peer may have ended, or settled, before it was known */
            waiting_wake(waiting, waiting->leader);
        waiting_wait(waiting, &rendezvous->waiter, NULL);
        endpoint_rest(endpoint);
    }
    if (!rendezvous->in)
        return;
    if (shm_rendezvous_state(rendezvous) == RENDEZVOUS_WRITTEN)
        shm_rendezvous_strand(endpoint, rendezvous);
    shm_rendezvous_over(endpoint, rendezvous);
}

/* The leader's part. --------------------------------------------------------------------------- */

bool shm_in_is_settled(struct shm_in *in)
{
    uint32_t number = atomic_load(&in->closing);
    return number != 0 && rendezvous_state(&in->area->rendezvous, number) != RENDEZVOUS_CLAIMED;
}

bool shm_is_settled(struct shm *shm)
{
    bool settled = false;
    struct shm_in *in = atomic_load(&shm->closing) ? shm->in : NULL;
    for (; in && !settled; in = in->next)
        settled = shm_in_is_settled(in);
    return settled;
}

void shm_in_settle(struct endpoint *endpoint, struct shm_in *in)
{
    lock_acquire(&endpoint->waiting.lock);
    atomic_store(&in->closing, 0);
    if (in->rendezvous)
        shm_rendezvous_wake(endpoint, in->rendezvous);
    lock_release(&endpoint->waiting.lock);
}

bool shm_in_give_up(struct endpoint *endpoint, struct shm_in *in)
{
    lock_acquire(&endpoint->waiting.lock);
    in->given_up = true;
    struct shm_rendezvous *rendezvous = in->rendezvous;
    if (rendezvous)
        rendezvous_withdraw(&in->area->rendezvous, rendezvous->number);
    bool in_use = rendezvous && shm_rendezvous_is_in_use(rendezvous);
    if (in_use)
        atomic_store(&in->closing, rendezvous->number);
    if (in_use)
        atomic_store(&endpoint->shm.closing, true);
    lock_release(&endpoint->waiting.lock);
    return !in_use;
}

void shm_in_stop(struct endpoint *endpoint, struct shm_in *in)
{
    in->ended = true;
    if (in->rendezvous)
        shm_rendezvous_wake(endpoint, in->rendezvous);
}

void shm_in_forget(struct endpoint *endpoint, struct shm_in *in)
{
    if (in->rendezvous)
        shm_rendezvous_over(endpoint, in->rendezvous);
    message_free(in->stranded);
    in->stranded = NULL;
}

/*
 * The message that came by the rendezvous `number`: `message`, with its body in the memory of the
 * receive, which *rendezvous is then; or the message that is stranded. NULL when there is none.
 */
static struct message *shm_in_find_landed(struct shm_in *in, uint32_t number,
                                          struct message *message,
                                          struct shm_rendezvous **rendezvous)
{
    struct message *stranded = in->stranded;
    *rendezvous = NULL;
    if (stranded && in->stranded_number == number) {
        in->stranded = NULL;
        return stranded;
    }
    if (!in->rendezvous || in->rendezvous->number != number || !message)
        return NULL;
    size_t length = shm_rendezvous_length(in->rendezvous);
    if (length == 0 || message_append(message, NULL, in->rendezvous->memory, length) < 0)
        return NULL;
    *rendezvous = in->rendezvous;
    in->rendezvous->taken = true;
    return message;
}

/*
 * Delivers a message whose body lies in the memory of a receive: to this receive, or else a copy.
 * False when there is no memory for the copy.
 */
static bool shm_deliver_landed(struct endpoint *endpoint, struct message *message,
                               struct shm_rendezvous *rendezvous)
{
    bool taken = endpoint->owner.intercept(endpoint->owner.owner, message);
    lock_acquire(&endpoint->waiting.lock);
    bool whole = taken || inbox_receiver_for(&endpoint->inbox, message) == rendezvous->receiver ||
                 message_detach(message, false) == 0;
    if (!whole)
        message_free(message);
    else if (!taken)
        endpoint_deliver_locked(endpoint, message);
    shm_rendezvous_over(endpoint, rendezvous);
    lock_release(&endpoint->waiting.lock);
    return whole;
}

bool shm_in_land(struct endpoint *endpoint, struct shm_in *in, const struct ring_record *record)
{
    struct shm_rendezvous *rendezvous;
    struct message *fresh =
        message_new_from(&endpoint->messages, MESSAGE_XDR, MESSAGE_FRAGMENT_DEFAULT);
    lock_acquire(&endpoint->waiting.lock);
    struct message *message = shm_in_find_landed(in, record->cookie, fresh, &rendezvous);
    lock_release(&endpoint->waiting.lock);
    if (message != fresh)
        message_free(fresh);
    if (!message)
        return false;
    host_message_head(message, in->peer, endpoint->own, &record->header);
    if (rendezvous)
        return shm_deliver_landed(endpoint, message, rendezvous);
    endpoint_take_one(endpoint, message);
    return true;
}
