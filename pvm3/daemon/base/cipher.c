/* cipher.c - calls of libsodium. */
#include "daemon/base/cipher.h"

#include "core/xdr.h"

#ifdef HAVE_SODIUM
#include <sodium.h>

static void cipher_nonce(uint64_t number, unsigned char nonce[2 * XDR_WORD])
{
    xdr_store(nonce, (uint32_t)(number >> 32));
    xdr_store(nonce + XDR_WORD, (uint32_t)number);
}

void cipher_code(const unsigned char key[CIPHER_KEY_SIZE], uint64_t number,
                 const struct iovec *parts, int count, unsigned char code[CIPHER_CODE_SIZE])
{
    unsigned char nonce[crypto_stream_chacha20_NONCEBYTES], once[crypto_onetimeauth_KEYBYTES];
    crypto_onetimeauth_state state;
    cipher_nonce(number, nonce);
    crypto_stream_chacha20(once, sizeof once, nonce, key);
    crypto_onetimeauth_init(&state, once);
    for (int i = 0; i < count; i++)
        crypto_onetimeauth_update(&state, parts[i].iov_base, parts[i].iov_len);
    crypto_onetimeauth_final(&state, code);
}

bool cipher_code_is(const unsigned char code[CIPHER_CODE_SIZE],
                    const unsigned char other[CIPHER_CODE_SIZE])
{
    return crypto_verify_16(code, other) == 0;
}

/* The first block is that of the code. libsodium wants an address for no bytes, too. */
void cipher_hide(const unsigned char key[CIPHER_KEY_SIZE], uint64_t number,
                 const unsigned char *from, size_t size, unsigned char *to)
{
    unsigned char nonce[crypto_stream_chacha20_NONCEBYTES];
    if (size == 0)
        return;
    cipher_nonce(number, nonce);
    crypto_stream_chacha20_xor_ic(to, from, size, nonce, 1, key);
}
#else
#include <stdlib.h>

void cipher_code(const unsigned char key[CIPHER_KEY_SIZE], uint64_t number,
                 const struct iovec *parts, int count, unsigned char code[CIPHER_CODE_SIZE])
{
    (void)key, (void)number, (void)parts, (void)count, (void)code;
    abort();
}

bool cipher_code_is(const unsigned char code[CIPHER_CODE_SIZE],
                    const unsigned char other[CIPHER_CODE_SIZE])
{
    (void)code, (void)other;
    abort();
}

void cipher_hide(const unsigned char key[CIPHER_KEY_SIZE], uint64_t number,
                 const unsigned char *from, size_t size, unsigned char *to)
{
    (void)key, (void)number, (void)from, (void)size, (void)to;
    abort();
}
#endif
