/* test_daemon_host_key.c - when do packets need a tag, and which are believed? */
#include "daemon/post/host_key.h"

#include <string.h>

#include "unit.h"

#define BODY 20

struct bytes {
    unsigned char bytes[PACKET_HEADER_SIZE + BODY + HOST_KEY_SIGN_MOST];
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

/* A packet as it is sent: with the seal of the key, or a tag, or bare without a key. */
static struct bytes packet_of(struct host_key *key)
{
    const struct packet packet = {.source = 0x80080000, .sequence = 7, .flags = PACKET_DATA};
    struct bytes made = {.size = PACKET_HEADER_SIZE + BODY};
    struct host_key none = {.known = false}, *used = key ? key : &none;
    const bool was_used = used->used;
    used->used = used->known;
    memset(made.bytes + PACKET_HEADER_SIZE, 'x', BODY);
    host_key_hide(used, made.bytes + PACKET_HEADER_SIZE, BODY, made.bytes + PACKET_HEADER_SIZE);
    made.size += host_key_sign(used, &packet, made.bytes + PACKET_HEADER_SIZE, BODY, made.bytes,
                               made.bytes + made.size);
    used->used = was_used;
    return made;
}

/* The tag or seal is taken off a good packet. */
static enum seal_judgement judge(struct host_key *key, const struct bytes *made)
{
    struct bytes come = *made;
    struct packet packet;
    packet_decode(&packet, come.bytes);
    enum seal_judgement judgement = host_key_judge(key, &packet, come.bytes, &come.size);
    assert_int_equal(come.size, judgement == SEAL_GOOD ? PACKET_HEADER_SIZE + BODY : made->size);
    for (size_t i = 0; judgement == SEAL_GOOD && i < BODY; i++)
        assert_int_equal(come.bytes[PACKET_HEADER_SIZE + i], 'x');
    return judgement;
}

static bool accepts(struct host_key *key, const struct bytes *made)
{
    return judge(key, made) == SEAL_GOOD;
}

/* With secrecy or without. */
static void make_secret_seals(struct host_key *one, struct host_key *other, bool secret)
{
    unsigned char pair[KEYED_HASH_KEY_SIZE];
    assert_true(keyed_hash_start());
    keyed_hash_random(pair, sizeof pair);
    host_key_seal(one, pair, 1, 2, secret);
    host_key_seal(other, pair, 2, 1, secret);
}

static void make_seals(struct host_key *one, struct host_key *other)
{
    make_secret_seals(one, other, false);
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

UNIT_TEST(with_seals_nothing_else_is_believed)
{
    struct host_key one, other, offers, takes;
    make_keys(&offers, &takes);
    make_seals(&one, &other);
    const struct bytes sealed = packet_of(&one), tagged = packet_of(&takes), bare = packet_of(NULL);
    assert_int_equal(sealed.size, PACKET_HEADER_SIZE + BODY + PACKET_SEAL_SIZE);
    assert_false(accepts(&other, &tagged) || accepts(&other, &bare));
    assert_false(accepts(&offers, &sealed));
    assert_true(accepts(&other, &sealed));
}

UNIT_TEST(a_sealed_packet_counts_once)
{
    struct host_key one, other;
    make_seals(&one, &other);
    const struct bytes first = packet_of(&one), second = packet_of(&one);
    assert_memory_not_equal(first.bytes, second.bytes, first.size);
    assert_int_equal(judge(&other, &second), SEAL_GOOD);
    assert_int_equal(judge(&other, &first), SEAL_GOOD);
    assert_int_equal(judge(&other, &first), SEAL_REPEATED);
    assert_int_equal(judge(&other, &second), SEAL_REPEATED);
}

UNIT_TEST(a_changed_packet_is_not_believed_and_uses_up_no_number)
{
    struct host_key one, other;
    make_seals(&one, &other);
    struct bytes made = packet_of(&one);
    for (size_t i = 0; i < made.size; i++)
        for (int bit = 0; bit < 8; bit++) {
            made.bytes[i] ^= (unsigned char)(1 << bit);
            assert_int_equal(judge(&other, &made), SEAL_WRONG);
            made.bytes[i] ^= (unsigned char)(1 << bit);
        }
    const size_t whole = made.size;
    for (made.size = PACKET_HEADER_SIZE; made.size < whole; made.size++)
        assert_int_equal(judge(&other, &made), SEAL_WRONG);
    assert_int_equal(judge(&other, &made), SEAL_GOOD);
}

UNIT_TEST(with_secrecy_nobody_else_reads)
{
    struct host_key one, other;
    make_secret_seals(&one, &other, true);
    const struct bytes first = packet_of(&one), second = packet_of(&one);
    for (size_t i = PACKET_HEADER_SIZE; i + 4 < PACKET_HEADER_SIZE + BODY; i++)
        assert_memory_not_equal(first.bytes + i, "xxxx", 4);
    assert_memory_not_equal(first.bytes + PACKET_HEADER_SIZE, second.bytes + PACKET_HEADER_SIZE,
                            BODY);
    assert_int_equal(judge(&other, &second), SEAL_GOOD);
    assert_int_equal(judge(&other, &first), SEAL_GOOD);
    assert_int_equal(judge(&other, &first), SEAL_REPEATED);
    assert_null(host_key_hide(&one, NULL, 0, NULL)); /* the body of an acknowledgement */
}

UNIT_TEST(a_packet_that_is_sent_back_is_not_believed)
{
    struct host_key one, other;
    make_seals(&one, &other);
    const struct bytes made = packet_of(&one);
    assert_int_equal(judge(&one, &made), SEAL_WRONG);
    assert_int_equal(judge(&other, &made), SEAL_GOOD);
}

UNIT_TEST(each_connection_and_each_side_has_a_key_for_its_records)
{
    struct host_key one, other;
    struct records first = {0}, second = {0}, answering = {0};
    make_seals(&one, &other);
    host_key_start_records(&one, 1, &first);
    host_key_start_records(&one, 2, &second);
    host_key_start_records(&other, 1, &answering);
    assert_memory_equal(first.sending.key, answering.receiving.key, CIPHER_KEY_SIZE);
    assert_memory_equal(first.receiving.key, answering.sending.key, CIPHER_KEY_SIZE);
    assert_memory_not_equal(first.sending.key, first.receiving.key, CIPHER_KEY_SIZE);
    assert_memory_not_equal(first.sending.key, second.sending.key, CIPHER_KEY_SIZE);
    assert_memory_not_equal(first.sending.key, one.seal.sending, CIPHER_KEY_SIZE);
}

UNIT_TEST(another_pair_has_another_seal)
{
    struct host_key one, other, third, fourth;
    make_seals(&one, &other);
    make_seals(&third, &fourth);
    const struct bytes made = packet_of(&one);
    assert_int_equal(judge(&fourth, &made), SEAL_WRONG);
    unsigned char halves[2][HOST_KEY_HALF];
    host_key_hello(&one, 1, halves[0]);
    host_key_hello(&other, 1, halves[1]);
    assert_memory_equal(halves[0], halves[1], HOST_KEY_HALF);
    host_key_hello(&third, 1, halves[1]);
    assert_memory_not_equal(halves[0], halves[1], HOST_KEY_HALF);
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
