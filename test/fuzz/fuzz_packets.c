/*
 * fuzz_packets.c - two sides of a link between daemons, and a way between them on which packets are
 * lost, doubled, delayed, and invented.
 *
 * Input: steps, each a byte that says what happens and what that needs. What one side was given
 * must come out of the other, once and in order, unless an invented packet took its number; an
 * inventor never makes either side hold more than its limits.
 */
#include "core/packet_link.h"

#include "input.h"

#define WINDOW  8
#define LIMIT   32
#define LONGEST 5000
#define FLIGHTS 64

struct flight {
    struct packet packet;
    struct packet_body body;
    bool invented;
};

struct way {
    struct packet_link links[2];
    struct flight flights[2][FLIGHTS]; /* to each side */
    size_t count[2];
    uint32_t given[2], taken[2]; /* by each side, to the other one */
    bool spoilt[2];              /* an invented packet was kept by this side */
    int64_t now;
};

static void launch(struct way *way, int to, const struct flight *flight)
{
    if (way->count[to] == FLIGHTS)
        return;
    way->flights[to][way->count[to]++] = *flight;
    if (flight->body.chunk)
        chunk_hold(flight->body.chunk);
}

static struct packet_body body_of(const void *bytes, size_t size)
{
    struct chunk *chunk = chunk_new(size);
    MUST(chunk);
    memcpy(chunk->data, bytes, size);
    return (struct packet_body){chunk, chunk->data, size};
}

static void give(struct way *way, int side)
{
    const struct packet packet = {.destination = 1, .source = 2, .flags = PACKET_DATA};
    struct packet_body body = body_of(&way->given[side], sizeof way->given[side]);
    MUST(packet_link_add(&way->links[side], &packet, &body) == 0);
    chunk_release(body.chunk);
    way->given[side]++;
}

static void send_some(struct way *way, int side)
{
    struct outgoing_packet *packet;
    for (int i = 0; i < 4 && (packet = packet_link_next(&way->links[side], way->now)); i++) {
        const struct flight flight = {packet->packet, packet->body, false};
        launch(way, !side, &flight);
        packet_link_sent(&way->links[side], packet, way->now);
        MUST(packet_link_due(&way->links[side]) >= 0);
    }
    MUST(way->links[side].outstanding.count <= WINDOW);
}

static void take_all(struct way *way, int side)
{
    struct packet packet;
    struct packet_body body;
    while (packet_link_take(&way->links[side], &packet, &body)) {
        if (!way->spoilt[side]) {
            MUST(body.length == sizeof way->taken[side] &&
                 memcmp(body.data, &way->taken[side], body.length) == 0);
            MUST(way->taken[side] < way->given[!side]);
        }
        way->taken[side]++;
        chunk_release(body.chunk);
    }
}

static void arrive(struct way *way, int side, size_t index, bool stays)
{
    struct packet_link *link = &way->links[side];
    if (way->count[side] == 0)
        return;
    index %= way->count[side];
    struct flight flight = way->flights[side][index];
    if (!stays)
        way->flights[side][index] = way->flights[side][--way->count[side]];
    if (flight.packet.flags & PACKET_ACK) {
        outgoing_packet_free(
            packet_link_acknowledge(link, flight.packet.acknowledgement, way->now));
    } else if (packet_link_accept(link, &flight.packet, &flight.body)) {
        const struct flight answer = {
            {.acknowledgement = flight.packet.sequence, .flags = PACKET_ACK}, {0}, false};
        way->spoilt[side] |= flight.invented;
        launch(way, !side, &answer);
        take_all(way, side);
    }
    if (!stays)
        chunk_release(flight.body.chunk);
}

static void lose(struct way *way, int side)
{
    if (way->count[side] > 0)
        chunk_release(way->flights[side][--way->count[side]].body.chunk);
}

/* A header from the input, as a forger would send it. An invented acknowledgement loses packets. */
static void invent(struct way *way, int side, struct input *input)
{
    unsigned char header[PACKET_HEADER_SIZE] = {0};
    struct flight flight = {.invented = true};
    struct input part = input_part(input, sizeof header);
    memcpy(header, part.bytes, part.size);
    packet_decode(&flight.packet, header);
    way->spoilt[!side] |= (flight.packet.flags & PACKET_ACK) != 0;
    flight.body = body_of(header, sizeof header);
    launch(way, side, &flight);
    chunk_release(flight.body.chunk);
    packet_encode(&flight.packet, header);
    MUST(part.size < sizeof header || memcmp(header, part.bytes, 13) == 0);
}

static void step(struct way *way, struct input *input)
{
    unsigned what = input_byte(input);
    int side = what >= 128;
    switch (what % 8) {
    case 0:
        give(way, side);
        break;
    case 1:
    case 2:
        send_some(way, side);
        break;
    case 3:
    case 4:
        arrive(way, side, input_byte(input), false);
        break;
    case 5:
        arrive(way, side, input_byte(input), true);
        break;
    case 6:
        way->now += 100 * (int64_t)input_byte(input);
        break;
    default:
        if (what & 64)
            invent(way, side, input);
        else
            lose(way, side);
    }
}

/* Without losses everything comes in the end. */
static void expect_all(struct way *way)
{
    for (int side = 0; side < 2; side++)
        while (way->count[side] > 0)
            lose(way, side);
    for (int round = 0; round < 10000 && !way->spoilt[0] && !way->spoilt[1]; round++) {
        bool idle = packet_link_is_idle(&way->links[0]) && packet_link_is_idle(&way->links[1]);
        if (idle)
            break;
        way->now += 10000;
        for (int side = 0; side < 2; side++) {
            send_some(way, side);
            while (way->count[!side] > 0)
                arrive(way, !side, 0, false);
            while (way->count[side] > 0)
                arrive(way, side, 0, false);
        }
    }
    for (int side = 0; side < 2; side++)
        MUST(way->spoilt[0] || way->spoilt[1] || way->taken[side] == way->given[!side]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct way way;
    struct input input = {data, size};
    memset(&way, 0, sizeof way);
    for (int side = 0; side < 2; side++)
        packet_link_start(&way.links[side], WINDOW, LIMIT, LONGEST);
    while (input.size > 0)
        step(&way, &input);
    expect_all(&way);
    for (int side = 0; side < 2; side++) {
        while (way.count[side] > 0)
            lose(&way, side);
        packet_link_finish(&way.links[side]);
    }
    return 0;
}
