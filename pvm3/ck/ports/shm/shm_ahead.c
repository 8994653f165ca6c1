/*
 * shm_ahead.c - a body is copied twice, but by both sides at once: the receiver, which waits with
 * memory of its own, copies each piece while the sender places the next one.
 *
 * The sender waits for nothing: it tells of the message in the ring as soon as the body is placed.
 * Then the receiver copies the rest. A leader that sleeps misses pieces, and copies them then, too.
 */
#include <string.h>

#include "ck/ports/shm/shm.h"
#include "ck/inbox/loan.h"

/* The sender. ---------------------------------------------------------------------------------- */

void shm_ahead_show(struct shm_ahead *ahead, uint32_t file, uint32_t offset)
{
    rendezvous_show(ahead->strip, (uint64_t)file << 32 | offset);
}

void shm_ahead_place(struct shm_ahead *ahead, unsigned char *to, const unsigned char *from,
                     size_t size)
{
    while (size > 0) {
        size_t room = RENDEZVOUS_PIECE - ahead->placed % RENDEZVOUS_PIECE;
        size_t some = size < room ? size : room;
        memcpy(to, from, some);
        to += some;
        from += some;
        size -= some;
        ahead->placed += some;
        rendezvous_note_placed(ahead->strip, ahead->number,
                               (uint32_t)(ahead->placed / RENDEZVOUS_PIECE));
    }
}

double shm_ahead_copied(const struct shm_ahead *ahead)
{
    double copied =
        (double)rendezvous_copied(ahead->strip, ahead->number) * (double)RENDEZVOUS_PIECE;
    return copied < (double)ahead->placed ? copied / (double)ahead->placed : 1;
}

/* The receiver: its leader. -------------------------------------------------------------------- */

/* Where the body lies whose pieces are there, in all *size bytes; NULL: none is to be copied. */
static const unsigned char *ahead_find(const struct shm_in *in, const struct loan *loan,
                                       uint64_t placed, uint64_t *place, size_t *size)
{
    uint32_t pieces = rendezvous_pieces(&in->area->rendezvous, loan->number, placed, place);
    size_t file = (size_t)(*place >> 32), offset = (uint32_t)*place;
    *size = pieces * RENDEZVOUS_PIECE;
    bool right = *size > loan->copied && *size <= loan->size && file < ARENA_FILES &&
                 in->files[file].base && offset + *size <= in->files[file].size &&
                 (loan->copied == 0 || loan->place == *place);
    return right ? in->files[file].base + offset : NULL;
}

/* The loan is taken: so the receive does not end meanwhile. */
static void ahead_copy(struct endpoint *endpoint, struct shm_in *in, struct loan *loan,
                       const unsigned char *body, size_t size)
{
    memcpy(loan->memory + loan->copied, body + loan->copied, size - loan->copied);
    rendezvous_note_copied(&in->area->rendezvous, loan->number,
                           (uint32_t)(size / RENDEZVOUS_PIECE));
    lock_acquire(&endpoint->waiting->lock);
    loan->copied = size;
    loan->taken = false;
    if (atomic_load(&in->closing) == loan->number)
        shm_loan_wake(endpoint, loan);
    lock_release(&endpoint->waiting->lock);
}

bool shm_copy_ahead(struct endpoint *endpoint)
{
    struct shm_in *in = atomic_load_explicit(&shm_of(endpoint)->lender, memory_order_acquire);
    uint64_t placed = in ? rendezvous_placed(&in->area->rendezvous) : 0;
    if (!in || placed == in->placed)
        return false;
    in->placed = placed;
    const unsigned char *body = NULL;
    uint64_t place;
    size_t size;
    lock_acquire(&endpoint->waiting->lock);
    struct loan *loan = in->loan;
    if (loan && loan->receiver->posted && !in->given_up) /* it has no message yet */
        body = ahead_find(in, loan, placed, &place, &size);
    if (body) {
        loan->taken = true;
        loan->place = place;
    }
    lock_release(&endpoint->waiting->lock);
    if (body)
        ahead_copy(endpoint, in, loan, body, size);
    return body != NULL;
}

/*
 * Whether the message is the one whose beginning has been copied: it lies in that place as a whole,
 * and its sender has not taken back what was shown.
 */
static bool ahead_is_of(const struct shm_in *in, const struct loan *loan,
                        const struct message *message)
{
    const struct rendezvous_strip *strip = &in->area->rendezvous;
    uint64_t shown;
    uint32_t pieces = rendezvous_pieces(strip, loan->number, rendezvous_placed(strip), &shown);
    if (pieces * RENDEZVOUS_PIECE < loan->copied)
        return false;
    const unsigned char *place = in->files[loan->place >> 32].base + (uint32_t)loan->place;
    for (unsigned i = 0; i < message->segment_count; i++) {
        if (message->segments[i].data != place)
            return false;
        place += message->segments[i].length;
    }
    return message->length >= loan->copied && message->length <= loan->size;
}

/* The loan to which the message goes, taken; or NULL. */
static struct loan *ahead_take(struct endpoint *endpoint, struct shm_in *in,
                               const struct message *message)
{
    lock_acquire(&endpoint->waiting->lock);
    taken_deliver_locked(endpoint->engine);
    struct loan *loan = in->loan;
    bool takes = loan && loan->copied > 0 && ahead_is_of(in, loan, message) &&
                 inbox_receiver_for(&endpoint->inbox, message) == loan->receiver;
    if (takes) {
        engine_count_arrival(endpoint->engine);
        loan->taken = true;
    }
    lock_release(&endpoint->waiting->lock);
    return takes ? loan : NULL;
}

bool shm_in_land_ahead(struct endpoint *endpoint, struct shm_in *in,
                       const struct ring_record *record, struct message *message, bool *whole)
{
    if (record->kind != RING_LONG_MESSAGE ||
        atomic_load_explicit(&in->shm->lender, memory_order_relaxed) != in)
        return false;
    struct message *landed =
        message_new_from(&endpoint->engine->messages, MESSAGE_XDR, MESSAGE_FRAGMENT_DEFAULT);
    struct loan *loan = landed ? ahead_take(endpoint, in, message) : NULL;
    if (!loan) {
        message_free(landed);
        return false;
    }
    const unsigned char *body = message->segments[0].data;
    memcpy(loan->memory + loan->copied, body + loan->copied, message->length - loan->copied);
    host_message_head(landed, in->peer, endpoint->own, &record->header);
    message_append(landed, NULL, loan->memory, message->length); /* it has room for one segment */
    message_free(message);
    *whole = shm_deliver_landed(endpoint, landed, loan);
    return true;
}
