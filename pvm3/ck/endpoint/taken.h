/*
 * taken.h - how a message is taken in, and when it is delivered.
 *
 * A receive takes the lock to be posted, and again when the leader's look is over. It would take it
 * once more for a message that is delivered in between. So of the endpoint that it glances at the
 * leader keeps messages, and delivers them with the lock that ends its look.
 *
 * Until then they count as not read: nobody is told of the look, and nothing that comes behind them
 * has an effect. So they are delivered before anything else that the leader does for others to see:
 * before words of ways, messages that the owner wants and bodies that have landed, before it goes
 * on to another endpoint or to what has been deferred, and before a look at sockets. From there to
 * the next glance nothing is kept, and each message is delivered when it is taken in.
 *
 * Threads: the leader, or who looks in its place (wait.h), without a lock, except where said.
 */
#ifndef CK_ENDPOINT_TAKEN_H
#define CK_ENDPOINT_TAKEN_H

struct endpoint;
struct engine;
struct message;

/* Of an engine; all zero: nothing is kept. */
struct taken {
    struct endpoint *endpoint; /* whose messages are kept; NULL: nobody's */
    struct message *first;     /* in order, by next */
    struct message **end;
};

/* A glance at `endpoint` begins: what is kept of another one is delivered. */
void taken_begin(struct endpoint *endpoint);

/* Delivers what is kept, and from now on nothing is. */
void taken_deliver(struct engine *engine);

/* Likewise, with the lock. */
void taken_deliver_locked(struct engine *engine);

/* Takes in a message whose turn it is (ck/endpoint/order.h). */
void endpoint_take_one(struct endpoint *endpoint, struct message *message);

#endif
