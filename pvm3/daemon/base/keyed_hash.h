/*
 * keyed_hash.h - a hash that only a holder of a key can make: BLAKE2b of libsodium.
 *
 * configure --without-sodium leaves it out; then no key is ever made (daemon/post/machine_key.h).
 */
#ifndef DAEMON_BASE_KEYED_HASH_H
#define DAEMON_BASE_KEYED_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>

#define KEYED_HASH_KEY_SIZE 32

/* False: this pvmd was built without libsodium, and the other functions must not be called. */
bool keyed_hash_start(void);

/* Writes `size` bytes, 16 to 64, that depend on all bytes of the parts. */
void keyed_hash(const unsigned char key[KEYED_HASH_KEY_SIZE], const struct iovec *parts, int count,
                unsigned char *hash, size_t size);

/* Fills the bytes at random. */
void keyed_hash_random(void *bytes, size_t size);

#endif
