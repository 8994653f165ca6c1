/* host_key.c - tags, seals and secrets from a key. */
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

/* A key for one use, of what one side sends, and of one connection. */
static void host_key_derive(const struct host_key *key, const char *use, uint32_t sender,
                            uint32_t number, unsigned char *derived, size_t size)
{
    unsigned char about[2 * XDR_WORD];
    const struct iovec parts[] = {{about, sizeof about}, {(void *)(uintptr_t)use, strlen(use)}};
    xdr_store(about, sender);
    xdr_store(about + XDR_WORD, number);
    keyed_hash(key->pair, parts, 2, derived, size);
}

void host_key_seal(struct host_key *key, const unsigned char pair[KEYED_HASH_KEY_SIZE],
                   uint32_t own, uint32_t other, bool secret)
{
    unsigned char connections[SIPHASH_KEY_SIZE];
    *key = (struct host_key){.seal = {.there = true, .secret = secret},
                             .known = true,
                             .used = true,
                             .required = true,
                             .own = own,
                             .other = other};
    memcpy(key->pair, pair, sizeof key->pair);
    host_key_derive(key, "connections", 0, 0, connections, sizeof connections);
    key->connections = siphash_key(connections);
    host_key_derive(key, "packets", own, 0, key->seal.sending, sizeof key->seal.sending);
    host_key_derive(key, "packets", other, 0, key->seal.receiving, sizeof key->seal.receiving);
}

void host_key_start_records(const struct host_key *key, uint32_t number, struct records *records)
{
    unsigned char sending[CIPHER_KEY_SIZE], receiving[CIPHER_KEY_SIZE];
    if (!key->seal.there)
        return;
    host_key_derive(key, "records", key->own, number, sending, sizeof sending);
    host_key_derive(key, "records", key->other, number, receiving, sizeof receiving);
    records_begin(records, sending, receiving, key->seal.secret);
}

void host_key_agree(struct host_key *key)
{
    key->used = key->required = true;
}

static void host_key_tag(const struct host_key *key, const unsigned char header[PACKET_HEADER_SIZE],
                         const unsigned char *body, size_t size, unsigned char tag[PACKET_TAG_SIZE])
{
    uint64_t value = htobe64(siphash(&key->packets, header, PACKET_HEADER_SIZE, body, size));
    memcpy(tag, &value, PACKET_TAG_SIZE);
}

size_t host_key_sign(struct host_key *key, const struct packet *packet, const unsigned char *body,
                     size_t size, unsigned char header[PACKET_HEADER_SIZE],
                     unsigned char sign[HOST_KEY_SIGN_MOST])
{
    struct packet marked = *packet;
    marked.sealed = key->seal.there;
    marked.tagged = key->used;
    packet_encode(&marked, header);
    if (marked.sealed) {
        seal_write(&key->seal, header, body, size, sign);
        return PACKET_SEAL_SIZE;
    }
    if (!marked.tagged)
        return 0;
    host_key_tag(key, header, body, size, sign);
    return PACKET_TAG_SIZE;
}

static bool host_key_is_right(const struct host_key *key, const unsigned char *bytes, size_t size)
{
    unsigned char tag[PACKET_TAG_SIZE];
    host_key_tag(key, bytes, bytes + PACKET_HEADER_SIZE, size - PACKET_HEADER_SIZE, tag);
    return memcmp(tag, bytes + size, PACKET_TAG_SIZE) == 0;
}

static enum seal_judgement host_key_judge_tag(struct host_key *key, const struct packet *packet,
                                              const unsigned char *bytes, size_t *size)
{
    if (!packet->tagged)
        return key->required ? SEAL_WRONG : SEAL_GOOD;
    if (!key->known || *size < PACKET_HEADER_SIZE + PACKET_TAG_SIZE ||
        !host_key_is_right(key, bytes, *size - PACKET_TAG_SIZE))
        return SEAL_WRONG;
    *size -= PACKET_TAG_SIZE;
    host_key_agree(key);
    return SEAL_GOOD;
}

enum seal_judgement host_key_judge(struct host_key *key, const struct packet *packet,
                                   unsigned char *bytes, size_t *size)
{
    if (packet->sealed != key->seal.there)
        return SEAL_WRONG;
    if (!packet->sealed)
        return host_key_judge_tag(key, packet, bytes, size);
    enum seal_judgement judgement = seal_open(&key->seal, bytes, *size);
    if (judgement == SEAL_GOOD)
        *size -= PACKET_SEAL_SIZE;
    return judgement;
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
