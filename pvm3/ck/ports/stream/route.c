/* route.c - the system calls of each step. */
#include "ck/ports/stream/route.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ck/base/descriptor.h"
#include "core/environment.h"
#include "core/system.h"

_Static_assert(OFFER_ADDRESS_SIZE >= ENVIRONMENT_ADDRESS_SIZE, "both kinds of address have room");

/* Within which a stream ends whose peer is over. */
#define END_SECONDS 30

static void route_free_entry(struct entry *entry)
{
    route_free((struct route *)(void *)entry);
}

/* The name of the socket stays the parent's. */
static void route_abandon(struct entry *entry)
{
    struct route *route = (struct route *)(void *)entry;
    stream_port_abandon(&route->port);
    descriptor_close(&route->listening);
}

/* Our half of the secret goes in front of the first message. */
static enum push_result route_push(struct way *way, struct outgoing *outgoing)
{
    return route_answer(route_of(way)) ? stream_port_push(way, outgoing) : PUSH_BROKEN;
}

struct route *route_new(uint32_t peer, enum route_state state)
{
    struct route *route = calloc(1, sizeof *route);
    if (!route)
        return NULL;
    stream_port_start(&route->port);
    route->port.way.push = route_push;
    route->peer = peer;
    route->state = state;
    route->descriptor = route->listening = -1;
    route->entry.free = route_free_entry;
    route->entry.abandon = route_abandon;
    return route;
}

/* The name serves until the peer has connected, no longer. */
static void route_unlink(struct route *route)
{
    if (route->bound.sun_path[0])
        unlink(route->bound.sun_path);
    route->bound.sun_path[0] = '\0';
}

void route_close(struct route *route)
{
    route_unlink(route);
    descriptor_close(&route->port.descriptor);
    descriptor_close(&route->listening);
}

void route_expect_end(struct route *route)
{
    static const struct {
        int level, name, value;
    } options[] = {
        {SOL_SOCKET, SO_KEEPALIVE, 1}, /* where nothing is underway */
        {IPPROTO_TCP, TCP_KEEPIDLE, END_SECONDS / 3},
        {IPPROTO_TCP, TCP_KEEPINTVL, END_SECONDS / 6},
        {IPPROTO_TCP, TCP_KEEPCNT, 4},
        {IPPROTO_TCP, TCP_USER_TIMEOUT, END_SECONDS * 1000}, /* where something is */
    };
    if (route->over || route->bound.sun_path[0])
        return;
    route->over = true;
    /* One that the system does not have makes the end come later. */
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        setsockopt(route->port.descriptor, options[i].level, options[i].name, &options[i].value,
                   sizeof options[i].value);
}

/*
 * Closing a TCP socket with bytes unread takes back what the peer's system has not acknowledged: so
 * the bytes are read, and closing waits, like 3.4.6, up to a minute for the rest to go.
 */
void route_say_goodbye(struct route *route)
{
    const struct linger linger = {.l_onoff = 1, .l_linger = 60};
    char unread[4096];
    if ((route->state != ROUTE_OPEN && route->state != ROUTE_BROKEN) || route->over)
        return;
    while (recv(route->port.descriptor, unread, sizeof unread, MSG_DONTWAIT) > 0)
        continue;
    /* A Unix socket ignores it, having nothing underway. */
    setsockopt(route->port.descriptor, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
}

void route_free(struct route *route)
{
    for (struct message *held = route->held, *next; held; held = next) {
        next = held->next;
        message_free(held);
    }
    route_unlink(route);
    stream_port_finish(&route->port);
    descriptor_close(&route->listening);
    free(route);
}

/* A new non-blocking socket in place of none. 0 or a negative errno. */
static int route_make_socket(struct route *route, int family)
{
    route->port.descriptor = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    return route->port.descriptor < 0 ? -errno : 0;
}

/* 0, or the negative errno with which the socket is closed. */
static int route_check(struct route *route, int result)
{
    int error = result < 0 ? -errno : 0;
    if (error < 0)
        route_close(route);
    return error;
}

static int route_bind_path(struct route *route, const char *path)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof name.sun_path)
        return -ENAMETOOLONG;
    strcpy(name.sun_path, path);
    int error = route_make_socket(route, AF_UNIX);
    if (error < 0)
        return error;
    fchmod(route->port.descriptor, 0600); /* which the bound name gets: it is for nobody else */
    error = route_check(route, bind(route->port.descriptor, (struct sockaddr *)&name, sizeof name));
    if (error == 0)
        route->bound = name;
    return error;
}

