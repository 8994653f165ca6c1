/* link_word.c - 13 words of 32 bits. */
#include "core/link_word.h"

#include <string.h>

#include "core/xdr.h"

void link_word_encode(const struct link_word *word, unsigned char bytes[LINK_WORD_SIZE])
{
    xdr_store(bytes, (uint32_t)word->kind);
    xdr_store(bytes + 4, word->number);
    xdr_store(bytes + 8, word->port);
    xdr_store(bytes + 12, (uint32_t)(word->taken >> 32));
    xdr_store(bytes + 16, (uint32_t)word->taken);
    memcpy(bytes + 20, word->secret, LINK_SECRET_SIZE);
}

bool link_word_decode(struct link_word *word, const unsigned char *bytes, size_t size)
{
    if (size != LINK_WORD_SIZE)
        return false;
    uint32_t kind = xdr_load(bytes), port = xdr_load(bytes + 8);
    if (kind < LINK_OFFER || kind > LINK_GO_ON || port > UINT16_MAX)
        return false;
    *word = (struct link_word){
        .kind = (enum link_word_kind)kind,
        .number = xdr_load(bytes + 4),
        .port = (uint16_t)port,
        .taken = (uint64_t)xdr_load(bytes + 12) << 32 | xdr_load(bytes + 16),
    };
    memcpy(word->secret, bytes + 20, LINK_SECRET_SIZE);
    return true;
}
