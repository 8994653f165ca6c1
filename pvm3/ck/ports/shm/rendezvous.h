/*
 * rendezvous.h - a receive that waits offers its memory, and the sender writes the message straight
 * to there: one copy from one process to the other.
 *
 * The offer lies in memory that both processes have: where, how much, and what is asked for. The
 * receiver opens it and withdraws it; the sender claims it. Only one of the two succeeds. A sender
 * that has claimed it writes, and settles: the message is there, or it is not. From the claim on
 * until then the receiver must leave its memory where it is.
 *
 * Wrong data from one side do no harm to the other. An offer is no more than numbers: the sender
 * hands them to the system together with the process that the system says is the peer's
 * (shm_out.c), and the receiver compares lengths with what it offered itself.
 *
 * A sender may also show where it places the message in memory that both have, piece by piece, and
 * the receiver copies each piece while the sender places the next one. That claims nothing: the
 * message comes by the ring, as any other, and what the receiver has copied before is only taken if
 * the message lies in the place that was shown.
 *
 * Source of the idea: rendezvous by the receiver's address, as in message passing over remote
 * memory. Threads: one at a time on each side; shm.h says which lock.
 */
#ifndef CK_PORTS_SHM_RENDEZVOUS_H
#define CK_PORTS_SHM_RENDEZVOUS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/match.h"

enum rendezvous_state {
    RENDEZVOUS_NONE, /* withdrawn, or claimed in vain */
    RENDEZVOUS_OPEN,
    RENDEZVOUS_CLAIMED,
    RENDEZVOUS_WRITTEN,
};

/* What both processes map. All zero: there was no offer yet. */
struct rendezvous_strip {
    _Atomic uint64_t word;    /* the number of the offer, and below it its state */
    _Atomic uint64_t address; /* what follows is the receiver's while the offer is not open */
    _Atomic uint64_t size;
    _Atomic uint64_t asked;  /* tag and context */
    _Atomic uint64_t length; /* of the message that was written; the sender's */
    _Atomic uint64_t
        place; /* where it places a message, as the ring would tell; and what follows */
    _Atomic uint64_t placed; /* the number of the offer, and how many pieces are there */
    _Atomic uint64_t copied; /* likewise, how many of these the receiver has; the receiver's */
};

/* Bytes of a piece: it is in the nearest caches still when the receiver copies it. */
#define RENDEZVOUS_PIECE ((size_t)32 << 10)

/* `size` bytes at `address` in the receiver's memory. */
struct rendezvous_offer {
    uint32_t number; /* not 0; another one each time */
    uint64_t address;
    uint64_t size;
    int32_t tag; /* as in a pattern, and the context */
    int32_t context;
};

/* The receiver's side. ------------------------------------------------------------------------- */

/* No offer is open or claimed. */
void rendezvous_open(struct rendezvous_strip *strip, const struct rendezvous_offer *offer);

/* True when the offer was open, and is no more. */
bool rendezvous_withdraw(struct rendezvous_strip *strip, uint32_t number);

/* Withdraws the offer that is open if it asks for a message like that. */
void rendezvous_yield(struct rendezvous_strip *strip, const struct message_header *header);

/* RENDEZVOUS_NONE when the strip speaks of another offer. */
enum rendezvous_state rendezvous_state(const struct rendezvous_strip *strip, uint32_t number);

/* About the message that was written, as the sender says. */
uint64_t rendezvous_length(const struct rendezvous_strip *strip);

/* What has been placed last: changes with each piece of each message. */
static inline uint64_t rendezvous_placed(const struct rendezvous_strip *strip)
{
    return atomic_load_explicit(&strip->placed, memory_order_acquire);
}

/* How many pieces `placed` says are there for this offer, from *place on; 0 for another offer. */
uint32_t rendezvous_pieces(const struct rendezvous_strip *strip, uint32_t number, uint64_t placed,
                           uint64_t *place);

/* The receiver has copied so many of them. */
void rendezvous_note_copied(struct rendezvous_strip *strip, uint32_t number, uint32_t pieces);

/* The sender's side. --------------------------------------------------------------------------- */

/* True when an offer is open, in *offer, which asks for a message like that and has room for it. */
bool rendezvous_find(const struct rendezvous_strip *strip, const struct message_header *header,
                     size_t length, struct rendezvous_offer *offer);

/* True when what was found was still open, and is the caller's now; *offer says where to write. */
bool rendezvous_claim(struct rendezvous_strip *strip, const struct rendezvous_offer *offer);

/* Says that `length` bytes have been written, or nothing that counts if it is 0. */
void rendezvous_settle(struct rendezvous_strip *strip, const struct rendezvous_offer *offer,
                       size_t length);

/*
 * Shows where the message for an offer that the caller has claimed, and settled without writing, is
 * placed; and how many pieces are there. Nobody else does so for this offer. 0 pieces: what was
 * shown does not come this way, and other messages may come to lie there.
 */
void rendezvous_show(struct rendezvous_strip *strip, uint64_t place);
void rendezvous_note_placed(struct rendezvous_strip *strip, uint32_t number, uint32_t pieces);

/* How many pieces of that message the receiver has copied. */
uint32_t rendezvous_copied(const struct rendezvous_strip *strip, uint32_t number);

#endif