static int route_bind_host(struct route *route, uint32_t host)
{
    const struct sockaddr_in name = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(host)};
    int error = route_make_socket(route, AF_INET);
    if (error < 0)
        return error;
    return route_check(route,
                       bind(route->port.descriptor, (const struct sockaddr *)&name, sizeof name));
}

void route_address(const struct route *route, char address[OFFER_ADDRESS_SIZE])
{
    struct sockaddr_in name = {.sin_port = 0};
    socklen_t size = sizeof name;
    if (route->bound.sun_path[0]) {
        memcpy(address, route->bound.sun_path, OFFER_ADDRESS_SIZE);
        return;
    }
    /* A bound socket has a name; without one the peer would be told that nobody is there. */
    getsockname(route->port.descriptor, (struct sockaddr *)&name, &size);
    environment_format_address(address, ntohl(name.sin_addr.s_addr), ntohs(name.sin_port));
}

int route_bind(struct route *route, const char *path, uint32_t host,
               char address[OFFER_ADDRESS_SIZE])
{
    int error = path ? route_bind_path(route, path) : route_bind_host(route, host);
    if (error == 0)
        route_address(route, address);
    return error;
}

static int route_watch(const struct route *route, int epoll, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.ptr = (void *)(uintptr_t)&route->port};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, route->port.descriptor, &event) < 0 ? -errno : 0;
}

void route_make_secret(struct route *route)
{
    route->secret_made =
        getrandom(route->secret, OFFER_SECRET_SIZE, GRND_NONBLOCK) == OFFER_SECRET_SIZE;
}

bool route_expect(struct route *route, const char *address, const unsigned char *secret)
{
    route->peer_host = 0;
    route->secret_said = secret && address[0] != '/';
    if (route->secret_said)
        memcpy(route->secret, secret, OFFER_SECRET_SIZE);
    return address[0] == '/' ||
           (environment_parse_address(address, &route->peer_host, &route->peer_port) &&
            route->peer_host != 0);
}

int route_listen(struct route *route, int epoll)
{
    /* One connection counts. There is room for strangers that come before it. */
    if (listen(route->port.descriptor, SOMAXCONN) < 0)
        return -errno;
    return route_watch(route, epoll, EPOLLIN);
}

/* The port takes over the connected socket. 0 or a negative errno. */
static int route_open_port(struct route *route, int epoll)
{
    int one = 1;
    if (!route->bound.sun_path[0] && /* only TCP has it: a Unix socket still has its name here */
        setsockopt(route->port.descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one) < 0)
        return -errno;
    route_unlink(route);
    return stream_port_open(&route->port, route->port.descriptor, epoll);
}

/* A new socket takes a few bytes at once. */
static int route_say(const struct route *route, const unsigned char half[ROUTE_SECRET_HALF])
{
    ssize_t said =
        send(route->port.descriptor, half, ROUTE_SECRET_HALF, MSG_NOSIGNAL | MSG_DONTWAIT);
    return said == ROUTE_SECRET_HALF ? 0 : said < 0 ? -errno : -ENOBUFS;
}

/* 0 when the half has come and is right, -EAGAIN while it has not. */
static int route_hear(struct route *route, const unsigned char half[ROUTE_SECRET_HALF])
{
    ssize_t size = recv(route->port.descriptor, route->heard + route->heard_size,
                        ROUTE_SECRET_HALF - route->heard_size, MSG_DONTWAIT);
    if (size < 0)
        return errno == EINTR ? -EAGAIN : -errno;
    route->heard_size += (size_t)size;
    if (size > 0 && route->heard_size < ROUTE_SECRET_HALF)
        return -EAGAIN;
    return size > 0 && memcmp(route->heard, half, ROUTE_SECRET_HALF) == 0 ? 0 : -EACCES;
}

int route_hear_answer(struct route *route)
{
    int result = route_hear(route, route->secret + ROUTE_SECRET_HALF);
    route->answer_due = result != 0;
    return result;
}

bool route_answer(struct route *route)
{
    if (route->answer_owed && route_say(route, route->secret + ROUTE_SECRET_HALF) < 0)
        return false;
    route->answer_owed = false;
    return true;
}

static int route_connected(struct route *route, int epoll)
{
    int error = route->secret_said ? route_say(route, route->secret) : 0;
    route->answer_due = route->secret_said;
    route->heard_size = 0;
    return error < 0 ? error : route_open_port(route, epoll);
}

