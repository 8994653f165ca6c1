/*
 * direct.h - how two tasks come to a direct route, and what goes over it.
 *
 * The agreement is that of PVM 3.4.6: an offer and an answer through the daemons, with the address
 * of a socket each, then frames on the connected socket. Between two tasks of ours on different
 * hosts the offer has a secret, and the answer asks for it. Then each side says one half of the
 * secret first on the connection. The addresses alone are not enough, since other processes may
 * have them by then. Tasks of 3.4.6 read neither.
 *
 * Order: the route to a task changes only when nothing can overtake anything. What is sent to a
 * peer through the daemons is written before the offer or answer that leads to the route: a sender
 * decides and writes under the lock of the common way (ck/requests/outbox.c). From then until the
 * route is settled nothing is sent to the peer on any way. So offer and answer, which the peer
 * reads before it looks at the new socket, close what came before. In 3.4.6 the side that grants
 * goes on sending through the daemons, and is overtaken by itself.
 *
 * Threads: as each function says; the leader is the thread that leads or looks (wait.h).
 */
#ifndef CK_PORTS_STREAM_DIRECT_H
#define CK_PORTS_STREAM_DIRECT_H

#include "ck/ports/stream/route.h"
#include "ck/ports/stream/stream.h"

/*
 * The way to a peer, once it is settled: an open route, or the common way. With `ask`, a peer to
 * whom there is no route is asked for one. Waits, as a sender does. 0 or CK_LOST. Any thread, which
 * has entered the endpoint and uses the peer.
 */
int direct_find(struct endpoint *endpoint, struct peer *peer, bool ask, struct way **way);

/*
 * The only way by which anything may go to a peer now; NULL while a route is being agreed on. With
 * the lock of the endpoint.
 */
struct way *direct_current(const struct endpoint *endpoint, const struct peer *peer);

/* A sender finds a route broken. Any thread. */
void direct_fail(struct endpoint *endpoint, struct way *way);

/* What the daemon brought about routes. Only the leader. */
void direct_take(struct endpoint *endpoint, const struct message *message);

/*
 * What the daemon brought is about to be taken in: word of ends among it counts before the rest.
 * Only the leader.
 */
void direct_foresee(struct endpoint *endpoint, const struct message *arrived);

/*
 * Keeps a message of the daemon that tells the program of a peer's end, until what the peer has
 * sent on its route is there, and then takes it in. False for any other one. Only the leader.
 */
bool direct_hold(struct endpoint *endpoint, struct message *message);

/*
 * Sees a message come through the daemon: a peer that was granted a route and still sends that way
 * has given the route up. Only the leader.
 */
void direct_see(struct endpoint *endpoint, const struct peer *peer, const struct message *message);

/*
 * Does what a watched route is ready for: with `all`, until everything that has come is read. True
 * when anything happened. Only the leader.
 */
bool direct_look(struct endpoint *endpoint, struct route *route, bool all);

/* The endpoint is lost: whatever waits for a route or to write on one goes on, and fails. */
void direct_lose(struct endpoint *endpoint);

/* Watches no route any more (port.h). */
void direct_withdraw(struct endpoint *endpoint);

/* Closes all routes, which are not watched. No thread may use the endpoint. */
void direct_finish(struct endpoint *endpoint);

#endif
