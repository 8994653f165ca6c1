/*
 * endpoint.h - one task's place in the exchange of messages: an inbox, a way out, and the threads
 * that wait at them.
 *
 * It knows addresses (address.h), messages and patterns, but nothing of PVM. Another interface can
 * stand on it, as on that of Overeinder, Vesseur, van der Linden and Sloot, "A Communication Kernel
 * for Parallel Programming Support on a Massively Parallel Processor System", 1995. Messages go
 * by ports (port.h); between two tasks they never overtake each other, whichever ways they take.
 *
 * Threads: any thread may call any function, except where said.
 */
#ifndef CK_ENDPOINT_ENDPOINT_H
#define CK_ENDPOINT_ENDPOINT_H

#include <stdbool.h>
#include <time.h>

#include "ck/wait/wait_descriptor.h"
#include "ck/peers/dialect.h"
#include "ck/endpoint/engine.h"
#include "ck/peers/host_message.h"
#include "ck/inbox/inbox.h"
#include "ck/peers/outgoing.h"
#include "ck/peers/peer.h"
#include "ck/endpoint/port.h"
#include "ck/base/result.h"
#include "ck/wait/wait.h"
#include "core/chunk.h"
#include "core/pool.h"

/* What the owner of an endpoint does with arrivals, and for the ways to others. */
struct endpoint_owner {
    /* Whether `intercept` is to see a message. By any thread, with any lock. */
    bool (*wants)(void *owner, const struct message_header *header);

    /*
     * Sees a message before it is queued. True means that the owner has taken the message, of which
     * message_detach has made it the only owner if it lay in memory of the application. It may call
     * endpoint_request_errand. By the thread that leads, or that sends a message of the task to
     * itself, without locks.
     */
    bool (*intercept)(void *owner, struct message *message);

    /* What endpoint_request_errand asked for. By a thread of the endpoint that does not lead. */
    void (*errand)(void *owner);

    /* The peer of the common way is gone, for a reason in words. Once, by the leader. */
    void (*lost)(void *owner, const char *reason);

    /* A message is not taken in, for a reason in words. By the leader. */
    void (*dropped)(void *owner, const char *reason);

    /* Takes a message that nobody received before endpoint_detach. With the lock of the inbox. */
    void (*discard)(void *owner, struct message *message);

    /* The network that the owner has asked for is not to be had, for a reason in words. */
    void (*no_network)(void *owner, const char *reason);

    /*
     * Makes a new name for a socket in the temporary folder, in ENVIRONMENT_PATH_SIZE bytes. False
     * when it would be too long. By a sender or the leader, without locks.
     */
    bool (*name)(void *owner, char *path);

    /*
     * A route to `peer` begins to listen or opens, with its descriptor; or one that was open ends,
     * with -1. By the leader, without locks.
     */
    void (*routed)(void *owner, uint32_t peer, int descriptor);

    /*
     * The calling thread begins to wait in a receive, which has reached no point of cancellation
     * so far. Whether the wait is one; or NULL. With the lock of the inbox.
     */
    bool (*cancellable)(void *owner);

    /*
     * The calling thread begins to wait. For what endpoint_recall ends the wait, 0 or bits of enum
     * recall; or NULL: for nothing. With the lock of the inbox.
     */
    unsigned (*recallable)(void *owner);

    /* How the owner speaks of ways, with its daemon and with other endpoints. */
    const struct dialect *dialect;
    void *owner;
};

/* A body of up to this many bytes goes to a task of the same host without being shared. */
#define ENDPOINT_SHORT HOST_SHORT

/* What a task thinks of direct routes; the numbers are those of the owner's option. */
enum routing { ROUTING_NEVER = 1, ROUTING_GRANTED, ROUTING_REQUESTED };

