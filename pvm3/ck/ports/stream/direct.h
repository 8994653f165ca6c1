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
 * looks for a route and writes under the lock of the daemon's port. From then until the route is
 * settled nothing is sent to the peer on any way. So offer and answer, which the peer reads before
 * it looks at the new socket, close what came before. In 3.4.6 the side that grants goes on sending
 * through the daemons, and is overtaken by itself.
 *
 * Threads: as each function says; the leader is the thread that leads or looks (wait.h).
 */
#ifndef CK_PORTS_STREAM_DIRECT_H
#define CK_PORTS_STREAM_DIRECT_H

#include "ck/endpoint.h"

/*
 * The way to the task `peer`, once it is settled: *route is an open route, to be given to
 * direct_release, or NULL when messages go through the daemon. With `request`, a peer to whom there
 * is no route is asked for one. Waits, as a sender does. 0 or CK_LOST. Any thread, which has
 * entered the endpoint.
 */
int direct_find(struct endpoint *endpoint, uint32_t peer, bool request, struct route **route);
void direct_release(struct endpoint *endpoint, struct route *route);

/*
 * Sends over a route, or in place of it through shared memory; or finds it broken, or that a link
 * which `way` does not know has become the way meanwhile: then false, and the message is not there.
 * Likewise.
 */
bool direct_send(struct endpoint *endpoint, struct route *route, struct shm_way *way,
                 const struct message *message);

/* True when nothing to `peer` may go through the daemon now. With the lock of the endpoint. */
bool direct_forbids_daemon(const struct endpoint *endpoint, uint32_t peer);

/* True for an offer, an answer, and the daemon's word that a task is over. */
bool direct_is_about_routes(const struct endpoint *endpoint, const struct message *message);

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
void direct_see(struct endpoint *endpoint, const struct message *message);

/*
 * Does what a watched route is ready for: with `all`, until everything that has come is read. True
 * when anything happened. Only the leader.
 */
bool direct_look(struct endpoint *endpoint, struct route *route, bool all);

/* The endpoint is lost: whatever waits for a route or to write on one goes on, and fails. */
void direct_lose(struct endpoint *endpoint);

/* Closes all routes. No thread may use the endpoint. */
void direct_finish(struct endpoint *endpoint);

#endif