static int route_connect_to(const struct route *route, const char *address)
{
    struct sockaddr_un path = {.sun_family = AF_UNIX};
    struct sockaddr_in name = {.sin_family = AF_INET};
    uint32_t host;
    uint16_t port;
    if (address[0] == '/') {
        if (strlen(address) >= sizeof path.sun_path)
            return -ENAMETOOLONG;
        strcpy(path.sun_path, address);
        return connect(route->port.descriptor, (struct sockaddr *)&path, sizeof path) < 0 ? -errno
                                                                                          : 0;
    }
    if (!environment_parse_address(address, &host, &port))
        return -EINVAL;
    name.sin_addr.s_addr = htonl(host);
    name.sin_port = htons(port);
    return connect(route->port.descriptor, (struct sockaddr *)&name, sizeof name) < 0 ? -errno : 0;
}

int route_connect(struct route *route, const char *address, int epoll)
{
    int error = route_connect_to(route, address);
    if (error == 0)
        return route_connected(route, epoll);
    if (error != -EINPROGRESS)
        return error;
    int watched = route_watch(route, epoll, EPOLLOUT);
    return watched < 0 ? watched : error;
}

int route_finish_connect(struct route *route, int epoll)
{
    int error = 0;
    socklen_t size = sizeof error;
    if (getsockopt(route->port.descriptor, SOL_SOCKET, SO_ERROR, &error, &size) < 0)
        error = errno;
    if (error == 0 && epoll_ctl(epoll, EPOLL_CTL_DEL, route->port.descriptor, NULL) < 0)
        error = errno;
    return error > 0 ? -error : route_connected(route, epoll);
}

/* Anyone may find the name of a Unix socket; only processes of our own user are let in. */
static bool route_is_own_user(const struct route *route, int descriptor)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    return !route->bound.sun_path[0] ||
           (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
            peer.uid == geteuid());
}

/*
 * Anyone may find the port of a TCP socket; only the socket that the peer has told of is let in.
 * Another process may have its address by now: hence the secret.
 */
static bool route_is_expected(const struct route *route, int descriptor)
{
    struct sockaddr_in from = {0};
    socklen_t size = sizeof from;
    return route->peer_host == 0 ||
           (getpeername(descriptor, (struct sockaddr *)&from, &size) == 0 &&
            ntohl(from.sin_addr.s_addr) == route->peer_host &&
            ntohs(from.sin_port) == route->peer_port);
}

/* Takes a connection that may be the peer's in place of the listening socket, which stays. */
static int route_take(struct route *route, int epoll)
{
    int descriptor = accept4(route->port.descriptor, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (descriptor < 0)
        return errno == EINTR || errno == ECONNABORTED ? -EAGAIN : -errno;
    if (!route_is_own_user(route, descriptor) || !route_is_expected(route, descriptor)) {
        close(descriptor);
        return -EAGAIN;
    }
    epoll_ctl(epoll, EPOLL_CTL_DEL, route->port.descriptor, NULL); /* a child may have it, too */
    route->listening = route->port.descriptor;
    route->port.descriptor = descriptor;
    route->heard_size = 0;
    return route->secret_said ? route_watch(route, epoll, EPOLLIN) : 0;
}

/* The connection is not the peer's: others may come. */
static int route_listen_on(struct route *route, int epoll)
{
    epoll_ctl(epoll, EPOLL_CTL_DEL, route->port.descriptor, NULL);
    descriptor_close(&route->port.descriptor);
    route->port.descriptor = route->listening;
    route->listening = -1;
    int error = route_watch(route, epoll, EPOLLIN);
    return error < 0 ? error : -EAGAIN;
}

/* 0 when the connection is the peer's; -EAGAIN when it is not, or when this is not known yet. */
static int route_judge(struct route *route, int epoll)
{
    int result = route_hear(route, route->secret);
    if (result == -EAGAIN)
        return result;
    if (result < 0)
        return route_listen_on(route, epoll);
    route->answer_owed = true;
    epoll_ctl(epoll, EPOLL_CTL_DEL, route->port.descriptor, NULL);
    return 0;
}

int route_accept(struct route *route, int epoll)
{
    int result = route->listening < 0 ? route_take(route, epoll) : 0;
    if (result == 0 && route->secret_said)
        result = route_judge(route, epoll);
    if (result < 0)
        return result;
    descriptor_close(&route->listening);
    return route_open_port(route, epoll);
}
