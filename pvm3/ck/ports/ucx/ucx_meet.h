/*
 * ucx_meet.h - how two tasks learn how they are reached by UCX.
 *
 * Each tells the other its card, the address of its worker, in a message by the common way. A task
 * of 3.4.6 ignores it, and one of ours without UCX answers with an empty card. Neither side waits.
 */
#ifndef CK_PORTS_UCX_UCX_MEET_H
#define CK_PORTS_UCX_UCX_MEET_H

#include "ck/ports/ucx/ucx_link.h"

/* port.h says what these do. */
void ucx_offer(struct endpoint *endpoint, struct peer *peer);
bool ucx_engage(struct endpoint *endpoint, const struct peer *peer, struct way *way);

/* A peer's card has come. The leader, without a lock. */
void ucx_take_card(struct endpoint *endpoint, const struct message *message);

#endif
