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
};

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

/* The sender's side. --------------------------------------------------------------------------- */

/* True when an offer is open, in *offer, which asks for a message like that and has room for it. */
bool rendezvous_find(const struct rendezvous_strip *strip, const struct message_header *header,
                     size_t length, struct rendezvous_offer *offer);

/* True when what was found was still open, and is the caller's now; *offer says where to write. */
bool rendezvous_claim(struct rendezvous_strip *strip, const struct rendezvous_offer *offer);

/* Says that `length` bytes have been written, or nothing that counts if it is 0. */
void rendezvous_settle(struct rendezvous_strip *strip, const struct rendezvous_offer *offer,
                       size_t length);

#endif
