/* rendezvous.c - states of an offer. */
#include "ck/ports/shm/rendezvous.h"

/* Bits of the word that tell the state. */
#define STATE_BITS 2
#define STATE_MASK 3u

static uint64_t rendezvous_word(uint32_t number, enum rendezvous_state state)
{
    return (uint64_t)number << STATE_BITS | (uint64_t)state;
}

/* A count that belongs to an offer. */
static uint64_t rendezvous_count(uint32_t number, uint32_t count)
{
    return (uint64_t)number << 32 | count;
}

static uint32_t rendezvous_count_of(uint64_t counted, uint32_t number)
{
    return counted >> 32 == number ? (uint32_t)counted : 0;
}

static uint64_t rendezvous_asked(int32_t tag, int32_t context)
{
    return (uint64_t)(uint32_t)tag << 32 | (uint32_t)context;
}

/*
 * A sender that reads a part of this offer where it expects one before finds, when it claims that,
 * that the word has changed: hence the order of all.
 */
void rendezvous_open(struct rendezvous_strip *strip, const struct rendezvous_offer *offer)
{
    atomic_store_explicit(&strip->address, offer->address, memory_order_release);
    atomic_store_explicit(&strip->size, offer->size, memory_order_release);
    atomic_store_explicit(&strip->asked, rendezvous_asked(offer->tag, offer->context),
                          memory_order_release);
    atomic_store(&strip->word, rendezvous_word(offer->number, RENDEZVOUS_OPEN));
}

bool rendezvous_withdraw(struct rendezvous_strip *strip, uint32_t number)
{
    uint64_t open = rendezvous_word(number, RENDEZVOUS_OPEN);
    return atomic_compare_exchange_strong(&strip->word, &open,
                                          rendezvous_word(number, RENDEZVOUS_NONE));
}

void rendezvous_yield(struct rendezvous_strip *strip, const struct message_header *header)
{
    struct rendezvous_offer offer;
    if (rendezvous_find(strip, header, 0, &offer))
        rendezvous_withdraw(strip, offer.number);
}

enum rendezvous_state rendezvous_state(const struct rendezvous_strip *strip, uint32_t number)
{
    uint64_t word = atomic_load(&strip->word);
    return word >> STATE_BITS == number ? (enum rendezvous_state)(word & STATE_MASK)
                                        : RENDEZVOUS_NONE;
}

uint64_t rendezvous_length(const struct rendezvous_strip *strip)
{
    return atomic_load_explicit(&strip->length, memory_order_relaxed);
}

bool rendezvous_find(const struct rendezvous_strip *strip, const struct message_header *header,
                     size_t length, struct rendezvous_offer *offer)
{
    uint64_t word = atomic_load_explicit(&strip->word, memory_order_acquire);
    if ((word & STATE_MASK) != RENDEZVOUS_OPEN)
        return false;
    uint64_t asked = atomic_load_explicit(&strip->asked, memory_order_acquire);
    offer->number = (uint32_t)(word >> STATE_BITS);
    offer->address = atomic_load_explicit(&strip->address, memory_order_acquire);
    offer->size = atomic_load_explicit(&strip->size, memory_order_acquire);
    offer->tag = (int32_t)(asked >> 32);
    offer->context = (int32_t)(asked & UINT32_MAX);
    const struct pattern pattern = {PATTERN_ANY_SOURCE, offer->tag, offer->context, 0};
    return length <= offer->size && pattern_matches(&pattern, header);
}

bool rendezvous_claim(struct rendezvous_strip *strip, const struct rendezvous_offer *offer)
{
    uint64_t open = rendezvous_word(offer->number, RENDEZVOUS_OPEN);
    return atomic_compare_exchange_strong(&strip->word, &open,
                                          rendezvous_word(offer->number, RENDEZVOUS_CLAIMED));
}

void rendezvous_settle(struct rendezvous_strip *strip, const struct rendezvous_offer *offer,
                       size_t length)
{
    atomic_store_explicit(&strip->length, length, memory_order_relaxed);
    atomic_store(&strip->word,
                 rendezvous_word(offer->number, length > 0 ? RENDEZVOUS_WRITTEN : RENDEZVOUS_NONE));
}

void rendezvous_show(struct rendezvous_strip *strip, uint64_t place)
{
    atomic_store_explicit(&strip->place, place, memory_order_relaxed);
}

void rendezvous_note_placed(struct rendezvous_strip *strip, uint32_t number, uint32_t pieces)
{
    atomic_store_explicit(&strip->placed, rendezvous_count(number, pieces), memory_order_release);
}

uint32_t rendezvous_copied(const struct rendezvous_strip *strip, uint32_t number)
{
    return rendezvous_count_of(atomic_load_explicit(&strip->copied, memory_order_relaxed), number);
}

uint32_t rendezvous_pieces(const struct rendezvous_strip *strip, uint32_t number, uint64_t placed,
                           uint64_t *place)
{
    *place = atomic_load_explicit(&strip->place, memory_order_relaxed);
    return rendezvous_count_of(placed, number);
}

void rendezvous_note_copied(struct rendezvous_strip *strip, uint32_t number, uint32_t pieces)
{
    atomic_store_explicit(&strip->copied, rendezvous_count(number, pieces), memory_order_relaxed);
}
