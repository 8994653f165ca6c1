/* host_link.c - which way to another daemon, and what comes from it. */
#include "daemon/post/host_link.h"

#include <stdlib.h>

#include "core/control.h"
#include "core/tid.h"
#include "daemon/base/log.h"
#include "daemon/post/host_packets.h"
#include "daemon/post/post_room.h"

/*
 * A host takes what is sent to it without waiting for its tasks, so that more would only be in the
 * way of what comes behind.
 */
#define BACKLOG_MOST ((size_t)32 << 20)

/*
 * So often a packet is sent and refused before the daemon counts as gone, if there was a connection
 * and it is over. One refusal alone may come from anything on the way.
 */
#define REFUSALS 3

/* The flow of what no other flow may delay. */
#define AHEAD_FLOW 0

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
    backlog_start(&link->backlog, &daemon->backlogs, BACKLOG_MOST);
    link->backlog.tid = host->part | TID_DAEMON_BIT;
    assembler_start(&link->assembler);
    link->assembler.limit = daemon->settings.request_limit;
    host_packets_start(link);
    link_upgrade_start(link);
    holds_start(&link->holds, &daemon->backlogs, link->backlog.tid);
    return link;
}

void host_link_stop(struct host_link *link)
{
    link->stopped = true;
    host_packets_stop(link);
    link_upgrade_stop(link);
}

void host_link_free(struct host_link *link)
{
    host_link_stop(link);
    packet_link_finish(&link->packets);
    host_stream_finish(&link->stream);
    holds_finish(&link->holds);
    backlog_finish(&link->backlog);
    assembler_finish(&link->assembler);
    free(link);
}

/* Sending. ------------------------------------------------------------------------------------- */

static void host_link_pass(struct host_link *link, uint32_t flow,
                           const struct received_frame *received)
{
    if (link->stream.sending)
        host_stream_forward(&link->stream, flow, received);
    else
        host_packets_forward(link, received, received->frame.destination);
}

static void host_link_keep(struct host_link *link, uint32_t flow,
                           const struct received_frame *received)
{
    if (holds_keep(&link->holds, flow, received) < 0)
        log_write("no memory for what goes to the host %s: a message is lost", link->host->name);
}

static void host_link_forward_in_flow(struct host_link *link, uint32_t flow,
                                      const struct received_frame *received)
{
    if (holds_has(&link->holds, flow))
        host_link_keep(link, flow, received);
    else
        host_link_pass(link, flow, received);
}

void host_link_forward_on_tree(struct host_link *link, uint32_t flow,
                               const struct received_frame *received, bool due)
{
    if (!due && holds_keeps_any(&link->holds, flow))
        host_link_keep(link, flow, received);
    else
        host_link_pass(link, flow, received);
}

void host_link_hold(struct host_link *link, uint32_t flow)
{
    if (holds_begin(&link->holds, flow) < 0)
        log_write("no memory: what comes straight to the host %s may overtake a multicast",
                  link->host->name);
}

void host_link_go_on(struct host_link *link, uint32_t flow)
{
    struct received_frame received;
    if (!holds_end(&link->holds, flow))
        return;
    while (holds_take(&link->holds, flow, &received)) {
        host_link_pass(link, flow, &received);
        chunk_release(received.chunk);
    }
}

void host_link_forward(struct host_link *link, const struct received_frame *received,
                       uint32_t destination)
{
    struct received_frame to = *received;
    to.frame.destination = destination;
    host_link_forward_in_flow(link, to.frame.source, &to);
}

void host_link_send(struct host_link *link, const struct message *message, uint32_t destination,
                    uint32_t source)
{
    uint32_t serving = tid_is_daemon(destination) ? link->daemon->post->serving : 0;
    struct received_frame whole = host_packets_frame(message, destination, source);
    if (whole.chunk)
        host_link_forward_in_flow(link, serving ? serving : source, &whole);
    else
        log_write("no memory for a message to the host %s: it is lost", link->host->name);
    chunk_release(whole.chunk);
}

/* A message of this daemon to the other one, as a frame; frees the message. NULL: no memory. */
static struct received_frame host_link_frame(const struct host_link *link, struct message *message)
{
    const struct hosts *hosts = &link->daemon->post->hosts;
    uint32_t own = hosts_own(hosts)->part | TID_DAEMON_BIT, to = link->host->part | TID_DAEMON_BIT;
    struct received_frame whole = {0};
    if (control_is_whole(message))
        whole = host_packets_frame(message, to, own);
    if (!whole.chunk)
        log_write("no memory for a message to the host %s: it is lost", link->host->name);
    message_free(message);
    return whole;
}

