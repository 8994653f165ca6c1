/* host_packets.c - cutting, sending again and acknowledging. */
#include "daemon/post/host_packets.h"

#include <string.h>

#include "core/control.h"
#include "core/tid.h"
#include "daemon/base/log.h"
#include "daemon/post/datagrams.h"
#include "daemon/post/host_link.h"
#include "daemon/post/post_room.h"

#define EARLY_LIMIT 1024

/*
 * How often a packet is sent, at least, before its host is given up: when each way loses half, the
 * odds that all of them fail are 1 to 5000.
 */
#define TRIES 30

static void host_packets_flush(struct host_link *link)
{
    struct outgoing_packet *packet;
    int64_t now = loop_now();
    while (!link->blocked && (packet = packet_link_next(&link->packets, now)) != NULL) {
        switch (datagrams_send(&link->daemon->post->datagrams, link->host, &packet->packet,
                               &packet->body)) {
        case DATAGRAM_SENT:
            link->daemon->statistics.packets++;
            packet_link_sent(&link->packets, packet, now);
            break;
        case DATAGRAM_FULL:
            link->blocked = true;
            break;
        case DATAGRAM_ERROR:
            packet_link_deferred(packet, now);
            break;
        }
    }
    int64_t due = link->blocked ? -1 : packet_link_due(&link->packets);
    if (due < 0)
        loop_timer_cancel(&link->timer);
    else
        loop_timer_set(&link->daemon->loop, &link->timer, due > now ? (int)(due - now) : 0);
}

static void host_packets_run_flush(struct loop_work *work)
{
    host_packets_flush(LIST_OWNER(work, struct host_link, flush));
}

static void host_packets_expire(struct loop_timer *timer)
{
    host_packets_flush(LIST_OWNER(timer, struct host_link, timer));
}

void host_packets_start(struct host_link *link)
{
    const struct daemon *daemon = link->daemon;
    packet_link_start(&link->packets, daemon->post->hosts.window, EARLY_LIMIT,
                      daemon->settings.host_patience / TRIES);
    loop_work_start(&link->flush, host_packets_run_flush);
    loop_timer_start(&link->timer, host_packets_expire);
}

void host_packets_stop(struct host_link *link)
{
    link->blocked = true;
    loop_work_cancel(&link->flush);
    loop_timer_cancel(&link->timer);
}

void host_packets_unblock(struct host_link *link)
{
    if (link->stopped)
        return;
    link->blocked = false;
    loop_defer(&link->daemon->loop, &link->flush);
}

/* Bytes that a packet takes while it waits. */
static size_t host_packets_cost(const struct packet_body *body)
{
    return sizeof(struct outgoing_packet) + body->length;
}

/* Queues bytes as one frame, cut into packets that the peer takes. */
static void host_packets_cut(struct host_link *link, const struct packet *whole,
                             const struct packet_body *body)
{
    size_t most = (size_t)link->host->mtu - PACKET_HEADER_SIZE;
    size_t at = 0;
    do {
        size_t length = body->length - at < most ? body->length - at : most;
        const struct packet_body piece = {body->chunk, body->data + at, length};
        struct packet packet = *whole;
        if (at > 0)
            packet.flags &= (uint8_t)~PACKET_FIRST;
        at += length;
        if (at < body->length)
            packet.flags &= (uint8_t)~PACKET_LAST;
        if (packet_link_add(&link->packets, &packet, &piece) < 0) {
            log_write("no memory for what goes to the host %s: a message is lost",
                      link->host->name);
            break;
        }
        backlog_add(&link->backlog, host_packets_cost(&piece));
    } while (at < body->length);
    loop_defer(&link->daemon->loop, &link->flush);
}

static uint32_t host_packets_own(const struct host_link *link)
{
    return hosts_own(&link->daemon->post->hosts)->part | TID_DAEMON_BIT;
}

/* A packet speaks for its host. What a task that was born elsewhere has sent travels in a message. */
static void host_packets_wrap(struct host_link *link, const struct received_frame *received,
                              uint32_t destination)
{
    struct message *message = control_new(CONTROL_FRAME, 0, 0);
    control_put_tid(message, destination);
    control_put_tid(message, received->frame.source);
    control_put_int(message, received->frame.flags);
    control_put_int(message, (int32_t)received->frame.length);
    control_put_bytes(message, received->body, received->frame.length);
    if (control_is_whole(message))
        host_packets_send(link, message);
    else
        log_write("no memory for what goes to the host %s: a message is lost", link->host->name);
    message_free(message);
}

