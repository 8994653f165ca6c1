/* shm_socket.c - abstract names, whose process it is, and descriptors on their way. */
#include "ck/ports/shm/shm_socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define TYPE    (SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK)
#define BACKLOG 128

/* The address of the task; its length, or 0 when the pvmd's socket has no name that fits. */
static socklen_t shm_socket_name(int pvmd, uint32_t address, struct sockaddr_un *name)
{
    union {
        struct sockaddr any;
        struct sockaddr_un path;
        struct sockaddr_in internet;
    } peer;
    char place[sizeof peer.path.sun_path + 1];
    socklen_t size = sizeof peer;
    memset(&peer, 0, sizeof peer);
    if (getpeername(pvmd, &peer.any, &size) < 0)
        return 0;
    if (peer.any.sa_family == AF_UNIX && peer.path.sun_path[0])
        snprintf(place, sizeof place, "%.*s", (int)sizeof peer.path.sun_path, peer.path.sun_path);
    else if (peer.any.sa_family == AF_INET)
        snprintf(place, sizeof place, "%08x:%04x", (unsigned)ntohl(peer.internet.sin_addr.s_addr),
                 (unsigned)ntohs(peer.internet.sin_port));
    else
        return 0;
    memset(name, 0, sizeof *name);
    name->sun_family = AF_UNIX;
    int length = snprintf(name->sun_path + 1, sizeof name->sun_path - 1, "pvm %u %s %x",
                          (unsigned)geteuid(), place, (unsigned)address);
    if (length < 0 || (size_t)length >= sizeof name->sun_path - 1)
        return 0;
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

/* Whose process the other side is; its user is nobody's when the system does not say. */
static struct ucred shm_socket_peer(int descriptor)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0)
        return (struct ucred){.pid = 0, .uid = (uid_t)-1, .gid = (gid_t)-1};
    return peer;
}

static bool shm_socket_is_own_user(int descriptor)
{
    return shm_socket_peer(descriptor).uid == geteuid();
}

pid_t shm_socket_process(int descriptor)
{
    return shm_socket_peer(descriptor).pid;
}

bool shm_socket_is_open(int descriptor)
{
    char byte;
    ssize_t got;
    do
        got = recv(descriptor, &byte, sizeof byte, MSG_PEEK | MSG_DONTWAIT);
    while (got < 0 && errno == EINTR);
    return got > 0 || (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK));
}

bool shm_socket_part(int descriptor)
{
    return shutdown(descriptor, SHUT_WR) == 0;
}

bool shm_socket_is_left(int descriptor)
{
    struct pollfd state = {.fd = descriptor};
    return poll(&state, 1, 0) == 1 && (state.revents & (POLLHUP | POLLERR));
}

void shm_socket_end(int descriptor)
{
    shutdown(descriptor, SHUT_RDWR);
    close(descriptor);
}

/* A socket, and the name at which the task with this address is called. -1 when there is none. */
static int shm_socket_new(int pvmd, uint32_t address, struct sockaddr_un *name, socklen_t *size)
{
    *size = shm_socket_name(pvmd, address, name);
    return *size ? socket(AF_UNIX, TYPE, 0) : -1;
}

int shm_socket_listen(int pvmd, uint32_t address)
{
    struct sockaddr_un name;
    socklen_t size;
    int descriptor = shm_socket_new(pvmd, address, &name, &size);
    if (descriptor < 0 ||
        (bind(descriptor, (struct sockaddr *)&name, size) == 0 && listen(descriptor, BACKLOG) == 0))
        return descriptor;
    close(descriptor);
    return -1;
}

int shm_socket_connect(int pvmd, uint32_t address)
{
    struct sockaddr_un name;
    socklen_t size;
    int descriptor = shm_socket_new(pvmd, address, &name, &size);
    if (descriptor < 0 || (connect(descriptor, (struct sockaddr *)&name, size) == 0 &&
                           shm_socket_is_own_user(descriptor)))
        return descriptor;
    close(descriptor);
    return -1;
}

int shm_socket_accept(int listener, bool *more)
{
    int descriptor = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    *more = descriptor >= 0 || errno == EINTR || errno == ECONNABORTED;
    if (descriptor < 0 || shm_socket_is_own_user(descriptor))
        return descriptor;
    close(descriptor);
    return -1;
}

/* Room for the descriptors of a letter, aligned as the system wants it. */
union shm_control {
    struct cmsghdr header;
    char room[CMSG_SPACE(SHM_DESCRIPTORS * sizeof(int))];
};

bool shm_socket_send(int descriptor, const struct shm_letter *letter, const int *descriptors,
                     int count)
{
    union shm_control control;
    struct iovec vector = {(void *)(uintptr_t)letter, sizeof *letter};
    struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};
    memset(&control, 0, sizeof control);
    message.msg_control = &control;
    message.msg_controllen = CMSG_SPACE((size_t)count * sizeof(int));
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN((size_t)count * sizeof(int));
    memcpy(CMSG_DATA(header), descriptors, (size_t)count * sizeof(int));
    ssize_t sent;
    do
        sent = sendmsg(descriptor, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (sent < 0 && errno == EINTR);
    return sent == sizeof *letter;
}

/* The descriptors that came, of which there may be fewer than fit. */
static int shm_socket_take(struct msghdr *message, int *descriptors)
{
    int count = 0;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header;
         header = CMSG_NXTHDR(message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
            continue;
        size_t bytes = header->cmsg_len - CMSG_LEN(0);
        for (size_t done = 0; done + sizeof(int) <= bytes && count < SHM_DESCRIPTORS;
             done += sizeof(int))
            memcpy(&descriptors[count++], CMSG_DATA(header) + done, sizeof(int));
    }
    return count;
}

enum shm_socket_result shm_socket_receive(int descriptor, struct shm_letter *letter,
                                          int *descriptors, int *count)
{
    union shm_control control;
    struct iovec vector = {letter, sizeof *letter};
    struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};
    message.msg_control = &control;
    message.msg_controllen = sizeof control;
    ssize_t got;
    do
        got = recvmsg(descriptor, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    *count = 0;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return SHM_SOCKET_NOTHING;
    if (got > 0)
        *count = shm_socket_take(&message, descriptors);
    if (got == sizeof *letter && letter->version == SHM_VERSION &&
        !(message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)))
        return SHM_SOCKET_LETTER;
    while (*count > 0)
        close(descriptors[--*count]);
    return SHM_SOCKET_END;
}
