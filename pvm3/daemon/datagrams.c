/* datagrams.c - a UDP socket. */
#include "daemon/datagrams.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/frame_reader.h"
#include "core/tid.h"
#include "daemon/daemon.h"
#include "daemon/host_link.h"
#include "daemon/log.h"

/* Longer datagrams are cut, and refused for that. */
#define DATAGRAM_MOST (HOST_MTU + PACKET_TAG_SIZE)
#define DATAGRAM_ROOM (DATAGRAM_MOST + 1)

/* Shorter ones are copied. */
#define SHORT_DATAGRAM 1024

/* Packets taken before others have their turn. */
#define TAKEN_AT_ONCE 64

/* What is asked of the system for bursts; it may give less. */
#define SOCKET_BUFFER (1 << 20)

/* The system may refuse a packet only to tell of earlier ones. */
#define TRIES_TO_SEND 3

/* Why a packet is not believed. */
enum refusal { REFUSED_LENGTH = 1, REFUSED_STRANGER, REFUSED_HEADER, REFUSED_TAG };

static int datagrams_bind(int fd, uint32_t address, unsigned port)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(address)};
    for (; port <= UINT16_MAX; port++) {
        to.sin_port = htons((uint16_t)port);
        if (bind(fd, (struct sockaddr *)&to, sizeof to) == 0)
            return 0;
        if (port == 0 || errno != EADDRINUSE)
            return -1;
    }
    return -1;
}

static void datagrams_refuse(struct datagrams *datagrams, const struct sockaddr_in *from,
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

static void datagrams_take(struct datagrams *datagrams, struct chunk *chunk, size_t size,
                           const struct sockaddr_in *from)
{
    struct packet packet;
    if (size < PACKET_HEADER_SIZE || size > DATAGRAM_MOST) {
        datagrams_refuse(datagrams, from, REFUSED_LENGTH);
        return;
    }
    packet_decode(&packet, chunk->data);
    struct host *host = hosts_find(&datagrams->daemon->hosts, packet.source);
    if (!host || !host->link || host->address != ntohl(from->sin_addr.s_addr) ||
        host->port != ntohs(from->sin_port)) {
        if (!former_hosts_take(datagrams->daemon, &packet, from))
            datagrams_refuse(datagrams, from, REFUSED_STRANGER);
        return;
    }
    if (!host_key_accepts(&host->key, &packet, chunk->data, &size)) {
        datagrams_refuse(datagrams, from, REFUSED_TAG);
        return;
    }
    if ((packet.flags & PACKET_FIRST) && size < FRAME_HEADERS_SIZE) {
        datagrams_refuse(datagrams, from, REFUSED_HEADER);
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
static struct chunk *datagrams_cut(struct datagrams *datagrams, size_t size)
{
    struct chunk *whole = datagrams->room;
    struct chunk *chunk = size <= SHORT_DATAGRAM ? chunk_new(size) : NULL;
    if (chunk)
        memcpy(chunk->data, whole->data, size);
    else
        datagrams->room = NULL;
    return chunk ? chunk : whole;
}

static bool datagrams_receive(struct datagrams *datagrams)
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
    struct chunk *chunk = datagrams_cut(datagrams, (size_t)size);
    datagrams_take(datagrams, chunk, (size_t)size, &from);
    chunk_release(chunk);
    return true;
}

/*
 * A packet came back since its address and port have nobody; the system tells which one it was.
 * False when there are no more.
 */
static bool datagrams_take_refusal(struct datagrams *datagrams)
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
    struct host *host = hosts_find_socket(&datagrams->daemon->hosts, ntohl(to.sin_addr.s_addr),
                                          ntohs(to.sin_port));
    if (error == ECONNREFUSED && host)
        host_link_take_refusal(host->link);
    return true;
}

static void datagrams_take_refusals(struct datagrams *datagrams)
{
    for (int i = 0; i < TAKEN_AT_ONCE; i++)
        if (!datagrams_take_refusal(datagrams))
            break;
}

static void datagrams_handle(struct loop_source *source, uint32_t events)
{
    struct datagrams *datagrams = LIST_OWNER(source, struct datagrams, source);
    if (events & EPOLLERR)
        datagrams_take_refusals(datagrams);
    if (events & EPOLLOUT) {
        loop_watch_for(&datagrams->daemon->loop, source, EPOLLIN);
        hosts_unblock(&datagrams->daemon->hosts);
    }
    for (int i = 0; i < TAKEN_AT_ONCE && (events & ~(uint32_t)EPOLLOUT); i++)
        if (!datagrams_receive(datagrams))
            break;
}

uint16_t datagrams_start(struct datagrams *datagrams, struct daemon *daemon, uint32_t address,
                         unsigned port)
{
    struct sockaddr_in bound;
    socklen_t size = sizeof bound;
    const int on = 1;
    int room = SOCKET_BUFFER;
    socklen_t room_size = sizeof room;
    datagrams->daemon = daemon;
    loop_source_start(&datagrams->source, datagrams_handle);
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 && datagrams_bind(fd, address, port) == 0 &&
        getsockname(fd, (struct sockaddr *)&bound, &size) == 0 &&
        loop_watch(&daemon->loop, &datagrams->source, fd, EPOLLIN) == 0) {
        setsockopt(fd, IPPROTO_IP, IP_RECVERR, &on, sizeof on);
        setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
        getsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, &room_size);
        log_debug(LOG_NETWORK, "%s:%u, %d bytes of memory for packets", inet_ntoa(bound.sin_addr),
                  ntohs(bound.sin_port), room);
        return ntohs(bound.sin_port);
    }
    int error = errno;
    if (fd >= 0)
        close(fd);
    errno = error;
    return 0;
}

