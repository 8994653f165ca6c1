/*
 * route.h - a direct way from one task to another, and its socket.
 *
 * A route is a stream socket between two tasks, past their daemons. How
 * two tasks agree on one is told in direct.h; here is what a route does with its socket in each
 * state. The record of its peer leads to it (ck/peers/peer.h).
 *
 * Threads: the lock of the endpoint guards states and waiting senders. States
 * change only in the thread that leads or looks, but for the entry of a new request and for an open
 * route that a sender finds broken; so that thread may use a route's socket and path without it.
 */
#ifndef CK_PORTS_STREAM_ROUTE_H
#define CK_PORTS_STREAM_ROUTE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/un.h>

#include "ck/peers/dialect.h"
#include "ck/peers/peer.h"
#include "ck/ports/stream/stream_port.h"
#include "ck/wait/wait.h"

/*
 * The side that connects says one half of a secret at once. The other side says the other half in
 * front of its first message. Said sooner, it might come to a peer that has sent all and is
 * leaving, whose system would then take back what is underway.
 */
#define ROUTE_SECRET_HALF (OFFER_SECRET_SIZE / 2)

enum route_state {
    ROUTE_REQUESTED,  /* asked for by us: the socket is bound */
    ROUTE_GRANTED,    /* asked for by the peer: the socket listens */
    ROUTE_CONNECTING, /* granted by the peer: the socket is on its way to it */
    ROUTE_OPEN,
    ROUTE_BROKEN, /* nothing more goes out; what came in before is still to be read */
    ROUTE_DENIED, /* there will be none: no socket */
};

/* A thread that waits for a route to be settled; lives on its stack. */
struct settler {
    struct waiter waiter;
    struct settler *next;
};

struct route {
    struct entry entry;
    struct stream_port port; /* its descriptor is the socket of every state, -1 without one */
    uint32_t peer;
    _Atomic(enum route_state) state;
    bool watched;   /* in the set that the leader sleeps on; the leader's own */
    bool over;      /* the peer is over; the leader's own */
    int descriptor; /* the port's, once it listens or is open; -1 otherwise */
    struct settler *settlers;
    uint32_t peer_host; /* from where the peer is to connect; 0: by a Unix socket */
    uint16_t peer_port;
    bool secret_made;
    bool secret_said; /* both sides say their halves first */
    bool answer_due;  /* the peer, to which we have connected, has not said its half yet */
    bool answer_owed; /* we have not said ours; guarded by the lock of the way */
    unsigned char secret[OFFER_SECRET_SIZE];
    unsigned char heard[ROUTE_SECRET_HALF]; /* what the other side has said of the secret */
    size_t heard_size;
    int listening;        /* while a connection is heard: the socket that listens; -1 otherwise */
    struct message *held; /* word of the peer's end, until the stream has one; the leader's own */
    struct sockaddr_un bound; /* a Unix socket's name while it has one; empty otherwise */
};

/*
 * A new route in `state` without a socket, in no record; NULL when memory is short.
 */
struct route *route_new(uint32_t peer, enum route_state state);

/* The route whose way it is. */
static inline struct route *route_of(struct way *way)
{
    return (struct route *)(void *)((char *)way - offsetof(struct route, port.way));
}

/* The peer is over: a stream from another host that has no end is ended by the system. */
void route_expect_end(struct route *route);

/* Before route_free, when the peer is still there: what was sent last will arrive. */
void route_say_goodbye(struct route *route);

/* Closes and frees. No thread may use it. May wait after route_say_goodbye. */
void route_free(struct route *route);

/* Until a route is open, broken or denied, nothing may be sent to its peer on any way. */
static inline bool route_is_settled(const struct route *route)
{
    return route->state >= ROUTE_OPEN;
}

/* The route to a peer, open or not; NULL if it does not exist. With the lock, or by the leader. */
static inline struct route *route_to(const struct peer *peer)
{
    return (struct route *)(void *)atomic_load_explicit(&peer->to[ROLE_UNDER],
                                                        memory_order_relaxed);
}

/* Closes the socket and removes its name, if the route has them. */
void route_close(struct route *route);

/*
 * Makes a socket and binds it: to `path` in the file system or, when `path` is NULL, to the network
 * address `host` and any port. `address` gets the text of the address. 0 or a negative errno,
 * EADDRINUSE among them.
 */
int route_bind(struct route *route, const char *path, uint32_t host,
               char address[OFFER_ADDRESS_SIZE]);

/*
 * Makes the secret that this side tells through the daemons, and that both say on the connection if
 * the peer asks for it. Only for TCP. Without random numbers of the system
 * there is no secret.
 */
void route_make_secret(struct route *route);

/*
 * Sets the address that the peer tells, which is that of the socket with which it will connect, and
 * the secret of which it will say a half; NULL: none. Other connections are closed. False when the
 * address is none.
 */
bool route_expect(struct route *route, const char *address, const unsigned char *secret);

/* Lets the bound socket listen and be watched in `epoll`. 0 or a negative errno. */
int route_listen(struct route *route, int epoll);

/*
 * Connects the bound socket to `address`: 0 when it is connected, -EINPROGRESS when the socket,
 * which is watched from now on, will be writable when it is; or another negative errno.
 */
int route_connect(struct route *route, const char *address, int epoll);

/* How the connecting ended: 0 or a negative errno. Opens the port when it went well. */
int route_finish_connect(struct route *route, int epoll);

/*
 * Takes the peer's connection in place of the listening socket and opens the port. 0; -EAGAIN when
 * there is no connection, or not the peer's, or one that has not said the secret yet: its socket is
 * watched then. Or another negative errno.
 */
int route_accept(struct route *route, int epoll);

/*
 * Hears the answer of a peer to which we have connected: 0 when it is right, -EAGAIN when it has
 * not come; another negative errno when it is wrong or the connection is over.
 */
int route_hear_answer(struct route *route);

/* Says our half if it is owed: in front of a message. False when the peer is gone. */
bool route_answer(struct route *route);

/* The text of the address that the socket is bound to. */
void route_address(const struct route *route, char address[OFFER_ADDRESS_SIZE]);

#endif
