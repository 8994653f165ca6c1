/* shm_rendezvous.c - receives that offer their memory to a peer, and what is written there. */
#include "ck/ports/shm/shm.h"
#include "ck/inbox/loan.h"
#include "core/annotate.h"

static struct shm_in *shm_in_of(const struct loan *loan)
{
    return loan->link;
}

void shm_lend(struct endpoint *endpoint, struct loan *loan, struct receiver *receiver)
{
    const struct pattern *pattern = &receiver->pattern;
    if (loan->size < one_copy_least(shm_of(endpoint)->shared->one_copy) ||
        pattern->source == PATTERN_ANY_SOURCE)
        return;
    const struct peer *peer = peers_find(&endpoint->peers, pattern->source);
    struct shm_in *in = peer ? peer->from : NULL;
    if (!in || in->loan || in->stranded || in->given_up || in->ended)
        return;
    if (++in->offers == 0)
        in->offers = 1;
    loan->number = in->offers;
    loan->receiver = receiver;
    loan->link = in;
    loan->copied = 0;
    in->loan = loan;
    atomic_exchange(&shm_of(endpoint)->lender, in); /* a plain write is a race to Helgrind */
    const struct rendezvous_offer offer = {
        .number = loan->number,
        .address = (uintptr_t)loan->memory,
        .size = loan->size,
        .tag = pattern->tag,
        .context = pattern->context,
    };
    rendezvous_open(&in->area->rendezvous, &offer);
}

void shm_loan_wake(struct endpoint *endpoint, struct loan *loan)
{
    loan->waiter.done = true;
    waiting_wake(endpoint->waiting, &loan->waiter);
}

static void shm_loan_over(struct endpoint *endpoint, struct loan *loan)
{
    struct shm *shm = shm_of(endpoint);
    if (atomic_load_explicit(&shm->lender, memory_order_relaxed) == shm_in_of(loan))
        atomic_exchange(&shm->lender, NULL);
    shm_in_of(loan)->loan = NULL;
    loan->link = NULL;
    loan->taken = false;
    shm_loan_wake(endpoint, loan);
}

static enum rendezvous_state shm_loan_state(const struct loan *loan)
{
    return rendezvous_state(&shm_in_of(loan)->area->rendezvous, loan->number);
}

/* While its memory must stay. */
static bool shm_loan_is_in_use(const struct loan *loan)
{
    return loan->link &&
           (loan->taken || (!shm_in_of(loan)->ended && shm_loan_state(loan) == RENDEZVOUS_CLAIMED));
}

/* How much was written, which may be read now; 0 when the peer says what cannot be. */
static size_t shm_loan_length(const struct loan *loan)
{
    uint64_t length = rendezvous_length(&shm_in_of(loan)->area->rendezvous);
    if (length > loan->size)
        return 0;
    ANNOTATE_FILLED(loan->memory, length);
    return (size_t)length;
}

/*
 * What was written is for another receive: the ring has not told of it yet. Without memory for it
 * the link is given up when it does.
 */
static void shm_loan_strand(struct endpoint *endpoint, const struct loan *loan)
{
    size_t length = shm_loan_length(loan);
    struct message *message = length > 0 ? message_new_from(&endpoint->engine->messages,
                                                            MESSAGE_XDR, MESSAGE_FRAGMENT_DEFAULT)
                                         : NULL;
    if (message && message_append_copy(message, loan->memory, length) < 0) {
        message_free(message);
        message = NULL;
    }
    shm_in_of(loan)->stranded = message;
    shm_in_of(loan)->stranded_number = loan->number;
}

