/* keyed_hash.c - calls of libsodium. */
#include "daemon/base/keyed_hash.h"

#ifdef HAVE_SODIUM
#include <sodium.h>

bool keyed_hash_start(void)
{
    return sodium_init() >= 0;
}

void keyed_hash(const unsigned char key[KEYED_HASH_KEY_SIZE], const struct iovec *parts, int count,
                unsigned char *hash, size_t size)
{
    crypto_generichash_state state;
    crypto_generichash_init(&state, key, KEYED_HASH_KEY_SIZE, size);
    for (int i = 0; i < count; i++)
        crypto_generichash_update(&state, parts[i].iov_base, parts[i].iov_len);
    crypto_generichash_final(&state, hash, size);
}

void keyed_hash_random(void *bytes, size_t size)
{
    randombytes_buf(bytes, size);
}
#else
#include <stdlib.h>

bool keyed_hash_start(void)
{
    return false;
}

void keyed_hash(const unsigned char key[KEYED_HASH_KEY_SIZE], const struct iovec *parts, int count,
                unsigned char *hash, size_t size)
{
    (void)key, (void)parts, (void)count, (void)hash, (void)size;
    abort();
}

void keyed_hash_random(void *bytes, size_t size)
{
    (void)bytes, (void)size;
    abort();
}
#endif
