/* host_key.c - tags and secrets from a key. */
#include "daemon/post/host_key.h"

#include <endian.h>
#include <string.h>

#include "core/system.h"
#include "core/xdr.h"

bool host_key_make(unsigned char secret[LINK_SECRET_SIZE])
{
    return getrandom(secret, LINK_SECRET_SIZE, GRND_NONBLOCK) == LINK_SECRET_SIZE;
}

void host_key_take(struct host_key *key, const unsigned char secret[LINK_SECRET_SIZE])
{
    *key = (struct host_key){.packets = siphash_key(secret),
                             .connections = siphash_key(secret + SIPHASH_KEY_SIZE),
                             .known = true};
}

void host_key_agree(struct host_key *key)
{
    key->used = key->required = true;
}

void host_key_tag(const struct host_key *key, const unsigned char header[PACKET_HEADER_SIZE],
                  const unsigned char *body, size_t size, unsigned char tag[PACKET_TAG_SIZE])
{
    uint64_t value = htobe64(siphash(&key->packets, header, PACKET_HEADER_SIZE, body, size));
    memcpy(tag, &value, PACKET_TAG_SIZE);
}

static bool host_key_is_right(const struct host_key *key, const unsigned char *bytes, size_t size)
{
    unsigned char tag[PACKET_TAG_SIZE];
    host_key_tag(key, bytes, bytes + PACKET_HEADER_SIZE, size - PACKET_HEADER_SIZE, tag);
    return memcmp(tag, bytes + size, PACKET_TAG_SIZE) == 0;
}

bool host_key_accepts(struct host_key *key, const struct packet *packet,
                      const unsigned char *bytes, size_t *size)
{
    if (!packet->tagged)
        return !key->required;
    if (!key->known || *size < PACKET_HEADER_SIZE + PACKET_TAG_SIZE ||
        !host_key_is_right(key, bytes, *size - PACKET_TAG_SIZE))
        return false;
    *size -= PACKET_TAG_SIZE;
    host_key_agree(key);
    return true;
}

/* `first` counts the words that are shown of all connections. */
static void host_key_half(const struct host_key *key, uint32_t number, uint32_t first,
                          unsigned char half[HOST_KEY_HALF])
{
    for (uint32_t i = 0; i < HOST_KEY_HALF / SIPHASH_WORD; i++) {
        unsigned char about[2 * XDR_WORD];
        xdr_store(about, number);
        xdr_store(about + XDR_WORD, first + i);
        uint64_t word = htobe64(siphash(&key->connections, about, sizeof about, NULL, 0));
        memcpy(half + i * SIPHASH_WORD, &word, SIPHASH_WORD);
    }
}

void host_key_hello(const struct host_key *key, uint32_t number, unsigned char half[HOST_KEY_HALF])
{
    host_key_half(key, number, 0, half);
}

void host_key_welcome(const struct host_key *key, uint32_t number,
                      unsigned char half[HOST_KEY_HALF])
{
    host_key_half(key, number, HOST_KEY_HALF / SIPHASH_WORD, half);
}