struct endpoint {
    struct engine *engine;
    struct waiting *waiting; /* the engine's; its lock guards the inbox and what follows */
    struct party party;      /* of the threads that wait at this endpoint */
    /* The members that every message needs come first, in few cache lines. */
    bool attached; /* the common way is there */
    bool open;     /* for everybody, not only for the calls that introduce the task to its peer */
    bool lost;     /* its peer is gone, or it is being closed: everything fails */
    bool apart;    /* others of the process reach it by the common way, too (endpoint_retire), */
    bool fenced;   /* or what they hand over waits (endpoint_return) */
    int users;     /* threads inside a call that uses the ways out, but for those of peers */
    _Atomic uint32_t own; /* address; changes only while the endpoint is not open */
    uint32_t called;      /* the address at which others call it */
    uint32_t gone;        /* nobody answers calls to this address; ADDRESS_NONE: none is given up */
    struct inbox inbox;
    struct wait_descriptor wait_descriptor; /* for programs that wait by themselves */
    struct endpoint_owner owner;
    const struct port *self; /* the engine's */
    const struct port *under;
    const struct port *over;
    const struct port *far;
    void *under_part; /* what the endpoint has of a port; the port's own */
    void *over_part;
    struct way *common; /* of the port under: to the daemon, and so to everybody */
    struct peers peers;
    int descriptor;        /* by which the endpoint is attached, of the common way; or -1 */
    struct endpoint *next; /* of the attached endpoints of the engine */
    struct endpoint *previous;
    struct endpoint *beside;  /* the next one in a chain of the directory (directory.h) */
    struct endpoint *leaving; /* the next one that is to be withdrawn (engine.leaving) */
    bool withdrawn;           /* the leader sees this endpoint no more */
    bool listed;              /* this endpoint is in a chain of the directory */
    bool silenced;            /* nothing is taken of it any more (handed.h) */
    unsigned recalled;        /* for what its threads are called back, bits (endpoint_recall) */
    bool aloof;               /* it has no links of the port over (endpoint_retire) */
    struct message *kept;     /* while it is fenced, in order, linked by next */
    bool unrouted;            /* it has no ways of the port under but the common one; the owner's */
    bool mute;                /* it has said its last word; with the lock of the common way */
    unsigned seen;            /* arrivals (handed.h) */
    int sends_to_look;        /* so many more sends look what has come (endpoint_let_in_by_send), */
    unsigned sends_blind;     /* and so many have not looked since; both with the inbox's lock */
    atomic_bool sends_watch;  /* all sends look */
    atomic_uint unheeded;     /* words of ways that are for the owner alone, a bit each */
    _Atomic(enum routing) routing;
    struct message *receipts;  /* that are due, linked by next; the inbox's lock */
    struct message *early;     /* came before the endpoint was open, in order, linked by next */
    struct outgoing *strayed;  /* posted messages whose way broke, in order; the inbox's lock */
    bool resending;            /* a thread sends these again; likewise */
    struct request *unsettled; /* those that hold something of a port; likewise */
    uint32_t host; /* network address of the own host, for ways to tasks of other hosts */
};

/* An endpoint of `engine`, which outlives it. 0, or a negative errno when there is no memory. */
int endpoint_init(struct endpoint *endpoint, struct engine *engine,
                  const struct endpoint_owner *owner);

/* The endpoint is detached. No thread may use it any more. */
void endpoint_destroy(struct endpoint *endpoint);

/*
 * Takes over `descriptor`, a connected stream socket, as the way to everybody. 0 or a negative
 * errno; then the descriptor stays the caller's. The endpoint must not be attached.
 */
int endpoint_attach(struct endpoint *endpoint, int descriptor);

/*
 * Lets other endpoints of the engine join the way to the daemon that this open endpoint has. The
 * way stays until no endpoint of the engine is attached. From now on the daemon has to say for
 * which endpoint a message is. False if the engine has such a way already, or if other endpoints
 * cannot find this one.
 */
bool endpoint_keep_common(struct endpoint *endpoint);

/*
 * Attaches the endpoint to the way that endpoint_keep_common has kept, and opens the endpoint.
 * `own` is its address. Tasks of its host call the endpoint at `called`, which it may share with
 * others of the engine (addressing.block); ADDRESS_NONE: others reach it by the common way alone, as
 * after endpoint_retire. `beside` is one of the engine, whose host it has. False if no way is kept,
 * or if the daemon has ended it.
 */
bool endpoint_join(struct endpoint *endpoint, uint32_t own, uint32_t called,
                   const struct endpoint *beside);

