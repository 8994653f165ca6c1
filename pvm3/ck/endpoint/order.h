/*
 * order.h - what an endpoint takes in first, so that messages come in the order of their sending
 * whichever ways they take.
 *
 * Threads: the leader only (ck/wait/wait.h), without a lock.
 */
#ifndef CK_ENDPOINT_ORDER_H
#define CK_ENDPOINT_ORDER_H

#include <stdbool.h>
#include <stdint.h>

struct endpoint;
struct message;

/*
 * Takes in what came by a way of the port under, linked by next, in order. `peer` has this way of
 * its own; ADDRESS_NONE: they came by the common one. The messages are the endpoint's then.
 */
void order_take_in(struct endpoint *endpoint, struct message *arrived, uint32_t peer);

/*
 * Takes in what a task of the same process hands over (handed.h), after a look at everything.
 */
void order_take_handed(struct endpoint *endpoint, struct message *message);

/* Takes in what has waited until now for something older. True when anything did. */
bool order_take_due(struct endpoint *endpoint);

/*
 * Takes in everything that is there. Called before word of a task's end is taken in: what the task
 * has sent before it is there, even if messages of other tasks are still on their way.
 */
void order_take_all(struct endpoint *endpoint);

#endif
