/* datagrams.c - a UDP socket. */
#include "daemon/post/datagrams.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/base/log.h"
#include "daemon/post/post_room.h"

/* What is asked of the system for bursts; it may give less. */
#define SOCKET_BUFFER (1 << 20)

/* The system may refuse a packet only to tell of earlier ones. */
#define TRIES_TO_SEND 3

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

uint16_t datagrams_start(struct datagrams *datagrams, struct daemon *daemon,
                         void (*handle)(struct loop_source *, uint32_t), uint32_t address,
                         unsigned port)
{
    struct sockaddr_in bound;
    socklen_t size = sizeof bound;
    const int on = 1;
    int room = SOCKET_BUFFER;
    socklen_t room_size = sizeof room;
    datagrams->daemon = daemon;
    loop_source_start(&datagrams->source, handle);
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

enum datagram_result datagrams_send(struct datagrams *datagrams, struct host *host,
                                    const struct packet *packet, const struct packet_body *body)
{
    unsigned char header[PACKET_HEADER_SIZE], sign[HOST_KEY_SIGN_MOST], hidden[HOST_MTU];
    const unsigned char *bytes = host_key_hide(&host->key, body->data, body->length, hidden);
    const size_t signed_by = host_key_sign(&host->key, packet, bytes, body->length, header, sign);
    struct iovec vectors[] = {
        {header, sizeof header}, {(void *)(uintptr_t)bytes, body->length}, {sign, signed_by}};
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(host->port),
                             .sin_addr.s_addr = htonl(host->address)};
    struct msghdr message = {
        .msg_name = &to, .msg_namelen = sizeof to, .msg_iov = vectors, .msg_iovlen = 3};
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
