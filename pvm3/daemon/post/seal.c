/* seal.c - numbers and codes. */
#include "daemon/post/seal.h"

#include <stdint.h>

#include "core/xdr.h"

#define NUMBER_SIZE (2 * XDR_WORD)

static void seal_code(const unsigned char key[CIPHER_KEY_SIZE], uint64_t number,
                      const unsigned char *header, const unsigned char *body, size_t size,
                      unsigned char code[CIPHER_CODE_SIZE])
{
    const struct iovec parts[] = {
        {(void *)(uintptr_t)header, PACKET_HEADER_SIZE},
        {(void *)(uintptr_t)body, size},
    };
    cipher_code(key, number, parts, 2, code);
}

const unsigned char *seal_hide(const struct seal *seal, const unsigned char *body, size_t size,
                               unsigned char *hidden)
{
    if (!seal->secret)
        return body;
    cipher_hide(seal->sending, seal->sent + 1, body, size, hidden);
    return hidden;
}

void seal_write(struct seal *seal, const unsigned char header[PACKET_HEADER_SIZE],
                const unsigned char *body, size_t size, unsigned char bytes[PACKET_SEAL_SIZE])
{
    seal->sent++;
    xdr_store(bytes, (uint32_t)(seal->sent >> 32));
    xdr_store(bytes + XDR_WORD, (uint32_t)seal->sent);
    seal_code(seal->sending, seal->sent, header, body, size, bytes + NUMBER_SIZE);
}

/* A number counts only when the code has shown that the sender wrote it. */
enum seal_judgement seal_open(struct seal *seal, unsigned char *bytes, size_t size)
{
    unsigned char code[CIPHER_CODE_SIZE], *body = bytes + PACKET_HEADER_SIZE;
    if (size < PACKET_HEADER_SIZE + PACKET_SEAL_SIZE)
        return SEAL_WRONG;
    const size_t body_size = size - PACKET_HEADER_SIZE - PACKET_SEAL_SIZE;
    const unsigned char *written = bytes + size - PACKET_SEAL_SIZE;
    uint64_t number = (uint64_t)xdr_load(written) << 32 | xdr_load(written + XDR_WORD);
    seal_code(seal->receiving, number, bytes, body, body_size, code);
    if (!cipher_code_is(code, written + NUMBER_SIZE))
        return SEAL_WRONG;
    if (!replay_window_take(&seal->come, number))
        return SEAL_REPEATED;
    if (seal->secret)
        cipher_hide(seal->receiving, number, body, body_size, body);
    return SEAL_GOOD;
}
