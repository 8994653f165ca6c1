/* datagram_reader.c - packets, and packets that came back. */
#include "daemon/hosts/datagram_reader.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "core/frame_reader.h"
#include "core/tid.h"
#include "daemon/base/log.h"
#include "daemon/hosts/host_room.h"
#include "daemon/post/host_link.h"
#include "daemon/post/host_packets.h"

/* Longer datagrams are cut, and refused for that. */
#define DATAGRAM_MOST (HOST_MTU + HOST_KEY_SIGN_MOST)
#define DATAGRAM_ROOM (DATAGRAM_MOST + 1)

/* Shorter ones are copied. */
#define SHORT_DATAGRAM 1024

/* Packets taken before others have their turn. */
#define TAKEN_AT_ONCE 64

/* Why a packet is not believed. */
enum refusal { REFUSED_LENGTH = 1, REFUSED_STRANGER, REFUSED_HEADER, REFUSED_TAG };

static void datagram_reader_refuse(struct datagrams *datagrams, const struct sockaddr_in *from,
                                   enum refusal refusal)
{
    static const char *const reasons[] = {
        [REFUSED_LENGTH] = "its length makes no sense",
        [REFUSED_STRANGER] = "no daemon of this virtual machine is there",
        [REFUSED_HEADER] = "it begins a message without a header",
        [REFUSED_TAG] = "it does not know the secret of the host that it names",
    };
    complain(&datagrams->daemon->complaints, refusal, "a packet from %s:%u is dropped: %s",
             inet_ntoa(from->sin_addr), ntohs(from->sin_port), reasons[refusal]);
}

static void datagram_reader_take(struct datagrams *datagrams, struct chunk *chunk, size_t size,
                                 const struct sockaddr_in *from)
{
    struct packet packet;
    if (size < PACKET_HEADER_SIZE || size > DATAGRAM_MOST) {
        datagram_reader_refuse(datagrams, from, REFUSED_LENGTH);
        return;
    }
    packet_decode(&packet, chunk->data);
    struct host *host = hosts_find(&datagrams->daemon->post->hosts, packet.source);
    if (!host || !host->link || host->address != ntohl(from->sin_addr.s_addr) ||
        host->port != ntohs(from->sin_port)) {
        const struct former_bytes bytes = {chunk->data, size};
        if (!former_hosts_take(datagrams->daemon, &packet, &bytes, from))
            datagram_reader_refuse(datagrams, from, REFUSED_STRANGER);
        return;
    }
    switch (host_key_judge(&host->key, &packet, chunk->data, &size)) {
    case SEAL_GOOD:
        break;
    case SEAL_WRONG:
        datagram_reader_refuse(datagrams, from, REFUSED_TAG);
        return;
    case SEAL_REPEATED:
        datagrams->daemon->statistics.repeated++;
        return;
    }
    if ((packet.flags & PACKET_FIRST) && size < FRAME_HEADERS_SIZE) {
        datagram_reader_refuse(datagrams, from, REFUSED_HEADER);
        return;
    }
    const struct received_frame received = {
        .frame.length = (uint32_t)(size - PACKET_HEADER_SIZE),
        .chunk = chunk,
        .body = chunk->data + PACKET_HEADER_SIZE,
    };
    log_debug(LOG_PACKETS, "from %s: flags 0x%x, number %u, %u bytes", host->name, packet.flags,
              packet.sequence, received.frame.length);
    host_link_take(host->link, &packet, &received);
}

/*
 * What is kept of a packet keeps its chunk: a short one gets a chunk of its size, so that many of
 * them take no more memory than they are long, and the large one is read into again.
 */
static struct chunk *datagram_reader_cut(struct datagrams *datagrams, size_t size)
{
    struct chunk *whole = datagrams->room;
    struct chunk *chunk = size <= SHORT_DATAGRAM ? chunk_new(size) : NULL;
    if (chunk)
        memcpy(chunk->data, whole->data, size);
    else
        datagrams->room = NULL;
    return chunk ? chunk : whole;
}

static bool datagram_reader_receive(struct datagrams *datagrams)
{
    struct sockaddr_in from = {0};
    socklen_t length = sizeof from;
    if (!datagrams->room)
        datagrams->room = chunk_new(DATAGRAM_ROOM);
    if (!datagrams->room) {
        log_write("no memory for a packet: it is left for later");
        return false;
    }
    ssize_t size = recvfrom(datagrams->source.fd, datagrams->room->data, DATAGRAM_ROOM,
                            MSG_DONTWAIT, (struct sockaddr *)&from, &length);
    if (size < 0)
        return errno != EAGAIN; /* it tells of a packet that was sent */
    struct chunk *chunk = datagram_reader_cut(datagrams, (size_t)size);
    datagram_reader_take(datagrams, chunk, (size_t)size, &from);
    chunk_release(chunk);
    return true;
}

/*
 * A packet came back since its address and port have nobody; the system tells which one it was.
 * False when there are no more.
 */
static bool datagram_reader_take_refusal(struct datagrams *datagrams)
{
    struct sockaddr_in to = {0};
    union {
        char bytes[512];
        struct cmsghdr align;
    } control;
    struct msghdr message = {.msg_name = &to,
                             .msg_namelen = sizeof to,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    if (recvmsg(datagrams->source.fd, &message, MSG_ERRQUEUE | MSG_DONTWAIT) < 0)
        return errno == EINTR;
    const struct cmsghdr *part = CMSG_FIRSTHDR(&message);
    uint32_t error = 0; /* begins what is told */
    if (part && part->cmsg_level == IPPROTO_IP && part->cmsg_type == IP_RECVERR)
        memcpy(&error, CMSG_DATA(part), sizeof error);
    struct host *host = hosts_find_socket(&datagrams->daemon->post->hosts,
                                          ntohl(to.sin_addr.s_addr), ntohs(to.sin_port));
    if (error == ECONNREFUSED && host)
        host_link_take_refusal(host->link);
    return true;
}

static void datagram_reader_take_refusals(struct datagrams *datagrams)
{
    for (int i = 0; i < TAKEN_AT_ONCE; i++)
        if (!datagram_reader_take_refusal(datagrams))
            break;
}

static void datagram_reader_unblock(const struct hosts *hosts)
{
    const struct host *host = NULL;
    while ((host = hosts_next_other(hosts, host)) != NULL)
        host_packets_unblock(host->link);
}

void datagram_reader_handle(struct loop_source *source, uint32_t events)
{
    struct datagrams *datagrams = LIST_OWNER(source, struct datagrams, source);
    if (events & EPOLLERR)
        datagram_reader_take_refusals(datagrams);
    if (events & EPOLLOUT) {
        loop_watch_for(&datagrams->daemon->loop, source, EPOLLIN);
        datagram_reader_unblock(&datagrams->daemon->post->hosts);
    }
    for (int i = 0; i < TAKEN_AT_ONCE && (events & ~(uint32_t)EPOLLOUT); i++)
        if (!datagram_reader_receive(datagrams))
            break;
}
