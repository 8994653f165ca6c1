/*
 * port.h - what a port is to an endpoint: the whole contract, as one table of operations.
 *
 * A port is a kind of transport. A way is the use of a port to one peer (way.h). Ports stand in
 * folders of ck/ports, and ck/ports/list.c alone names them; a port includes nothing of another
 * one. A port plays one of four roles:
 *
 *     under   reaches every task: one way, endpoint.common, is common to all peers, and single
 *             peers may have ways of their own. Its ways take everything, and queue what they
 *             cannot send at once
 *     over    reaches some peers faster. Its link to a peer lies over a way of the port under,
 *             which takes what the link does not take now
 *     self    is for messages of a task to itself
 *     far     reaches tasks of other hosts by a network of its own, if both sides have it. It is
 *             used only where its owner has asked for it (engine_use_network), and may be missing.
 *             Its ways take everything, as those of the port under
 *
 * An operation is called only of the role that it names, and is NULL in ports of other roles. Its
 * comment says what it does, what happens if it cannot, and to whom things belong then. Each port
 * may have a part of the endpoint (under_part, over_part) and one of the engine
 * (engine.h), which no other file looks into. It enters its ways to and from a peer in the peer's
 * record (peer.h).
 *
 * Order. Messages between two tasks never overtake each other. The sender's side of this rule
 * stands in outbox.c, the receiver's in order.c; a port does its part as the operations say.
 *
 * Threads. "The leader" is the thread that leads or looks (wait.h): there is one at a time, and it
 * holds no lock. "Still" means that there is none meanwhile (waiting_stand_still). "A sender"
 * is any thread that has entered the endpoint, without a lock; it uses the peer, whose record and
 * links stay meanwhile. "Locked" means with the lock of the engine, engine.waiting.lock, which the
 * operation keeps unless it says so. Nothing blocks unless it says so, and no operation is called
 * with a lock that it does not name.
 */
#ifndef CK_ENDPOINT_PORT_H
#define CK_ENDPOINT_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ck/wait/wait.h"

struct endpoint;
struct engine;
struct loan;
struct message;
struct outgoing;
struct peer;
struct receiver;
struct sending;
struct way;

/* Which network tasks of other hosts are to be reached by. */
enum network {
    NETWORK_TCP,  /* that of the port under */
    NETWORK_AUTO, /* that of the port far, if the machine has an adapter for it */
    NETWORK_UCX,  /* that of the port far, whatever it runs over */
};

struct port {
    /* What all endpoints of a process share. --------------------------------------------------- */

    /*
     * Over: makes the engine's part of the port, and sets engine.maker; takes it away, after the
     * last message that has come or has been sent. 0 or a negative errno, and there is no part
     * then. No thread uses the engine.
     */
    int (*begin)(struct engine *engine);
    void (*end)(struct engine *engine);

    /*
     * Far: makes the engine's part, which does nothing before a task of another host is spoken
     * with. 0 or -ENOMEM. Locked. `end` takes it away.
     */
    int (*make)(struct engine *engine, enum network network);

    /*
     * Over: the memory that it may take, 0 for none, and the setting of core/one_copy.h. Without
     * effect while an endpoint is open. Locked.
     */
    void (*share)(struct engine *engine, size_t limit, int64_t one_copy);

    /*
     * Over and far, around a fork: takes locks of the port in which the child may not find another
     * thread, or releases them. With all locks up to that of the engine.
     */
    void (*hold)(struct engine *engine, bool held);

    /*
     * Over, under and far, in a child of fork: closes the descriptors of the engine's part, of
     * which the parent and its peers notice nothing. Locked, after `hold`.
     */
    void (*forsake)(struct engine *engine);

    /* Life of an endpoint. --------------------------------------------------------------------- */

