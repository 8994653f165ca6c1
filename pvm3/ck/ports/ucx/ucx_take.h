/*
 * ucx_take.h - what has come by UCX, and how its order with what comes otherwise is kept.
 *
 * Threads: the leader, or who looks in its place, without a lock, except where said.
 */
#ifndef CK_PORTS_UCX_UCX_TAKE_H
#define CK_PORTS_UCX_UCX_TAKE_H

#include "ck/ports/ucx/ucx_link.h"

/* Takes in what has come (port.h: look). */
bool ucx_look(struct engine *engine);

/* A fence opens what has come behind it (port.h: precede). */
bool ucx_precede(struct endpoint *endpoint, struct message *message);

/*
 * Keeps a message of the daemon that tells the program of a peer's end, until what the peer has
 * sent is there. A host that is gone does not say so: then a few seconds have to do.
 */
bool ucx_keep(struct endpoint *endpoint, struct message *message);

/* The daemon's word for us that a peer is over. */
void ucx_take_over(struct endpoint *endpoint, const struct message *message);

/* The link to a peer, or NULL. Takes the lock of the engine. */
struct ucx_link *ucx_link_find(struct endpoint *endpoint, uint32_t address);

/*
 * Goes through what has come for an endpoint that is about to leave, which no leader sees any more:
 * answers the peers that leave as well, and hears their answers. With the lock of the network.
 */
void ucx_sift(struct ucx_network *network, const struct endpoint *endpoint);

#endif