/*
 * Opens the attached endpoint, whose address is `own` from now on; `host` is the network address
 * of its host. Before that everything fails with CK_LOST, except for calls of a task that is not
 * introduced (endpoint_call).
 */
void endpoint_open(struct endpoint *endpoint, uint32_t own, uint32_t host);

/*
 * Writes up to `room` descriptors to `list` that become readable when something may have come: the
 * wait descriptor first, then the descriptors of direct routes. Returns how many there are; 0 when
 * the endpoint is not attached.
 */
int endpoint_descriptors(struct endpoint *endpoint, int *list, int room);

/* Ends the connection of an attached endpoint, as if its peer had done it. */
void endpoint_hang_up(struct endpoint *endpoint);

/* True when a route to `peer` is open. */
bool endpoint_has_route(struct endpoint *endpoint, uint32_t peer);

/*
 * A task that goes on in another process leaves this one in three steps (ck/retire.c). First its
 * endpoint retires: others send to it by the common way alone, for good, and no later than that
 * have ended what they were about to send by another way. Then its owner agrees with the daemon
 * that nothing more comes by the common way. Last endpoint_settle takes in everything that has
 * come: true if that is all, and the links from peers are over. If not, it may be called again. The
 * calling thread is the only one of the endpoint, which may stay after all or be detached.
 */
void endpoint_retire(struct endpoint *endpoint);
bool endpoint_settle(struct endpoint *endpoint);

/*
 * Tasks of the process hand their messages over again to an endpoint that has retired, or has joined
 * without being called by others. What they have sent by the common way comes before: so what they
 * hand over is kept until endpoint_open_fence. The owner calls that when a message has come which it
 * has sent to itself by the common way behind endpoint_return. The leader, without a lock.
 */
void endpoint_return(struct endpoint *endpoint);
void endpoint_open_fence(struct endpoint *endpoint);

/*
 * Shows each message that has arrived, in order, and whether it is let in; and puts such a message
 * into another endpoint, where it becomes the inbox's.
 */
void endpoint_show_arrived(struct endpoint *endpoint,
                           void (*see)(void *context, const struct message *message, bool let_in),
                           void *context);
void endpoint_put_arrived(struct endpoint *endpoint, struct message *message, bool let_in);

/*
 * Lets every waiting thread fail, waits until all have left, closes the port and discards what has
 * arrived.
 */
void endpoint_detach(struct endpoint *endpoint);

/*
 * In a child of fork, after engine_abandon, for an endpoint of its parent: closes the child's
 * descriptors of it. What the child's stack waits for there fails with CK_LOST; nothing else may be
 * done with it. With the locks that engine_abandon needs.
 */
void endpoint_abandon(struct endpoint *endpoint);

/*
 * Sends a message. Returns when the system has all of it, so that its body may change. While the
 * way out is full this thread takes in messages like any other that waits. With `request`, and
 * if `routing` says so, a task to whom there is no direct route is asked for one first, which
 * waits until that task is in a call of its library. 0, CK_LOST, or CK_NO_MEMORY for a message
 * of the task to itself, or to a task that is new to this one.
 */
int endpoint_send(struct endpoint *endpoint, const struct parcel *parcel, bool request);

/*
 * Sends `message` to `count` addresses, whose order changes: over direct routes to tasks that have
 * one, to the others by one multicast of the daemon. 0, CK_LOST or CK_NO_MEMORY.
 */
int endpoint_send_all(struct endpoint *endpoint, const struct message *message, uint32_t *addresses,
                      int count);

/*
 * Sends `request` and waits for the answer: the message that matches `answer`, whose wait id is
 * not 0. *reply is the caller's (message_free). 0, CK_LOST, CK_NO_MEMORY as endpoint_send, or
 * CK_PEER_OVER (endpoint_give_up). Unless `introduced` the endpoint may not be open yet: then the
 * request comes from addressing.newcomer.
 */
int endpoint_call(struct endpoint *endpoint, const struct parcel *request, bool introduced,
                  const struct pattern *answer, struct message **reply);

/*
 * The task `source` is over: calls that wait for its answer fail with CK_PEER_OVER, and so do calls
 * to it from now on, until the endpoint is attached anew. Until then only one task can be given up.
 */