void host_link_send_on_tree(struct host_link *link, uint32_t flow, struct message *message,
                            bool due)
{
    struct received_frame whole = host_link_frame(link, message);
    if (whole.chunk)
        host_link_forward_on_tree(link, flow, &whole, due);
    chunk_release(whole.chunk);
}

void host_link_send_ahead(struct host_link *link, struct message *message)
{
    host_link_send_on_tree(link, AHEAD_FLOW, message, true);
}

/*
 * Flows that are held count as having frames for all tasks. The sources go to `sources`, if there
 * is room for all of them. Returns how many there are.
 */
static size_t host_link_list_to(const struct host_link *link, uint32_t tid, uint32_t *sources,
                                size_t room)
{
    size_t count = flows_list_to(&link->stream.flows, tid, sources, room);
    for (uint32_t flow = holds_next(&link->holds, 0); flow; flow = holds_next(&link->holds, flow)) {
        size_t i = 0;
        while (i < count && i < room && sources[i] != flow)
            i++;
        if (i < count && i < room)
            continue;
        if (count < room)
            sources[count] = flow;
        count++;
    }
    return count;
}

void host_link_send_behind(struct host_link *link, struct message *message, uint32_t tid)
{
    uint32_t own = hosts_own(&link->daemon->post->hosts)->part | TID_DAEMON_BIT;
    size_t room = host_link_list_to(link, tid, NULL, 0) + 1, count = 0;
    uint32_t *sources = malloc(room * sizeof *sources);
    if (sources)
        count = host_link_list_to(link, tid, sources, room);
    control_put_int(message, (int32_t)count + 1);
    struct received_frame whole = host_link_frame(link, message);
    for (size_t i = 0; whole.chunk && i < count; i++)
        host_link_forward_in_flow(link, sources[i], &whole);
    if (whole.chunk)
        host_link_forward_in_flow(link, own, &whole);
    chunk_release(whole.chunk);
    free(sources);
}

void host_link_end_flow(struct host_link *link, uint32_t tid)
{
    uint32_t own = hosts_own(&link->daemon->post->hosts)->part | TID_DAEMON_BIT;
    if (flows_join(&link->stream.flows, tid, own) < 0 || holds_join(&link->holds, tid, own) < 0)
        log_write("no memory: what t%x has sent may come to the host %s after the word of its end",
                  tid, link->host->name);
}

/* Receiving. ----------------------------------------------------------------------------------- */

static void host_link_take_acknowledgement(struct host_link *link, uint16_t number)
{
    if (!host_packets_take_acknowledgement(link, number))
        return;
    host_packets_say_ended(link);
    link->daemon->post->upcalls.host_lost(link->daemon, link->host);
}

static void host_link_take_data(struct host_link *link, const struct packet *packet,
                                const struct received_frame *received)
{
    const struct packet_body body = {received->chunk, received->body, received->frame.length};
    if (!packet_link_accept(&link->packets, packet, &body))
        return; /* as if lost: it will come again */
    host_packets_acknowledge(link, packet->sequence);
    struct packet next;
    struct packet_body bytes;
    struct daemon *daemon = link->daemon;
    uint32_t part = link->host->part;
    while (hosts_link(&daemon->post->hosts, part) == link &&
           packet_link_take(&link->packets, &next, &bytes)) {
        struct received_frame frame = {
            .frame = {.destination = next.destination,
                      .source = next.source,
                      .length = (uint32_t)bytes.length,
                      .flags = next.flags & (FRAME_FIRST | FRAME_LAST)},
            .chunk = bytes.chunk,
            .body = bytes.data,
        };
        daemon->post->upcalls.host_frame(link, &frame);
        chunk_release(bytes.chunk);
    }
}

/* That of a daemon without a key, as one of 3.4.6, has no number. */
static void host_link_take_end(struct host_link *link, const struct packet *packet)
{
    if (!link->host->key.required || packet_link_may_end(&link->packets, packet->sequence))
        link->daemon->post->upcalls.host_ended(link->daemon, link->host);
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
    if (packet_deposes(packet) && hosts_may_rule(&link->daemon->post->hosts, &link->host->key))
        link->daemon->post->upcalls.deposed(link->daemon, link->host->part);
    else if ((packet->flags & ended) == ended)
        host_link_take_end(link, packet);
    else if (packet->flags & PACKET_ACK)
        host_link_take_acknowledgement(link, packet->acknowledgement);
    else if (packet->flags & PACKET_DATA)
        host_link_take_data(link, packet, received);
    else if (packet->flags & PACKET_FIN)
        host_packets_acknowledge(link, packet->sequence);
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
    link->daemon->post->upcalls.host_lost(link->daemon, link->host);
}
