/* host_link.c - packets of one other daemon. */
#include "daemon/host_link.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/tid.h"
#include "daemon/daemon.h"
#include "daemon/datagrams.h"
#include "daemon/log.h"

#define EARLY_LIMIT 1024

/*
 * A host takes what is sent to it without waiting for its tasks, so that more would only be in the
 * way of what comes behind.
 */
#define BACKLOG_MOST ((size_t)32 << 20)

/*
 * How often a packet is sent, at least, before its host is given up: when each way loses half, the
 * odds that all of them fail are 1 to 5000.
 */
#define TRIES 30

/*
 * So often a packet is sent and refused before the daemon counts as gone, if there was a connection
 * and it is over. One refusal alone may come from anything on the way.
 */
#define REFUSALS 3

static void host_link_flush(struct host_link *link);

static void host_link_run_flush(struct loop_work *work)
{
    host_link_flush(LIST_OWNER(work, struct host_link, flush));
}

static void host_link_expire(struct loop_timer *timer)
{
    host_link_flush(LIST_OWNER(timer, struct host_link, timer));
}

bool host_link_is_idle(const struct host_link *link)
{
    return packet_link_is_idle(&link->packets);
}

struct host_link *host_link_new(struct daemon *daemon, struct host *host)
{
    struct host_link *link = calloc(1, sizeof *link);
    if (!link)
        return NULL;
    link->daemon = daemon;
    link->host = host;
    packet_link_start(&link->packets, daemon->hosts.window, EARLY_LIMIT,
                      daemon->settings.host_patience / TRIES);
    backlog_start(&link->backlog, &daemon->backlogs, BACKLOG_MOST);
    link->backlog.tid = host->part | TID_DAEMON_BIT;
    assembler_start(&link->assembler);
    link->assembler.limit = daemon->settings.request_limit;
    loop_work_start(&link->flush, host_link_run_flush);
    loop_timer_start(&link->timer, host_link_expire);
    link_upgrade_start(link);
    return link;
}

void host_link_stop(struct host_link *link)
{
    link->blocked = true;
    loop_work_cancel(&link->flush);
    loop_timer_cancel(&link->timer);
    link_upgrade_stop(link);
}

void host_link_free(struct host_link *link)
{
    host_link_stop(link);
    packet_link_finish(&link->packets);
    host_stream_finish(&link->stream);
    backlog_finish(&link->backlog);
    assembler_finish(&link->assembler);
    free(link);
}

/* Sending. ------------------------------------------------------------------------------------- */