void endpoint_give_up(struct endpoint *endpoint, uint32_t source);

/*
 * Nobody sends any more what some receives ask for (hopeless.h): they fail with CK_PEER_OVER, and
 * so do those to come for which no message is there. CK_NO_MEMORY: they wait on. endpoint_hope
 * withdraws what its owner has said.
 */
int endpoint_despair(struct endpoint *endpoint, const struct hopeless_case *added);
void endpoint_hope(struct endpoint *endpoint, int owner);

/* Between the files of an endpoint: of a receiver that was posted just now. With the lock. */
void endpoint_fail_if_hopeless(struct endpoint *endpoint, struct receiver *receiver);

/*
 * A send within the process that takes neither a wait nor a system call, and so reaches no point of
 * cancellation, as most of them. endpoint_make_short makes the receiver's own message of a short
 * one; NULL if `destination` cannot be in this process, or without memory. The caller may hold
 * locks that are taken behind that of the inbox. endpoint_hand_at_once takes such a message over.
 * If it returns false, nothing has been done, and the message is to be sent like any other.
 */
struct message *endpoint_make_short(struct endpoint *endpoint, uint32_t destination,
                                    const struct message *message);
bool endpoint_hand_at_once(struct endpoint *endpoint, struct message *message);

/*
 * Waits for a message that matches until `deadline` (CLOCK_MONOTONIC; NULL: for ever). *message is
 * the caller's, or NULL when time was up. Interruptible (endpoint_interrupt). 0, CK_LOST, or
 * CK_NO_MEMORY when an arriving message found no memory.
 */
int endpoint_receive(struct endpoint *endpoint, const struct pattern *pattern,
                     const struct timespec *deadline, struct message **message);

/*
 * Like endpoint_receive, without a deadline. A peer may write the message to `memory`, of `size`
 * bytes: until this returns, the contents of `memory` are undefined. The body of *message may lie
 * in `memory` or elsewhere: message_is_at tells.
 */
int endpoint_receive_into(struct endpoint *endpoint, const struct pattern *pattern, void *memory,
                          size_t size, struct message **message);

/*
 * Takes a message that matches if one has come. *message is the caller's, or NULL. 0 or CK_LOST.
 */
int endpoint_poll(struct endpoint *endpoint, const struct pattern *pattern,
                  struct message **message);

/*
 * Probing by several threads: endpoint_claim takes a message that matches out like endpoint_poll,
 * so that no other thread gets it, without having received it. The thread then keeps it by
 * endpoint_accept, or gives it back by endpoint_give_back: the message has the place among the
 * others that it had, and is no longer the caller's.
 */
int endpoint_claim(struct endpoint *endpoint, const struct pattern *pattern,
                   struct message **message);
void endpoint_give_back(struct endpoint *endpoint, struct message *message);

/*
 * A receive has `message`, which may be NULL: its sender gets a receipt, if it waits for one
 * (dialect.receipt). All functions that receive do this, except endpoint_claim.
 */
void endpoint_accept(struct endpoint *endpoint, const struct message *message);

/*
 * Sends the receipts of what receives have got that accept at once (struct receiver). An errand,
 * without a lock.
 */
void endpoint_send_receipts(struct endpoint *endpoint);

/*
 * Calls `look` with the first message that matches, under the lock of the inbox, if one has come;
 * the message stays queued. Returns what `look` returned, 0 without a message, or CK_LOST.
 */
int endpoint_probe(struct endpoint *endpoint, const struct pattern *pattern,
                   int (*look)(void *context, struct message *message), void *context);

/*
 * Brackets a use of the ways out, for which endpoint_detach waits. False when the endpoint is lost,
 * or with `introduced` not open yet. With the lock of the inbox.
 */
bool endpoint_enter(struct endpoint *endpoint, bool introduced);
void endpoint_leave(struct endpoint *endpoint);

/*
 * Between the two calls the endpoint stays attached, also if it is lost: endpoint_detach waits.
 * endpoint_pin returns false if the endpoint is not attached. Any thread, without the lock.
 */
