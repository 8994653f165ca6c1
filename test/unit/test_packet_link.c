/*
 * test_packet_link.c - two sides of a link, and a way between them that loses, doubles and
 * overtakes.
 *
 * The clock is a number, so that hours pass at once and every run is the same.
 */
#include "core/packet_link.h"

#include <stdlib.h>
#include <string.h>

#include "core/packet.h"

#include "shortage.h"
#include "unit.h"

#define LONGEST 1000 /* interval */

static unsigned seed;

static unsigned chance(unsigned of)
{
    seed = seed * 1103515245u + 12345u;
    return (seed >> 16) % of;
}

static void add(struct packet_link *link, uint8_t flags, uint32_t value)
{
    const struct packet packet = {.destination = 1, .source = 2, .flags = flags};
    struct chunk *chunk = chunk_new(sizeof value);
    memcpy(chunk->data, &value, sizeof value);
    const struct packet_body body = {chunk, chunk->data, sizeof value};
    assert_int_equal(packet_link_add(link, &packet, &body), 0);
    chunk_release(chunk);
}

/* The next packet in order, which must have this value. */
static void expect_taken(struct packet_link *link, uint32_t value)
{
    struct packet packet;
    struct packet_body body;
    uint32_t got;
    assert_true(packet_link_take(link, &packet, &body));
    assert_int_equal(body.length, sizeof got);
    memcpy(&got, body.data, sizeof got);
    assert_int_equal(got, value);
    chunk_release(body.chunk);
}

UNIT_TEST(header_comes_back)
{
    const struct packet packet = {.destination = 0x80040000,
                                  .source = 0x00080001,
                                  .sequence = 0xfffe,
                                  .acknowledgement = 0x0102,
                                  .flags = PACKET_DATA | PACKET_LAST,
                                  .ours = true};
    unsigned char header[PACKET_HEADER_SIZE];
    struct packet read = {.ours = false};
    packet_encode(&packet, header);
    const unsigned char expected[] = {0x80, 4, 0, 0, 0, 8, 0, 1, 0xff, 0xfe, 1, 2, 6};
    assert_memory_equal(header, expected, sizeof expected);
    packet_decode(&read, header);
    assert_int_equal(read.destination, packet.destination);
    assert_int_equal(read.source, packet.source);
    assert_int_equal(read.sequence, packet.sequence);
    assert_int_equal(read.acknowledgement, packet.acknowledgement);
    assert_int_equal(read.flags, packet.flags);
}

/* What a daemon of 3.4.6 leaves in the spare bytes may even be what we have sent to it. */
UNIT_TEST(only_the_own_mark_counts)
{
    const struct packet ours = {.source = 0x80040000}, theirs = {.source = 0x80080000};
    unsigned char header[PACKET_HEADER_SIZE], answer[PACKET_HEADER_SIZE];
    struct packet read;
    packet_encode(&ours, header);
    packet_encode(&theirs, answer);
    memcpy(answer + 13, header + 13, 3);
    packet_decode(&read, answer);
    assert_false(read.ours);
    memset(answer + 13, 0, 3);
    packet_decode(&read, answer);
    assert_false(read.ours);
}

UNIT_TEST(a_tag_has_a_mark)
{
    struct packet packet = {.source = 0x80080000};
    unsigned char header[PACKET_HEADER_SIZE];
    for (int tagged = 0; tagged < 2; tagged++) {
        struct packet read = {.source = 0};
        packet.tagged = tagged;
        packet_encode(&packet, header);
        packet_decode(&read, header);
        assert_true(read.ours && read.tagged == tagged);
    }
    struct packet read;
    header[5] ^= 0x0c; /* another host */
    packet_decode(&read, header);
    assert_false(read.ours || read.tagged);
}

/* The word of the end follows what was sent, some of which may be missing. */
UNIT_TEST(the_end_has_a_place)
{
    struct packet_link sender, receiver;
    packet_link_start(&sender, 32, 64, LONGEST);
    packet_link_start(&receiver, 32, 64, LONGEST);
    for (int value = 0; value < 65600; value++) {
        const struct packet_body nothing = {0};
        struct packet taken;
        struct packet_body body;
        assert_true(packet_link_may_end(&receiver, packet_link_end(&sender)));
        add(&sender, PACKET_DATA, 0);
        struct outgoing_packet *packet = packet_link_next(&sender, 0);
        assert_true(packet_link_may_end(&receiver, packet_link_end(&sender)));
        assert_true(packet_link_accept(&receiver, &packet->packet, &nothing));
        assert_true(packet_link_take(&receiver, &taken, &body));
        outgoing_packet_free(packet_link_acknowledge(&sender, taken.sequence, 0));
        assert_false(packet_link_may_end(&receiver, taken.sequence));
        assert_false(packet_link_may_end(&receiver, (uint16_t)(receiver.expected + 65)));
    }
    packet_link_finish(&sender);
    packet_link_finish(&receiver);
}

