/* packet_link.c - numbers, acknowledgements and intervals. */
#include "core/packet_link.h"

#include <stdlib.h>

#define FIRST_ESTIMATE    1000
#define SAMPLE_MOST       9000
#define LEAST_SAMPLE      1
#define LEAST_INTERVAL    20 /* a daemon that waits for its processor is not asked again */
#define RETRY_AFTER_ERROR 300

struct early_packet {
    struct packet packet;
    struct packet_body body;
    struct early_packet *next;
};

void packet_link_start(struct packet_link *link, unsigned window, size_t early_limit,
                       int64_t longest)
{
    *link = (struct packet_link){.window = window,
                                 .early_limit = early_limit,
                                 .longest = longest,
                                 .expected = 1,
                                 .estimate = FIRST_ESTIMATE};
}

void outgoing_packet_free(struct outgoing_packet *packet)
{
    if (!packet)
        return;
    chunk_release(packet->body.chunk);
    free(packet);
}

static void queue_append(struct packet_queue *queue, struct outgoing_packet *packet)
{
    packet->next = NULL;
    *(queue->first ? &queue->last->next : &queue->first) = packet;
    queue->last = packet;
    queue->count++;
}

/* Takes out the packet behind `before`, the first one when that is NULL. */
static struct outgoing_packet *queue_take(struct packet_queue *queue,
                                          struct outgoing_packet *before)
{
    struct outgoing_packet **place = before ? &before->next : &queue->first;
    struct outgoing_packet *packet = *place;
    *place = packet->next;
    if (queue->last == packet)
        queue->last = before;
    queue->count--;
    return packet;
}

static void queue_finish(struct packet_queue *queue)
{
    while (queue->first)
        outgoing_packet_free(queue_take(queue, NULL));
}

void packet_link_finish(struct packet_link *link)
{
    queue_finish(&link->waiting);
    queue_finish(&link->outstanding);
    while (link->early) {
        struct early_packet *early = link->early;
        link->early = early->next;
        chunk_release(early->body.chunk);
        free(early);
    }
}

/* Sending. ------------------------------------------------------------------------------------- */

int packet_link_add(struct packet_link *link, const struct packet *packet,
                    const struct packet_body *body)
{
    struct outgoing_packet *outgoing = calloc(1, sizeof *outgoing);
    if (!outgoing)
        return -1;
    outgoing->packet = *packet;
    outgoing->body = *body;
    if (body->chunk)
        chunk_hold(body->chunk);
    queue_append(&link->waiting, outgoing);
    return 0;
}

static int64_t packet_link_interval(const struct packet_link *link)
{
    int64_t interval = 2 * link->estimate;
    if (interval < LEAST_INTERVAL)
        interval = LEAST_INTERVAL;
    return interval < link->longest ? interval : link->longest;
}

/* A packet that may go out for the first time, with its number; FIN goes whatever is underway. */
static struct outgoing_packet *packet_link_number(struct packet_link *link)
{
    struct outgoing_packet *packet = link->waiting.first;
    if (!packet ||
        (link->outstanding.count >= link->window && !(packet->packet.flags & PACKET_FIN)))
        return NULL;
    queue_take(&link->waiting, NULL);
    packet->packet.sequence = ++link->last_number;
    packet->interval = packet_link_interval(link);
    queue_append(&link->outstanding, packet);
    return packet;
}

struct outgoing_packet *packet_link_next(struct packet_link *link, int64_t now)
{
    for (struct outgoing_packet *packet = link->outstanding.first; packet; packet = packet->next)
        if (packet->due <= now)
            return packet;
    return packet_link_number(link);
}

void packet_link_sent(const struct packet_link *link, struct outgoing_packet *packet, int64_t now)
{
    if (packet->transmissions++ == 0)
        packet->sent = now;
    packet->due = now + packet->interval;
    packet->interval = 2 * packet->interval < link->longest ? 2 * packet->interval : link->longest;
}

void packet_link_deferred(struct outgoing_packet *packet, int64_t now)
{
    packet->due = now + RETRY_AFTER_ERROR;
}

int64_t packet_link_due(const struct packet_link *link)
{
    int64_t due = -1;
    for (const struct outgoing_packet *packet = link->outstanding.first; packet;
         packet = packet->next)
        if (due < 0 || packet->due < due)
            due = packet->due;
    return due;
}

/* Only a packet that was sent once tells how long its way is. */
static void packet_link_measure(struct packet_link *link, const struct outgoing_packet *packet,
                                int64_t now)
{
    int64_t sample = now - packet->sent;
    if (packet->transmissions != 1)
        return;
    if (sample < LEAST_SAMPLE)
        sample = LEAST_SAMPLE;
    if (sample > SAMPLE_MOST)
        sample = SAMPLE_MOST;
    link->estimate = (3 * link->estimate + sample) / 4;
    if (link->estimate < LEAST_SAMPLE)
        link->estimate = LEAST_SAMPLE;
}

struct outgoing_packet *packet_link_acknowledge(struct packet_link *link, uint16_t number,
                                                int64_t now)
{
    struct outgoing_packet *before = NULL;
    for (struct outgoing_packet *packet = link->outstanding.first; packet; packet = packet->next) {
        if (packet->packet.sequence == number) {
            packet_link_measure(link, packet, now);
            return queue_take(&link->outstanding, before);
        }
        before = packet;
    }
    return NULL;
}

/* Receiving. ----------------------------------------------------------------------------------- */

/* Where a packet with the number belongs among the early ones; *there: it has come. */
static struct early_packet **packet_link_place(struct packet_link *link, uint16_t number,
                                               bool *there)
{
    struct early_packet **place = &link->early;
    while (*place && packet_precedes((*place)->packet.sequence, number))
        place = &(*place)->next;
    *there = *place && (*place)->packet.sequence == number;
    return place;
}

bool packet_link_accept(struct packet_link *link, const struct packet *packet,
                        const struct packet_body *body)
{
    bool there;
    if (packet_precedes(packet->sequence, link->expected))
        return true;
    if ((uint16_t)(packet->sequence - link->expected) > link->early_limit)
        return false;
    struct early_packet **place = packet_link_place(link, packet->sequence, &there);
    if (there)
        return true;
    struct early_packet *early = malloc(sizeof *early);
    if (!early)
        return false;
    *early = (struct early_packet){*packet, *body, *place};
    if (body->chunk)
        chunk_hold(body->chunk);
    *place = early;
    return true;
}

bool packet_link_take(struct packet_link *link, struct packet *packet, struct packet_body *body)
{
    struct early_packet *early = link->early;
    if (!early || early->packet.sequence != link->expected)
        return false;
    link->early = early->next;
    link->expected++;
    *packet = early->packet;
    *body = early->body;
    free(early);
    return true;
}