    /*
     * Makes an endpoint's part of the port, which reaches nobody, and takes it away. Under: sets
     * endpoint.common. 0 or a negative errno, and there is no part then. No thread uses the
     * endpoint.
     */
    int (*start)(struct endpoint *endpoint);
    void (*finish)(struct endpoint *endpoint);

    /*
     * Under: takes over `descriptor`, a connected stream socket, for the common way, and watches it
     * in the set engine.waiting.epoll. 0 or a negative errno; then the descriptor is the caller's
     * still. Still.
     */
    int (*attach)(struct endpoint *endpoint, int descriptor);

    /*
     * Under: other endpoints of the engine may `join` the common way of this one from now on, which
     * stays when the endpoint goes, until no endpoint of the engine is attached. False when there
     * is such a way already, or this one has ended. Still.
     */
    bool (*keep_common)(struct endpoint *endpoint);

    /*
     * Over: peers may call from now on, at endpoint.called. The port does without what the system
     * does not allow. Still.
     */
    void (*open)(struct endpoint *endpoint);

    /*
     * Like `attach` and `open`, but with what other endpoints of the engine have already. Under:
     * false when no common way is kept, or its daemon is gone. Over: false when `open` is needed.
     * Locked. Any thread.
     */
    bool (*join)(struct endpoint *endpoint);

    /*
     * Under: the common way ends for this endpoint, as if the daemon had ended it: the leader finds
     * it lost, or it is so at once. Any thread that has entered the endpoint, without a lock.
     */
    void (*hang_up)(struct endpoint *endpoint);

    /*
     * Under: nothing more of the endpoint goes by the common way. Returns what it had queued there,
     * as way.cut does. Any thread, without a lock.
     */
    struct outgoing *(*cut)(struct endpoint *endpoint);

    /*
     * Under and far: the endpoint is lost, after `cut`. Every sender that waits for a way of a
     * peer, or to write on one, goes on and fails. Any thread, without a lock.
     */
    void (*lose)(struct endpoint *endpoint);

    /*
     * Over: the endpoint is aloof from now on. Peers send nothing by their links any more; what one
     * is just sending counts still. Then `settle` takes in the rest, and ends these links. False if
     * what comes first, by another way, is missing: what may be read has been read. Still.
     */
    void (*retire)(struct endpoint *endpoint);
    bool (*settle)(struct endpoint *endpoint);

    /*
     * Nothing of the endpoint is watched any more: no leader sees it from now on. Still, locked.
     */
    void (*withdraw)(struct endpoint *endpoint);

    /*
     * Ends all ways; what has been sent arrives. Under and far: `part` ends the ways of single
     * peers before the port over closes, and may wait a minute for them. After `withdraw`; no
     * thread uses the endpoint.
     */
    void (*part)(struct endpoint *endpoint);
    void (*close)(struct endpoint *endpoint);

    /*
     * In a child of fork, after `forsake`: closes the descriptors of the endpoint's part, likewise.
     */
    void (*abandon)(struct endpoint *endpoint);

    /* Sending. --------------------------------------------------------------------------------- */

    /*
     * Self: the receiver's own message of a short one that goes to a task of the process, which may
     * be this one; it belongs to the caller. NULL if it is not copied, or without memory. Any
     * thread, without a lock of the kernel.
     */
    struct message *(*make_short)(struct endpoint *endpoint, uint32_t destination,
                                  const struct message *message);

    /*
     * Self: sends a message of the task to itself, behind all that others have sent it before. The
     * message stays the caller's. 0, CK_LOST or CK_NO_MEMORY. A sender, which need not have entered
     * the endpoint.
     */
    int (*deliver)(struct endpoint *endpoint, const struct message *message);

    /*
     * Self: sends a message to `to`, another endpoint of the engine (handed.h). Receivers of a
     * multicast share `*shared`, which begins as NULL, and belongs to the caller in the end
     * (message_free); NULL: there is one receiver. The message stays the caller's. 0, CK_LOST or
     * CK_NO_MEMORY. By a thread that has entered the endpoint. Locked; may give the lock up.
     */
    int (*hand)(struct endpoint *endpoint, struct endpoint *to, const struct message *message,
                struct message **shared);