UNIT_TEST(tries_are_those_of_the_oldest)
{
    struct packet_link link;
    packet_link_start(&link, 8, 10, LONGEST);
    add(&link, PACKET_DATA, 1);
    assert_int_equal(packet_link_tries(&link), 0);
    for (unsigned tries = 1; tries < 4; tries++) {
        const int64_t now = (int64_t)tries * LONGEST;
        packet_link_sent(&link, packet_link_next(&link, now), now);
        assert_int_equal(packet_link_tries(&link), tries);
    }
    add(&link, PACKET_DATA, 2);
    packet_link_sent(&link, packet_link_next(&link, 3 * LONGEST), 3 * LONGEST);
    assert_int_equal(packet_link_tries(&link), 3);
    outgoing_packet_free(packet_link_acknowledge(&link, 1, 3 * LONGEST));
    assert_int_equal(packet_link_tries(&link), 1);
    packet_link_finish(&link);
}

UNIT_TEST(numbers_wrap)
{
    assert_true(packet_precedes(1, 2));
    assert_false(packet_precedes(2, 1));
    assert_false(packet_precedes(7, 7));
    assert_true(packet_precedes(0xffff, 0));
    assert_false(packet_precedes(0, 0xffff));
}

UNIT_TEST(window_bounds_what_is_underway)
{
    struct packet_link link;
    packet_link_start(&link, 2, 10, LONGEST);
    for (uint32_t i = 0; i < 4; i++)
        add(&link, PACKET_DATA, i);
    for (uint16_t number = 1; number <= 2; number++) {
        struct outgoing_packet *packet = packet_link_next(&link, 0);
        assert_int_equal(packet->packet.sequence, number);
        packet_link_sent(&link, packet, 0);
    }
    assert_null(packet_link_next(&link, 0));
    outgoing_packet_free(packet_link_acknowledge(&link, 2, 5));
    assert_int_equal(packet_link_next(&link, 5)->packet.sequence, 3);
    assert_null(packet_link_acknowledge(&link, 2, 5));
    packet_link_finish(&link);
}

/* Sends the packet whenever it is due, until a time; how often it was sent. */
static unsigned send_until(struct packet_link *link, int64_t end)
{
    unsigned sent = 0;
    for (int64_t now = 0; now < end; now = packet_link_due(link)) {
        struct outgoing_packet *packet = packet_link_next(link, now);
        assert_int_equal(packet->packet.sequence, 1);
        packet_link_sent(link, packet, now);
        sent++;
        assert_null(packet_link_next(link, now));
        assert_true(packet_link_due(link) > now);
    }
    return sent;
}

UNIT_TEST(silence_is_answered_at_intervals_that_stop_growing)
{
    struct packet_link link;
    packet_link_start(&link, 8, 10, LONGEST);
    add(&link, PACKET_DATA, 1);
    assert_int_equal(send_until(&link, 30 * LONGEST), 30);
    packet_link_finish(&link);
    packet_link_start(&link, 8, 10, LONGEST);
    link.estimate = 1;
    add(&link, PACKET_DATA, 1);
    assert_in_range(send_until(&link, LONGEST), 5, 7);
    packet_link_finish(&link);
}

UNIT_TEST(too_early_is_as_if_lost)
{
    struct packet_link link;
    const struct packet_body nothing = {0};
    packet_link_start(&link, 1, 3, LONGEST);
    for (uint16_t number = 4; number >= 2; number--)
        assert_true(packet_link_accept(&link, &(struct packet){.sequence = number}, &nothing));
    assert_false(packet_link_accept(&link, &(struct packet){.sequence = 5}, &nothing));
    assert_false(packet_link_accept(&link, &(struct packet){.sequence = 30000}, &nothing));
    assert_true(packet_link_accept(&link, &(struct packet){.sequence = 40000}, &nothing));
    assert_true(packet_link_accept(&link, &(struct packet){.sequence = 4}, &nothing));
    assert_true(packet_link_accept(&link, &(struct packet){.sequence = 1}, &nothing));
    assert_true(packet_link_accept(&link, &(struct packet){.sequence = 1}, &nothing));
    packet_link_finish(&link);
}