void shm_reclaim(struct endpoint *endpoint, struct loan *loan)
{
    struct waiting *waiting = endpoint->waiting;
    if (loan->link)
        rendezvous_withdraw(&shm_in_of(loan)->area->rendezvous, loan->number);
    while (shm_loan_is_in_use(loan)) {
        atomic_store(&shm_in_of(loan)->closing, loan->number);
        atomic_store(&shm_of(endpoint)->closing, true);
        loan->waiter.done = false;
        if (waiting_is_led(waiting)) /* the peer may have ended, or settled, before it was known */
            waiting_wake(waiting, waiting->leader);
        waiting_wait(&endpoint->party, &loan->waiter, NULL);
        endpoint_rest(endpoint);
    }
    if (!loan->link)
        return;
    if (shm_loan_state(loan) == RENDEZVOUS_WRITTEN)
        shm_loan_strand(endpoint, loan);
    shm_loan_over(endpoint, loan);
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
    lock_acquire(&endpoint->waiting->lock);
    atomic_store(&in->closing, 0);
    if (in->loan)
        shm_loan_wake(endpoint, in->loan);
    lock_release(&endpoint->waiting->lock);
}

bool shm_in_give_up(struct endpoint *endpoint, struct shm_in *in)
{
    lock_acquire(&endpoint->waiting->lock);
    in->given_up = true;
    struct loan *loan = in->loan;
    if (loan)
        rendezvous_withdraw(&in->area->rendezvous, loan->number);
    bool in_use = loan && shm_loan_is_in_use(loan);
    if (in_use)
        atomic_store(&in->closing, loan->number);
    if (in_use)
        atomic_store(&shm_of(endpoint)->closing, true);
    lock_release(&endpoint->waiting->lock);
    return !in_use;
}

void shm_in_stop(struct endpoint *endpoint, struct shm_in *in)
{
    in->ended = true;
    if (in->loan)
        shm_loan_wake(endpoint, in->loan);
}

void shm_in_forget(struct endpoint *endpoint, struct shm_in *in)
{
    if (in->loan)
        shm_loan_over(endpoint, in->loan);
    message_free(in->stranded);
    in->stranded = NULL;
}

/*
 * The message that came by the rendezvous `number`: `message`, with its body in the memory of the
 * receive, which *loan is then; or the message that is stranded. NULL when there is none.
 */
static struct message *shm_in_find_landed(struct shm_in *in, uint32_t number,
                                          struct message *message, struct loan **loan)
{
    struct message *stranded = in->stranded;
    *loan = NULL;
    if (stranded && in->stranded_number == number) {
        in->stranded = NULL;
        return stranded;
    }
    if (!in->loan || in->loan->number != number || !message)
        return NULL;
    size_t length = shm_loan_length(in->loan);
    if (length == 0 || message_append(message, NULL, in->loan->memory, length) < 0)
        return NULL;
    *loan = in->loan;
    in->loan->taken = true;
    return message;
}

bool shm_deliver_landed(struct endpoint *endpoint, struct message *message, struct loan *loan)
{
    bool taken = endpoint_intercept(endpoint, message);
    lock_acquire(&endpoint->waiting->lock);
    bool whole = taken || inbox_receiver_for(&endpoint->inbox, message) == loan->receiver ||
                 message_detach(message, false) == 0;
    if (!whole)
        message_free(message);
    else if (!taken)
        endpoint_deliver_locked(endpoint, message);
    shm_loan_over(endpoint, loan);
    lock_release(&endpoint->waiting->lock);
    return whole;
}

bool shm_in_land(struct endpoint *endpoint, struct shm_in *in, const struct ring_record *record)
{
    struct loan *loan;
    struct message *fresh =
        message_new_from(&endpoint->engine->messages, MESSAGE_XDR, MESSAGE_FRAGMENT_DEFAULT);
    lock_acquire(&endpoint->waiting->lock);
    taken_deliver_locked(endpoint->engine);
    engine_count_arrival(endpoint->engine);
    struct message *message = shm_in_find_landed(in, record->cookie, fresh, &loan);
    lock_release(&endpoint->waiting->lock);
    if (message != fresh)
        message_free(fresh);
    if (!message)
        return false;
    host_message_head(message, in->peer, endpoint->own, &record->header);
    if (loan)
        return shm_deliver_landed(endpoint, message, loan);
    endpoint_take_one(endpoint, message);
    return true;
}
