/*
 * siphash.h - a tag of bytes that only a holder of the key can make: SipHash-2-4.
 *
 * J.-P. Aumasson, D. J. Bernstein: SipHash: a fast short-input PRF, 2012. SipHash is implemented
 * here, since pvmd can be built without libraries, and checked against the vectors of its authors.
 *
 * Threads: any, as nothing is kept.
 */
#ifndef CORE_SIPHASH_H
#define CORE_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

#define SIPHASH_KEY_SIZE 16
#define SIPHASH_WORD     8

struct siphash_key {
    uint64_t words[2];
};

struct siphash_key siphash_key(const unsigned char bytes[SIPHASH_KEY_SIZE]);

/*
 * The tag of `header_size` bytes, which must be whole words, and of `size` bytes that follow them.
 */
uint64_t siphash(const struct siphash_key *key, const unsigned char *header, size_t header_size,
                 const unsigned char *bytes, size_t size);

#endif