/* A packet or an acknowledgement underway. */
struct flight {
    struct packet packet;
    struct packet_body body;
    int64_t arrives;
    bool used;
};

#define FLIGHTS 256

static void launch(struct flight *flights, const struct packet *packet,
                   const struct packet_body *body, int64_t now)
{
    unsigned copies = chance(10) < 3 ? 0 : chance(10) == 0 ? 2 : 1; /* 30 in 100 are lost */
    for (int i = 0; i < FLIGHTS && copies > 0; i++) {
        if (flights[i].used)
            continue;
        flights[i] = (struct flight){*packet, *body, now + 1 + (int64_t)chance(50), true};
        if (body->chunk)
            chunk_hold(body->chunk);
        copies--;
    }
}

/* Thousands of packets one way, the numbers wrapping, over a way that does everything wrong. */
UNIT_TEST(everything_arrives_once_and_in_order)
{
    enum { COUNT = 70000 };
    static struct flight flights[FLIGHTS];
    struct packet_link sender, receiver;
    const struct packet_body nothing = {0};
    uint32_t added = 0, taken = 0;
    seed = 1;
    packet_link_start(&sender, 32, 64, LONGEST);
    packet_link_start(&receiver, 32, 64, LONGEST);
    for (int64_t now = 0; taken < COUNT; now++) {
        while (added < COUNT && sender.waiting.count < 10)
            add(&sender, PACKET_DATA, added++);
        struct outgoing_packet *packet;
        while ((packet = packet_link_next(&sender, now)) != NULL) {
            launch(flights, &packet->packet, &packet->body, now);
            packet_link_sent(&sender, packet, now);
        }
        for (int i = 0; i < FLIGHTS; i++) {
            const struct flight flight = flights[i]; /* an answer may take its place */
            if (!flight.used || flight.arrives > now)
                continue;
            flights[i].used = false;
            if (flight.packet.flags & PACKET_ACK) {
                outgoing_packet_free(
                    packet_link_acknowledge(&sender, flight.packet.acknowledgement, now));
            } else if (packet_link_accept(&receiver, &flight.packet, &flight.body)) {
                const struct packet answer = {.acknowledgement = flight.packet.sequence,
                                              .flags = PACKET_ACK};
                launch(flights, &answer, &nothing, now);
            }
            chunk_release(flight.body.chunk);
        }
        while (receiver.early) {
            uint32_t before = taken;
            struct packet got;
            struct packet_body body;
            if (!packet_link_take(&receiver, &got, &body))
                break;
            memcpy(&before, body.data, sizeof before);
            assert_int_equal(before, taken++);
            chunk_release(body.chunk);
        }
    }
    for (int i = 0; i < FLIGHTS; i++)
        if (flights[i].used)
            chunk_release(flights[i].body.chunk);
    memset(flights, 0, sizeof flights);
    packet_link_finish(&sender);
    packet_link_finish(&receiver);
}

UNIT_TEST(order_is_restored)
{
    struct packet_link link;
    packet_link_start(&link, 1, 10, LONGEST);
    static const uint16_t arrival[] = {3, 1, 2};
    for (size_t i = 0; i < 3; i++) {
        uint32_t value = 100u + arrival[i];
        struct chunk *chunk = chunk_new(sizeof value);
        memcpy(chunk->data, &value, sizeof value);
        const struct packet_body body = {chunk, chunk->data, sizeof value};
        assert_true(packet_link_accept(&link, &(struct packet){.sequence = arrival[i]}, &body));
        chunk_release(chunk);
    }
    for (uint32_t value = 101; value <= 103; value++)
        expect_taken(&link, value);
    packet_link_finish(&link);
}

/* What finds no memory is refused, and comes or goes another time. */
static void refuse_in_a_shortage(void)
{
    struct packet_link link;
    const struct packet packet = {.sequence = 1, .flags = PACKET_DATA};
    const struct packet_body nothing = {0};
    packet_link_start(&link, 1, 10, LONGEST);
    if (packet_link_add(&link, &packet, &nothing) < 0)
        assert_true(shortage_was_met());
    if (!packet_link_accept(&link, &packet, &nothing))
        assert_true(shortage_was_met());
    packet_link_finish(&link);
}

UNIT_TEST(shortage_is_no_end)
{
    shortage_try_each(refuse_in_a_shortage, 2);
}