    /*
     * Over: offers a link to a peer that has none, if it may have one, and if it has not ignored
     * offers of late. Messages go another way until the peer has answered. Locked; gives the lock
     * up if it offers. Far: likewise, a way.
     */
    void (*offer)(struct endpoint *endpoint, struct peer *peer);

    /*
     * Over: sends by the link sending->link if it is engaged and has room. The message stays the
     * caller's. When it is not sent, its body may have been placed already (`place`). A sender.
     */
    bool (*send)(struct endpoint *endpoint, struct sending *sending, const struct message *message);

    /*
     * Over: places the body where the peer of sending->link can read it, if there is room: in
     * sending->load, until `conclude`. What others of a multicast have placed serves too, and is
     * given to them (sending->shared). Does nothing for a message that is short. A sender.
     */
    void (*place)(struct endpoint *endpoint, struct sending *sending,
                  const struct message *message);

    /*
     * Over: like `send`, by a sender that is about to send by `way`, with the lock of this way:
     * engages the link sending->link if it can, and otherwise leaves it. After false the message
     * may go by `way`, at once.
     */
    bool (*send_or_leave)(struct endpoint *endpoint, struct sending *sending,
                          const struct message *message, struct way *way);

    /*
     * Over: after each sending that has a link. What has gone another way is counted, before this
     * task does anything that the message may cause; the sending has no load any more. A sender.
     */
    void (*conclude)(struct endpoint *endpoint, struct sending *sending, bool sent);

    /* Over: drops what a multicast has shared (sending->shared), which may be NULL. Any thread. */
    void (*drop)(void *load);

    /*
     * Under: the way to a peer, once it is settled: *way is the peer's own, or the common one. With
     * `ask`, a peer that has none is asked for a way of its own. Waits, as a sender does. 0 or
     * CK_LOST. A sender.
     */
    int (*find)(struct endpoint *endpoint, struct peer *peer, bool ask, struct way **way);

    /*
     * Under: the only way by which anything may go to a peer now; NULL while another one is being
     * agreed on. Far: its way in place of that, or NULL. Locked, with the lock of a way.
     */
    struct way *(*current)(const struct endpoint *endpoint, const struct peer *peer);

    /*
     * Far: whether a peer has a way of its own, or may have one soon: so it is not asked for one of
     * the port under. Locked.
     */
    bool (*serves)(const struct peer *peer);

    /*
     * Far: if the peer has answered, messages to it go by the way of this port from now on, behind
     * a fence that is sent by `way`. False: they go by `way`. With the lock of `way`, which is
     * right for the peer.
     */
    bool (*engage)(struct endpoint *endpoint, const struct peer *peer, struct way *way);

    /* Under and far: the peer's own way has failed: the common one is to be used. Any thread. */
    void (*fail)(struct endpoint *endpoint, struct way *way);

    /* Memory that a receive lends. ------------------------------------------------------------- */

    /*
     * Over: exposes loan->memory to the one peer that `receiver`, which is posted, asks for
     * messages of, if it is worth it. The loan stays the caller's. Until `reclaim` the peer may
     * write there. Locked.
     */
    void (*lend)(struct endpoint *endpoint, struct loan *loan, struct receiver *receiver);

    /*
     * Over: after every `lend`. Nobody writes to the memory any more; what has been written for
     * another receive is kept. Waits, for as long as a peer writes just now. Locked; gives the lock
     * up while it waits.
     */
    void (*reclaim)(struct endpoint *endpoint, struct loan *loan);

    /* Progress: the leader. -------------------------------------------------------------------- */

    /*
     * Over: takes in up to `most` messages, UINT_MAX being all that were there, in the order in
     * which they were sent, with hardly any system call. True when there were any. What it delivers
     * by itself comes behind what it has taken in (taken.h).
     */
    bool (*glance)(struct endpoint *endpoint, unsigned most);

