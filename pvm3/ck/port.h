/*
 * port.h - what a port is to an endpoint, as one table of operations.
 *
 * A port is a kind of transport. A way is the use of a port to one peer. Ports stand in folders of
 * ck/ports, and ck/ports/list.c lists them. A port plays one of two roles:
 *
 *     under   reaches every task: one way is common to all peers, and single peers may have ways of
 *             their own
 *     over    reaches some peers faster. Its link to a peer lies over a way of the port under it,
 *             which takes what the link cannot take
 *
 * An operation that its role does not name is NULL. A port may call what delivers and posts
 * messages (endpoint.c, post.c) and what puts arrivals in order (order.c). These files know of
 * ports only the sockets below (stream_port.h, route.h), and reach the rest through this table.
 * Sending does not go through the table: outbox.c and receive.c stand above the ports and call them
 * by name.
 *
 * Order. Messages between two tasks never overtake each other. A thread that changes from one way
 * to another holds the lock of the way under the link. ck/order.c alone decides what is taken in
 * first.
 *
 * Threads. "The leader" is the thread that leads or looks (ck/wait.h): there is one at a time, and
 * it holds no lock. "Locked" means with the lock of the endpoint, endpoint.waiting.lock. Nothing
 * blocks unless it says so.
 */
#ifndef CK_PORT_H
#define CK_PORT_H

#include <stdbool.h>
#include <stdint.h>

struct endpoint;
struct message;

struct port {
    /* Life. ------------------------------------------------------------------------------------ */

    /*
     * Makes an endpoint's part of the port, which reaches nobody; takes it away. No thread uses it.
     */
    void (*start)(struct endpoint *endpoint);
    void (*finish)(struct endpoint *endpoint);

    /*
     * Over: peers may call from now on. The port does without what the system does not allow.
     * Before other threads use the endpoint.
     */
    void (*open)(struct endpoint *endpoint);

    /*
     * Under: the endpoint is lost. Every sender that waits for a way of a single peer, or to write
     * on one, goes on and fails. Any thread, without a lock.
     */
    void (*lose)(struct endpoint *endpoint);

    /*
     * Ends all ways; what has been sent arrives. Under: `part` ends the ways of single peers before
     * the port over closes, and may wait a minute for them. No thread uses the endpoint.
     */
    void (*part)(struct endpoint *endpoint);
    void (*close)(struct endpoint *endpoint);

    /*
     * In a child of fork: closes its descriptors, of which the parent and its peers notice nothing.
     * Locked.
     */
    void (*abandon)(struct endpoint *endpoint);

    /* Progress: the leader. -------------------------------------------------------------------- */

    /*
     * Over: takes in up to `most` messages, UINT_MAX being all that were there, in the order in
     * which they were sent, with hardly any system call. True when there were any.
     */
    bool (*glance)(struct endpoint *endpoint, unsigned most);

    /* Over: does what its sockets are ready for. True when anything happened. */
    bool (*serve)(struct endpoint *endpoint);

    /* Under: takes in and sends what is ready, with system calls. True when anything happened. */
    bool (*look)(struct endpoint *endpoint);

    /*
     * Over: says that nobody looks any more, so that peers wake this task, or again. True when
     * there is something after all: then it is to be looked at, or the program to be told. Also by
     * a thread that has looked, locked.
     */
    bool (*sleep)(struct endpoint *endpoint, bool asleep);

    /*
     * Over, before a sleep: frees what peers have given back, and with `idle` gives much of it to
     * the system. True when `idle` would be worth it later.
     */
    bool (*tidy)(struct endpoint *endpoint, bool idle);

    /* Order of arrival: the leader. ------------------------------------------------------------ */

    /* Over: messages have come by a way under. Takes in what came over before. */
    void (*come_first)(struct endpoint *endpoint);

    /*
     * Over: keeps a message that came by a way under, by the common one or not, while something
     * older is on its way. False when the message is to be taken in now, or memory is short: then
     * it is still the caller's.
     */
    bool (*defer)(struct endpoint *endpoint, struct message *message, bool common);

    /* Over: whether it keeps a message (defer). */
    bool (*has_deferred)(const struct endpoint *endpoint);

    /* Over: the next kept message that may be taken in now, or NULL. It is the caller's. */
    struct message *(*due)(struct endpoint *endpoint, bool *common);

    /* Over: whether everything that is there counts as due, whatever is on its way. */
    void (*insist)(struct endpoint *endpoint, bool insist);

    /*
     * Over: takes in what the sender of `message`, which came by a way under, has sent before by
     * its link. True when the message was a fence, which is freed then.
     */
    bool (*precede)(struct endpoint *endpoint, struct message *message);

    /*
     * Under: sees a message that came by the common way, and may keep it until what comes before it
     * is there. True when it does: the message is the port's then, and the caller's otherwise.
     */
    bool (*keep)(struct endpoint *endpoint, struct message *message);

    /* Under: what a peer or its daemon said of ways (enum word). It stays the caller's. */
    void (*take_word)(struct endpoint *endpoint, const struct message *message);
};

/* The ports of an endpoint, by their roles. */
struct ports {
    const struct port *under;
    const struct port *over;
};

#endif