bool endpoint_pin(struct endpoint *endpoint);
void endpoint_unpin(struct endpoint *endpoint);

/*
 * Waits, moving messages like all that wait, until `holds` says so. It is asked at first and after
 * each endpoint_recheck, under the lock of the inbox. 0, or CK_LOST when the endpoint is lost
 * before.
 */
int endpoint_wait_until(struct endpoint *endpoint, bool (*holds)(void *owner), void *owner);
void endpoint_recheck(struct endpoint *endpoint);

/*
 * A send lets in one message that has come, as in 3.4.6, where a send reads while it writes.
 * Programs see this by calls that do not wait and by errands. So the next sends after a call that
 * does not wait look, which may take a system call. The others are counted, and
 * endpoint_poll_begins lets in one message for each. With the lock of the inbox, which is given up
 * for errands, the first between endpoint_enter and endpoint_leave.
 */
void endpoint_let_in_by_send(struct endpoint *endpoint);
bool endpoint_lets_in_by_send(const struct endpoint *endpoint); /* or is only counted */
void endpoint_poll_begins(struct endpoint *endpoint);

/* Whether all sends are to look, as they must when a look may bring an errand. By any thread. */
void endpoint_watch_by_sends(struct endpoint *endpoint, bool watch);

/*
 * Takes in all that has come, before a message of the task to itself, and lets in one message.
 * Between endpoint_enter and endpoint_leave, with the lock of the inbox.
 */
void endpoint_catch_up(struct endpoint *endpoint);

/*
 * When a thread that waited or looked has done so: a program may wait at its descriptor now, and
 * counts as asleep. With the lock of the inbox.
 */
void endpoint_rest(struct endpoint *endpoint);

/*
 * Has the processor bring what a message to a thread of this endpoint changes, which another
 * processor may have, while the caller prepares the message. Any thread, without the lock.
 */
void endpoint_fetch(struct endpoint *endpoint);

/* Queues `message`, which becomes the endpoint's, as if it had just arrived. */
void endpoint_deliver(struct endpoint *endpoint, struct message *message);

/* Like endpoint_deliver, with the lock of the inbox held. */
void endpoint_deliver_locked(struct endpoint *endpoint, struct message *message);

/*
 * Like endpoint_deliver, for a message that a receive had and does not take: it keeps its place
 * among the others.
 */
void endpoint_deliver_again(struct endpoint *endpoint, struct message *message);

/* For what an owner calls threads back: from a receive, or also from a wait for what is posted. */
enum recall { RECALL_RECEIVES = 1, RECALL_WAITS = 2 };

/*
 * Threads that let the owner call them back for this do not wait while `recall`: waits that go on
 * now, or would begin later, end with CK_RECALLED. What was posted stays posted. Any thread.
 */
void endpoint_recall(struct endpoint *endpoint, enum recall reason, bool recall);

/* For what the wait that the calling thread begins may be ended; and what of this is so already. */
unsigned endpoint_may_recall(const struct endpoint *endpoint);
static inline bool endpoint_is_recalled(const struct endpoint *endpoint)
{
    return endpoint->recalled && (endpoint->recalled & endpoint_may_recall(endpoint));
}

/* Whether the receive that the calling thread begins is a point of cancellation. */
bool endpoint_may_cancel(const struct endpoint *endpoint);

/*
 * Whether the endpoint itself takes what is said of ways with this word (word_is_of_ways), as it
 * does at first. A message that it takes does not come to the owner, except for WORD_OVER. One that
 * it does not take is for the owner like any other. By any thread.
 */
void endpoint_heed(struct endpoint *endpoint, enum word word, bool heed);

/* From intercept only: has owner.errand called. */
void endpoint_request_errand(struct endpoint *endpoint);

/*
 * Interruptible receive, as pvm_interrupt_recv and pvm_resume_recv are described in pvm3.h. 0,
 * CK_LOST or CK_NOT_FOUND.
 */
int endpoint_interrupt(struct endpoint *endpoint);
int endpoint_resume(struct endpoint *endpoint);

/* Between the files of an endpoint. ----------------------------------------------------------- */

/* Messages that nobody waits for while they go out: their memory is their own. */
struct unattended {
    struct outgoing outgoing;
    struct parcel parcels[2];
    struct message *messages[2];
};

