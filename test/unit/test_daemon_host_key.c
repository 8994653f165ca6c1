/* test_daemon_host_key.c - when do packets need a tag, and which are believed? */
#include "daemon/post/host_key.h"

#include <string.h>

#include "unit.h"

#define BODY 20

struct bytes {
    unsigned char bytes[PACKET_HEADER_SIZE + BODY + PACKET_TAG_SIZE];
    size_t size;
};

static void make_keys(struct host_key *offers, struct host_key *takes)
{
    unsigned char secret[LINK_SECRET_SIZE];
    assert_true(host_key_make(secret));
    *offers = *takes = (struct host_key){.known = false};
    host_key_take(offers, secret);
    host_key_take(takes, secret);
    takes->used = true;
}

/* A packet as it is sent; with a key with its tag. */
static struct bytes packet_of(const struct host_key *key)
{
    const struct packet packet = {
        .source = 0x80080000, .sequence = 7, .flags = PACKET_DATA, .tagged = key != NULL};
    struct bytes made = {.size = PACKET_HEADER_SIZE + BODY};
    packet_encode(&packet, made.bytes);
    memset(made.bytes + PACKET_HEADER_SIZE, 'x', BODY);
    if (key) {
        host_key_tag(key, made.bytes, made.bytes + PACKET_HEADER_SIZE, BODY,
                     made.bytes + made.size);
        made.size += PACKET_TAG_SIZE;
    }
    return made;
}

/* The tag is taken off. */
static bool accepts(struct host_key *key, const struct bytes *made)
{
    struct packet packet;
    size_t size = made->size;
    packet_decode(&packet, made->bytes);
    assert_true(packet.ours);
    bool accepted = host_key_accepts(key, &packet, made->bytes, &size);
    assert_int_equal(size, accepted ? PACKET_HEADER_SIZE + BODY : made->size);
    return accepted;
}

UNIT_TEST(tags_are_required_once_one_was_right)
{
    struct host_key offers, takes;
    const struct bytes plain = packet_of(NULL);
    make_keys(&offers, &takes);
    struct bytes tagged = packet_of(&takes);
    assert_false(offers.used || offers.required || takes.required);
    assert_true(accepts(&offers, &plain) && accepts(&takes, &plain));
    assert_false(offers.required || takes.required);
    assert_true(accepts(&offers, &tagged));
    assert_true(offers.used && offers.required);
    assert_false(accepts(&offers, &plain));
    assert_true(accepts(&takes, &plain));
    tagged = packet_of(&offers);
    assert_true(accepts(&takes, &tagged));
    assert_false(accepts(&takes, &plain));
}

UNIT_TEST(wrong_tags_change_nothing)
{
    struct host_key offers, takes, none = {.known = false};
    make_keys(&offers, &takes);
    struct bytes made = packet_of(&takes);
    assert_false(accepts(&none, &made));
    for (size_t i = 0; i < made.size; i++) {
        const unsigned char before = made.bytes[i];
        if (i >= 4 && i < 8)
            continue; /* the source, on which the mark depends */
        made.bytes[i] ^= 1;
        if (i < 13 || i >= PACKET_HEADER_SIZE)
            assert_false(accepts(&offers, &made));
        made.bytes[i] = before;
    }
    for (made.size = PACKET_HEADER_SIZE; made.size < PACKET_HEADER_SIZE + PACKET_TAG_SIZE;
         made.size++)
        assert_false(accepts(&offers, &made));
    assert_false(offers.used || offers.required);
}

UNIT_TEST(connections_have_secrets_of_their_own)
{
    struct host_key offers, takes;
    unsigned char halves[4][HOST_KEY_HALF], same[HOST_KEY_HALF];
    make_keys(&offers, &takes);
    host_key_hello(&offers, 1, halves[0]);
    host_key_welcome(&offers, 1, halves[1]);
    host_key_hello(&offers, 2, halves[2]);
    host_key_welcome(&offers, 2, halves[3]);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < i; j++)
            assert_memory_not_equal(halves[i], halves[j], HOST_KEY_HALF);
    host_key_hello(&takes, 1, same);
    assert_memory_equal(same, halves[0], HOST_KEY_HALF);
}