static void host_link_flush(struct host_link *link)
{
    struct outgoing_packet *packet;
    int64_t now = loop_now();
    while (!link->blocked && (packet = packet_link_next(&link->packets, now)) != NULL) {
        switch (
            datagrams_send(&link->daemon->datagrams, link->host, &packet->packet, &packet->body)) {
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
    int64_t due = packet_link_due(&link->packets);
    if (due < 0)
        loop_timer_cancel(&link->timer);
    else
        loop_timer_set(&link->daemon->loop, &link->timer, due > now ? (int)(due - now) : 0);
}

void host_link_unblock(struct host_link *link)
{
    link->blocked = false;
    loop_defer(&link->daemon->loop, &link->flush);
}

/* Bytes that a packet takes while it waits. */
static size_t host_link_cost(const struct packet_body *body)
{
    return sizeof(struct outgoing_packet) + body->length;
}

/* Queues bytes as one frame, cut into packets that the peer takes. */
static void host_link_cut(struct host_link *link, const struct packet *whole,
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
        backlog_add(&link->backlog, host_link_cost(&piece));
    } while (at < body->length);
    loop_defer(&link->daemon->loop, &link->flush);
}

void host_link_forward_packets(struct host_link *link, const struct received_frame *received,
                               uint32_t destination)
{
    const struct frame *frame = &received->frame;
    const struct packet packet = {
        .destination = destination,
        .source = frame->source,
        .flags = PACKET_DATA | (frame->flags & FRAME_FIRST ? PACKET_FIRST : 0) |
                 (frame->flags & FRAME_LAST ? PACKET_LAST : 0),
    };
    const struct packet_body body = {received->chunk, received->body, frame->length};
    host_link_cut(link, &packet, &body);
}

static void host_link_forward_in_flow(struct host_link *link, uint32_t flow,
                                      const struct received_frame *received)
{
    if (link->stream.sending)
        host_stream_forward(&link->stream, flow, received);
    else
        host_link_forward_packets(link, received, received->frame.destination);
}

void host_link_forward(struct host_link *link, const struct received_frame *received,
                       uint32_t destination)
{
    struct received_frame to = *received;
    to.frame.destination = destination;
    host_link_forward_in_flow(link, to.frame.source, &to);
}

/* The message as one frame, behind the room for its header. NULL in the chunk: no memory. */
static struct received_frame host_link_frame(const struct message *message, uint32_t destination,
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

void host_link_send(struct host_link *link, const struct message *message, uint32_t destination,
                    uint32_t source)
{
    uint32_t serving = tid_is_daemon(destination) ? link->daemon->serving : 0;
    struct received_frame whole = host_link_frame(message, destination, source);
    if (whole.chunk)
        host_link_forward_in_flow(link, serving ? serving : source, &whole);
    else
        log_write("no memory for a message to the host %s: it is lost", link->host->name);
    chunk_release(whole.chunk);
}

static uint32_t host_link_own(const struct host_link *link)
{
    return hosts_own(&link->daemon->hosts)->part | TID_DAEMON_BIT;
}

void host_link_send_packets(struct host_link *link, const struct message *message)
{
    uint32_t destination = link->host->part | TID_DAEMON_BIT;
    struct received_frame whole = host_link_frame(message, destination, host_link_own(link));
    if (whole.chunk)
        host_link_forward_packets(link, &whole, destination);
    else
        log_write("no memory for a message to the host %s: it is lost", link->host->name);
    chunk_release(whole.chunk);
}

void host_link_end_flow(struct host_link *link, uint32_t tid)
{
    if (flows_join(&link->stream.flows, tid, host_link_own(link)) < 0)
        log_write("no memory: what t%x has sent may come to the host %s after the word of its end",
                  tid, link->host->name);
}

size_t host_link_queued(const struct host_link *link, uint32_t tid)
{
    return flows_waiting(&link->stream.flows, tid);
}

static struct packet host_link_packet(const struct host_link *link, uint8_t flags)
{
    return (struct packet){
        .destination = link->host->part | TID_DAEMON_BIT,
        .source = host_link_own(link),
        .flags = flags,
    };
}

void host_link_end(struct host_link *link)
{
    const struct packet packet = host_link_packet(link, PACKET_FIN);
    const struct packet_body nothing = {0};
    link->ending = true;
    if (packet_link_add(&link->packets, &packet, &nothing) < 0)
        log_write("no memory to end the host %s: it is left", link->host->name);
    else
        backlog_add(&link->backlog, host_link_cost(&nothing));
    loop_defer(&link->daemon->loop, &link->flush);
}

void host_link_say_ended(struct host_link *link)
{
    struct packet packet = host_link_packet(link, PACKET_FIN | PACKET_ACK);
    const struct packet_body nothing = {0};
    if (link->host->key.used)
        packet.sequence = packet_link_end(&link->packets);
    datagrams_send(&link->daemon->datagrams, link->host, &packet, &nothing);
}

/* Receiving. ----------------------------------------------------------------------------------- */

static void host_link_acknowledge(struct host_link *link, uint16_t number)
{
    struct packet packet = host_link_packet(link, PACKET_ACK);
    const struct packet_body nothing = {0};
    packet.acknowledgement = number;
    datagrams_send(&link->daemon->datagrams, link->host, &packet, &nothing);
}

static void host_link_take_acknowledgement(struct host_link *link, uint16_t number)
{
    struct outgoing_packet *packet = packet_link_acknowledge(&link->packets, number, loop_now());
    bool was_end = packet && (packet->packet.flags & PACKET_FIN);
    if (packet)
        backlog_remove(&link->backlog, host_link_cost(&packet->body));
    outgoing_packet_free(packet);
    if (was_end) {
        host_link_say_ended(link);
        link->daemon->upcalls.host_lost(link->daemon, link->host);
    } else {
        loop_defer(&link->daemon->loop, &link->flush);
    }
}

static void host_link_take_data(struct host_link *link, const struct packet *packet,
                                const struct received_frame *received)
{
    const struct packet_body body = {received->chunk, received->body, received->frame.length};
    if (!packet_link_accept(&link->packets, packet, &body))
        return; /* as if lost: it will come again */
    host_link_acknowledge(link, packet->sequence);
    struct packet next;
    struct packet_body bytes;
    struct daemon *daemon = link->daemon;
    uint32_t part = link->host->part;
    while (hosts_link(&daemon->hosts, part) == link &&
           packet_link_take(&link->packets, &next, &bytes)) {
        struct received_frame frame = {
            .frame = {.destination = next.destination,
                      .source = next.source,
                      .length = (uint32_t)bytes.length,
                      .flags = next.flags & (FRAME_FIRST | FRAME_LAST)},
            .chunk = bytes.chunk,
            .body = bytes.data,
        };
        daemon->upcalls.host_frame(link, &frame);
        chunk_release(bytes.chunk);
    }
}

/* That of a daemon without a key, as one of 3.4.6, has no number. */
static void host_link_take_end(struct host_link *link, const struct packet *packet)
{
    if (!link->host->key.required || packet_link_may_end(&link->packets, packet->sequence))
        link->daemon->upcalls.host_ended(link->daemon, link->host);
    else
        complain(&link->daemon->complaints, link->host->part,
                 "the host %s says that it ends, at a wrong place: it does not count",
                 link->host->name);
}

void host_link_take(struct host_link *link, const struct packet *packet,
                    const struct received_frame *received)
{
    const uint8_t ended = PACKET_FIN | PACKET_ACK;
    link->heard = link->spoken = true;
    link->refusals = 0;
    if (packet->ours)
        link_upgrade_meet(link);
    if ((packet->flags & ended) == ended)
        host_link_take_end(link, packet);
    else if (packet->flags & PACKET_ACK)
        host_link_take_acknowledgement(link, packet->acknowledgement);
    else if (packet->flags & PACKET_DATA)
        host_link_take_data(link, packet, received);
    else if (packet->flags & PACKET_FIN)
        host_link_acknowledge(link, packet->sequence);
}

void host_link_take_refusal(struct host_link *link)
{
    if (!link->upgrade.was_up || link->stream.source.fd >= 0)
        return;
    if (++link->refusals < REFUSALS || packet_link_tries(&link->packets) < REFUSALS)
        return;
    log_write("the connection with the host %s is over and its daemon's port has nobody: it is "
              "given up",
              link->host->name);
    link->daemon->upcalls.host_lost(link->daemon, link->host);
}
