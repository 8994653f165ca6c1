/*
 * handed.h - messages between tasks of one process: when one may be handed over, and the wait of
 * those that may not.
 *
 * The tasks of a process share memory and a lock. The thread that sends a message to another one of
 * them puts it into the inbox of the receiver itself (ck/ports/self/self.c): the message takes no
 * way, and nobody has to look for it.
 *
 * Order. Whatever was sent to the receiver before, and may have caused the message, must be in the
 * inbox first. What tasks of the process have sent is there at once. Of anything else the sender
 * can have heard only by a message from outside the process, to whichever of its tasks. So the
 * engine counts what comes from outside (`arrivals`). An endpoint has `seen` so many arrivals when
 * a look at everything, which began after the last of them, has found nothing more, and its ports
 * know of nothing that is on its way to it. If a receiver has seen all arrivals, the message is
 * handed over. Otherwise it waits for such a look, and so does its sender: an effect of the message
 * must not come from outside first. It is then taken in as if it had come from outside: where
 * something older is still on its way, the port over keeps it (port.h: defer).
 *
 * Tasks hear of each other by other means, too. While a thread leads, it takes in at once what
 * comes. While none does, messages are handed over for some milliseconds after a look, until the
 * system's coarse clock, which costs hardly anything, goes on.
 *
 * The pvmd may say that a task of the process is over, which then still runs: it is `silenced`, and
 * nothing of it comes behind this word.
 *
 * An endpoint is in the directory from endpoint_open on, and others may know its address a little
 * earlier. If one of its process has sent to it meanwhile, by other ways, it stays out of the
 * directory (`passed`): to its neighbours it is as a task of another process.
 *
 * Threads: with the lock of the engine, except where said.
 */
#ifndef CK_ENDPOINT_HANDED_H
#define CK_ENDPOINT_HANDED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct endpoint;
struct engine;
struct message;

/* Of an engine; all zero at first. */
struct handed {
    unsigned arrivals;     /* that have come from outside; changed by the leader alone */
    struct message *first; /* that wait for a look, in order, by next */
    struct message *last;
    unsigned put;        /* so many have waited, */
    unsigned taken;      /* and so many of them have been taken in */
    atomic_bool waiting; /* one waits; a hint for the leader, whose own is what follows: */
    unsigned calm;       /* `arrivals` at the last glance, if it found nothing; */
    bool is_calm;        /* whether it did; */
    unsigned settled;    /* so many arrivals all endpoints have seen; */
    unsigned wanted;     /* so many had come when a look was wanted last; */
    uint64_t settled_at; /* and when the last look found nothing, on the coarse clock */
};

/*
 * Gives `message`, which becomes the receiver's, to `to`, another endpoint of the same engine that
 * is not lost. The lock may be given up meanwhile.
 */
void handed_give(struct endpoint *from, struct endpoint *to, struct message *message);

/*
 * Whether everything has been seen that may have caused a message to `endpoint`, so that handed_give
 * does not wait.
 */
bool handed_is_in_order(const struct endpoint *endpoint);

/*
 * The leader ends a look that was a glance, perhaps, and may go to sleep: true, once, if only a
 * look at everything would show that all has been seen, without which the next message waits.
 */
bool handed_wants_look(struct engine *engine);

/*
 * Takes in `message` at its receiver `to`, whose owner sees the message first if it wants to. The
 * message becomes the receiver's. The caller has the lock, which is given up for the owner.
 */
void handed_take(struct endpoint *to, struct message *message);

/* An endpoint begins: it has seen nothing yet. */
void handed_begin(struct endpoint *endpoint);

/* The leader, without the lock. ---------------------------------------------------------------- */

/*
 * Gives out the messages that wait for a look, which begins now; NULL when there are none. In the
 * end they are taken in. `happened` is whether the last look has found anything, behind a glance.
 */
struct message *handed_begin_look(struct engine *engine);
void handed_end_look(struct engine *engine, struct message *awaiting, bool happened);

#endif