void host_packets_forward(struct host_link *link, const struct received_frame *received,
                          uint32_t destination)
{
    const struct frame *frame = &received->frame;
    if (link->upgrade.known &&
        tid_host_part(frame->source) != tid_host_part(host_packets_own(link))) {
        host_packets_wrap(link, received, destination);
        return;
    }
    const struct packet packet = {
        .destination = destination,
        .source = frame->source,
        .flags = PACKET_DATA | (frame->flags & FRAME_FIRST ? PACKET_FIRST : 0) |
                 (frame->flags & FRAME_LAST ? PACKET_LAST : 0),
    };
    const struct packet_body body = {received->chunk, received->body, frame->length};
    host_packets_cut(link, &packet, &body);
}

struct received_frame host_packets_frame(const struct message *message, uint32_t destination,
                                         uint32_t source)
{
    size_t length = FRAME_MESSAGE_HEADER_SIZE + message->length;
    struct received_frame whole = {
        .frame = {destination, source, (uint32_t)length, FRAME_FIRST | FRAME_LAST},
        .chunk = chunk_new(FRAME_HEADER_SIZE + length),
    };
    if (!whole.chunk)
        return whole;
    whole.body = whole.chunk->data + FRAME_HEADER_SIZE;
    frame_encode_message(&message->header, source, whole.body);
    unsigned char *end = whole.body + FRAME_MESSAGE_HEADER_SIZE;
    for (size_t i = 0; i < message->segment_count; i++) {
        memcpy(end, message->segments[i].data, message->segments[i].length);
        end += message->segments[i].length;
    }
    return whole;
}

void host_packets_send(struct host_link *link, const struct message *message)
{
    uint32_t destination = link->host->part | TID_DAEMON_BIT;
    struct received_frame whole = host_packets_frame(message, destination, host_packets_own(link));
    if (whole.chunk)
        host_packets_forward(link, &whole, destination);
    else
        log_write("no memory for a message to the host %s: it is lost", link->host->name);
    chunk_release(whole.chunk);
}

void host_packets_ask(struct host_link *link)
{
    struct message *question = control_new(DM_NULL, 0, 0);
    if (question)
        host_packets_send(link, question);
    message_free(question);
}

static struct packet host_packets_new(const struct host_link *link, uint8_t flags)
{
    return (struct packet){
        .destination = link->host->part | TID_DAEMON_BIT,
        .source = host_packets_own(link),
        .flags = flags,
    };
}

void host_packets_end(struct host_link *link)
{
    const struct packet packet = host_packets_new(link, PACKET_FIN);
    const struct packet_body nothing = {0};
    link->ending = true;
    if (packet_link_add(&link->packets, &packet, &nothing) < 0)
        log_write("no memory to end the host %s: it is left", link->host->name);
    else
        backlog_add(&link->backlog, host_packets_cost(&nothing));
    loop_defer(&link->daemon->loop, &link->flush);
}

void host_packets_say_ended(struct host_link *link)
{
    struct packet packet = host_packets_new(link, PACKET_FIN | PACKET_ACK);
    const struct packet_body nothing = {0};
    if (link->host->key.used)
        packet.sequence = packet_link_end(&link->packets);
    datagrams_send(&link->daemon->post->datagrams, link->host, &packet, &nothing);
}

void host_packets_acknowledge(struct host_link *link, uint16_t number)
{
    struct packet packet = host_packets_new(link, PACKET_ACK);
    const struct packet_body nothing = {0};
    packet.acknowledgement = number;
    datagrams_send(&link->daemon->post->datagrams, link->host, &packet, &nothing);
}

bool host_packets_take_acknowledgement(struct host_link *link, uint16_t number)
{
    struct outgoing_packet *packet = packet_link_acknowledge(&link->packets, number, loop_now());
    bool was_end = packet && (packet->packet.flags & PACKET_FIN);
    if (packet)
        backlog_remove(&link->backlog, host_packets_cost(&packet->body));
    outgoing_packet_free(packet);
    if (!was_end)
        loop_defer(&link->daemon->loop, &link->flush);
    return was_end;
}
