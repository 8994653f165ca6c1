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
    return link;
}

void host_link_stop(struct host_link *link)
{
    host_packets_stop(link);
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

static void host_link_forward_in_flow(struct host_link *link, uint32_t flow,
                                      const struct received_frame *received)
{
    if (link->stream.sending)
        host_stream_forward(&link->stream, flow, received);
    else
        host_packets_forward(link, received, received->frame.destination);
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

void host_link_send_behind(struct host_link *link, struct message *message, uint32_t tid)
{
    const struct hosts *hosts = &link->daemon->post->hosts;
    uint32_t own = hosts_own(hosts)->part | TID_DAEMON_BIT, to = link->host->part | TID_DAEMON_BIT;
    size_t count = flows_list_to(&link->stream.flows, tid, NULL, 0);
    uint32_t *sources = malloc((count + 1) * sizeof *sources);
    control_put_int(message, (int32_t)(sources ? count + 1 : 1));
    struct received_frame whole = {0};
    if (control_is_whole(message))
        whole = host_packets_frame(message, to, own);
    if (!whole.chunk)
        log_write("no memory for a message to the host %s: it is lost", link->host->name);
    else if (sources)
        count = flows_list_to(&link->stream.flows, tid, sources, count);
    for (size_t i = 0; whole.chunk && sources && i < count; i++)
        host_link_forward_in_flow(link, sources[i], &whole);
    if (whole.chunk)
        host_link_forward_in_flow(link, own, &whole);
    chunk_release(whole.chunk);
    free(sources);
    message_free(message);
}

void host_link_end_flow(struct host_link *link, uint32_t tid)
{
    uint32_t own = hosts_own(&link->daemon->post->hosts)->part | TID_DAEMON_BIT;
    if (flows_join(&link->stream.flows, tid, own) < 0)
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
    if ((packet->flags & ended) == ended)
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
