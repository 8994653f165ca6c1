/*
 * cipher.h - a code that only a holder of a key can make for some bytes, and bytes that only a
 * holder of the key can read: Poly1305 and ChaCha20 of libsodium.
 *
 * Every text has a number, and no key may be used for two texts with one number. Both functions may
 * be used for one text: they take different parts of what ChaCha20 makes of the key and the number,
 * as in Y. Nir, A. Langley: ChaCha20 and Poly1305 for IETF Protocols, RFC 8439, 2018. The code then
 * covers the hidden bytes. Only to be called where keyed_hash_start has returned true.
 */
#ifndef DAEMON_BASE_CIPHER_H
#define DAEMON_BASE_CIPHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#define CIPHER_KEY_SIZE  32
#define CIPHER_CODE_SIZE 16

/* Writes the code of the bytes of all parts. The receiver must know where each part ends. */
void cipher_code(const unsigned char key[CIPHER_KEY_SIZE], uint64_t number,
                 const struct iovec *parts, int count, unsigned char code[CIPHER_CODE_SIZE]);

/* Compares in a time that tells nobody where two codes differ. */
bool cipher_code_is(const unsigned char code[CIPHER_CODE_SIZE],
                    const unsigned char other[CIPHER_CODE_SIZE]);

/* Hides the bytes, or shows them again; `to` may be `from`. */
void cipher_hide(const unsigned char key[CIPHER_KEY_SIZE], uint64_t number,
                 const unsigned char *from, size_t size, unsigned char *to);

#endif
