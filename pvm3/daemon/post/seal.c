/* seal.c - numbers and codes. */
#include "daemon/post/seal.h"

#include <stdint.h>

#include "core/xdr.h"

#define NUMBER_SIZE (2 * XDR_WORD)
#define CODE_SIZE   (PACKET_SEAL_SIZE - NUMBER_SIZE)

static void seal_code(const struct seal *seal, const unsigned char *header,
                      const unsigned char *body, size_t size, const unsigned char *number,
                      unsigned char code[CODE_SIZE])
{
    const struct iovec parts[] = {
        {(void *)(uintptr_t)header, PACKET_HEADER_SIZE},
        {(void *)(uintptr_t)body, size},
        {(void *)(uintptr_t)number, NUMBER_SIZE},
    };
    keyed_hash(seal->key, parts, 3, code, CODE_SIZE);
}

void seal_write(struct seal *seal, const unsigned char header[PACKET_HEADER_SIZE],
                const unsigned char *body, size_t size, unsigned char bytes[PACKET_SEAL_SIZE])
{
    seal->sent++;
    xdr_store(bytes, (uint32_t)(seal->sent >> 32));
    xdr_store(bytes + XDR_WORD, (uint32_t)seal->sent);
    seal_code(seal, header, body, size, bytes, bytes + NUMBER_SIZE);
}

/* A number counts only when the code has shown that the sender wrote it. */
enum seal_judgement seal_open(struct seal *seal, const unsigned char *bytes, size_t size)
{
    unsigned char code[CODE_SIZE];
    if (size < PACKET_HEADER_SIZE + PACKET_SEAL_SIZE)
        return SEAL_WRONG;
    const unsigned char *number = bytes + size - PACKET_SEAL_SIZE;
    seal_code(seal, bytes, bytes + PACKET_HEADER_SIZE, size - PACKET_HEADER_SIZE - PACKET_SEAL_SIZE,
              number, code);
    if (!keyed_hash_is(code, number + NUMBER_SIZE, CODE_SIZE))
        return SEAL_WRONG;
    uint64_t value = (uint64_t)xdr_load(number) << 32 | xdr_load(number + XDR_WORD);
    return replay_window_take(&seal->come, value) ? SEAL_GOOD : SEAL_REPEATED;
}