/*
 * Takes over up to two messages and their destinations. NULL, and they are freed, when memory is
 * short; a message that is NULL was short of it already.
 */
struct unattended *endpoint_prepare(struct message *const *messages, const uint32_t *destinations,
                                    int count);

/* Frees what was not sent, also NULL. */
void endpoint_drop(struct unattended *letter);

/* Sends through the daemon without waiting; what a lost endpoint cannot send is dropped. */
void endpoint_send_unattended(struct endpoint *endpoint, struct unattended *letter);

/*
 * way->push for messages of the endpoint: none follows its last word by the common way, whichever
 * thread sends it, until the endpoint is attached anew. With the lock of the way.
 */
enum push_result endpoint_push(struct endpoint *endpoint, struct way *way,
                               struct outgoing *outgoing);

/*
 * After a push by the calling thread: waits until what is pending is out, unless it is posted. 0 or
 * CK_LOST.
 */
int endpoint_finish_push(struct endpoint *endpoint, enum push_result pushed,
                         struct outgoing *outgoing);

/* Whether the port far is in use. */
static inline bool endpoint_has_network(const struct endpoint *endpoint)
{
    return endpoint->engine->far_part != NULL;
}

/* Whether other endpoints of the engine are attached. With the lock, or by the leader. */
static inline bool endpoint_has_neighbours(const struct endpoint *endpoint)
{
    return atomic_load_explicit(&endpoint->engine->attached, memory_order_relaxed) > 1;
}

/* Another endpoint of the process to which messages are handed over; NULL: none. With the lock. */
static inline struct endpoint *endpoint_neighbour(const struct endpoint *endpoint, uint32_t address)
{
    struct endpoint *neighbour = engine_find(endpoint->engine, address);
    return neighbour && !neighbour->apart ? neighbour : NULL;
}

/*
 * Sends a message over the route to its destination or through the daemon, and waits; with
 * `request`, a route is asked for. Between endpoint_enter and endpoint_leave, with the lock of the
 * inbox, which is given up meanwhile. Returns what endpoint_send does. With `posted`, which belongs
 * to a request, does not wait for a way that is full: posted->queued tells, and
 * endpoint_finish_outgoing comes then.
 */
int endpoint_send_as(struct endpoint *endpoint, const struct parcel *parcel, bool request,
                     struct outgoing *posted);

/*
 * Sends posted messages again whose way broke. Between endpoint_enter and endpoint_leave, with the
 * lock of the inbox, which is given up meanwhile.
 */
void endpoint_send_strayed(struct endpoint *endpoint);

/*
 * A posted message that is out, or is over, holds its peer no more. With the lock of the inbox,
 * which may be given up meanwhile.
 */
void endpoint_let_go(struct endpoint *endpoint, struct outgoing *posted);

/* Uses the peer no more (peers_release), for which endpoint_detach waits. With the lock. */
void endpoint_release(struct endpoint *endpoint, struct peer *peer);

/* Lets the senders of what went out of a way's queue go on. With the lock. */
void endpoint_finish_outgoing(struct endpoint *endpoint, struct outgoing *outgoing);

/*
 * Nothing more goes by a way: its senders go on, and fail. Any thread, without a lock.
 */
void endpoint_cut(struct endpoint *endpoint, struct way *way);

/* Whether the owner took the message. Without a lock. */
static inline bool endpoint_intercept(struct endpoint *endpoint, struct message *message)
{
    const struct endpoint_owner *owner = &endpoint->owner;
    return owner->wants(owner->owner, &message->header) && owner->intercept(owner->owner, message);
}

/* Takes in a message that the task makes for itself, and that says nothing of ways. */
void endpoint_take_own(struct endpoint *endpoint, struct message *message);

/* Everything that waits fails with `error`, everything later with CK_LOST. */
void endpoint_lose(struct endpoint *endpoint, int error);

/* All posted receives fail; receives that judge have no more to wait for. With the lock. */
void endpoint_fail_receivers(struct endpoint *endpoint, int error);
void endpoint_fail_examinations(struct endpoint *endpoint, int error);

#endif
