/* siphash.c - SipHash with 2 rounds for each word and 4 at the end. */
#include "core/siphash.h"

#include <endian.h>
#include <string.h>

struct state {
    uint64_t a, b, c, d;
};

static uint64_t load(const unsigned char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return le64toh(word);
}

struct siphash_key siphash_key(const unsigned char bytes[SIPHASH_KEY_SIZE])
{
    return (struct siphash_key){{load(bytes), load(bytes + SIPHASH_WORD)}};
}

static inline uint64_t rotate(uint64_t word, unsigned bits)
{
    return word << bits | word >> (64 - bits);
}

static inline void round_once(struct state *state)
{
    state->a += state->b;
    state->c += state->d;
    state->b = rotate(state->b, 13) ^ state->a;
    state->d = rotate(state->d, 16) ^ state->c;
    state->a = rotate(state->a, 32);
    state->c += state->b;
    state->a += state->d;
    state->b = rotate(state->b, 17) ^ state->c;
    state->d = rotate(state->d, 21) ^ state->a;
    state->c = rotate(state->c, 32);
}

static inline void take(struct state *state, uint64_t word)
{
    state->d ^= word;
    round_once(state);
    round_once(state);
    state->a ^= word;
}

/* Whole words; the bytes that are left are the caller's. */
static inline void take_words(struct state *state, const unsigned char *bytes, size_t size)
{
    for (size_t at = 0; at + SIPHASH_WORD <= size; at += SIPHASH_WORD)
        take(state, load(bytes + at));
}

uint64_t siphash(const struct siphash_key *key, const unsigned char *header, size_t header_size,
                 const unsigned char *bytes, size_t size)
{
    struct state state = {
        .a = key->words[0] ^ 0x736f6d6570736575u,
        .b = key->words[1] ^ 0x646f72616e646f6du,
        .c = key->words[0] ^ 0x6c7967656e657261u,
        .d = key->words[1] ^ 0x7465646279746573u,
    };
    uint64_t last = (uint64_t)(header_size + size) << 56;
    take_words(&state, header, header_size);
    take_words(&state, bytes, size);
    for (size_t i = 0; i < size % SIPHASH_WORD; i++)
        last |= (uint64_t)bytes[size - size % SIPHASH_WORD + i] << 8 * i;
    take(&state, last);
    state.c ^= 0xff;
    for (int i = 0; i < 4; i++)
        round_once(&state);
    return state.a ^ state.b ^ state.c ^ state.d;
}