    /* Over: does what the sockets of all endpoints are ready for. True when anything happened. */
    bool (*serve)(struct engine *engine);

    /*
     * Under: takes in and sends what is ready at any endpoint, with system calls. True when
     * anything happened. What is ready with &engine->ports as its data in the set is the port
     * over's to `serve`. Far: likewise, also before anything that came by the common way is taken
     * in.
     */
    bool (*look)(struct engine *engine);

    /*
     * Over: says that nobody looks any more, so that peers wake this process for anything, or for
     * what is urgent (dialect.h), or that somebody looks again. True when there is such a message
     * after all: then it is to be looked at, or the program to be told. Also by a thread that has
     * looked, locked. Far: has what comes from now on wake the leader.
     */
    bool (*sleep)(struct engine *engine, enum nap nap);

    /*
     * Over, before a sleep: frees what peers have given back, and with `idle` gives much of it to
     * the system. True when `idle` would be worth it later.
     */
    bool (*tidy)(struct engine *engine, bool idle);

    /*
     * Order of arrival: the leader. `peer` is the record of the sender, NULL without one; it stays
     * for as long as the message is looked at (peers_take_in_hand).
     */

    /* Over: messages have come by a way under. Takes in what came over before. */
    void (*come_first)(struct endpoint *endpoint);

    /*
     * Over: keeps a message that came by a way under, by the common one or not, while something
     * older is on its way. False when the message is to be taken in now, or memory is short: then
     * it is the caller's still.
     */
    bool (*defer)(struct endpoint *endpoint, const struct peer *peer, struct message *message,
                  bool common);

    /* Over: whether it keeps a message (defer). */
    bool (*has_deferred)(const struct endpoint *endpoint);

    /* Over: whether it keeps a message, or knows of one that is on its way. The leader, locked. */
    bool (*lacks)(const struct endpoint *endpoint);

    /* Over: the next kept message that may be taken in now, or NULL. It is the caller's. */
    struct message *(*due)(struct endpoint *endpoint, bool *common);

    /* Over: whether everything that is there counts as due, whatever is on its way. */
    void (*insist)(struct endpoint *endpoint, bool insist);

    /*
     * Over: takes in what the sender of `message`, which came by a way under, has sent before by
     * its link. True when the message was a fence, which is freed then.
     */
    bool (*precede)(struct endpoint *endpoint, const struct peer *peer, struct message *message);

    /*
     * Under: sees a message that came by the common way, and may keep it until what comes before it
     * is there. True when it does: the message is the port's then, and the caller's otherwise.
     */
    bool (*keep)(struct endpoint *endpoint, const struct peer *peer, struct message *message);

    /* Far: a fence lets in what has come behind it, and is freed. False for any other message. */
    bool (*hear_fence)(struct endpoint *endpoint, struct message *message);

    /*
     * Far: keeps a message of the daemon that tells the program of a peer's end, until what the
     * peer has sent by this port is there. True when it does: then the message is the port's.
     */
    bool (*hold_end)(struct endpoint *endpoint, struct message *message);

    /* Under: whether the common way has ended at the daemon, though not all of it may be read. */
    bool (*is_cut)(const struct endpoint *endpoint);

    /* Under and far: what a peer or its daemon said of ways (enum word). It stays the caller's. */
    void (*take_word)(struct endpoint *endpoint, const struct message *message);

    /* For programs that wait by themselves. ---------------------------------------------------- */

    /*
     * Under: the descriptor that is readable when something may have come by the peer's own way, -1
     * without one; and whether this way is open. Locked.
     */
    int (*descriptor)(const struct peer *peer, bool *open);
};

/* The ports of an endpoint, by their roles. */
struct ports {
    const struct port *self;
    const struct port *under;
    const struct port *over;
    const struct port *far; /* NULL: there is none */
};

#endif