void datagrams_finish(struct datagrams *datagrams)
{
    if (datagrams->daemon)
        loop_close(&datagrams->daemon->loop, &datagrams->source);
    chunk_release(datagrams->room);
}

/* Trying again at once does not help. */
static bool datagrams_has_no_room(int error)
{
    return error == EAGAIN || error == ENOBUFS || error == ENOMEM;
}

enum datagram_result datagrams_send(struct datagrams *datagrams, const struct host *host,
                                    const struct packet *packet, const struct packet_body *body)
{
    unsigned char header[PACKET_HEADER_SIZE], tag[PACKET_TAG_SIZE];
    struct iovec vectors[] = {
        {header, sizeof header}, {body->data, body->length}, {tag, sizeof tag}};
    struct packet marked = *packet;
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(host->port),
                             .sin_addr.s_addr = htonl(host->address)};
    struct msghdr message = {.msg_name = &to,
                             .msg_namelen = sizeof to,
                             .msg_iov = vectors,
                             .msg_iovlen = 2};
    marked.tagged = host->key.used;
    packet_encode(&marked, header);
    if (marked.tagged) {
        host_key_tag(&host->key, header, body->data, body->length, tag);
        message.msg_iovlen = 3;
    }
    ssize_t sent = -1;
    for (int i = 0; i < TRIES_TO_SEND && sent < 0 && (i == 0 || !datagrams_has_no_room(errno)); i++)
        sent = sendmsg(datagrams->source.fd, &message, MSG_DONTWAIT);
    log_debug(LOG_PACKETS, "to %s: flags 0x%x, number %u, %zu bytes, result %zd", host->name,
              packet->flags, packet->sequence, body->length, sent);
    if (sent >= 0)
        return DATAGRAM_SENT;
    if (errno == EAGAIN) {
        loop_watch_for(&datagrams->daemon->loop, &datagrams->source, EPOLLIN | EPOLLOUT);
        return DATAGRAM_FULL;
    }
    /* Nobody there, no way there: it may come back, and patience has its end in host_link. */
    return errno == ENOBUFS || errno == ENOMEM ? DATAGRAM_ERROR : DATAGRAM_SENT;
}
