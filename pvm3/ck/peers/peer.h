/*
 * peer.h - one record for each address that an endpoint speaks with: the ways to it, those from it,
 * and who uses them just now.
 *
 * Ports enter their ways here, so that one look-up for a message finds all. A way that has ended is
 * kept until nobody uses the peer. A record without ways stays until its place is needed: so a peer
 * that is reached by the common way alone costs no allocation for each message. Only addresses of
 * other endpoints have records: for an address that has one, nobody asks whose it is.
 *
 * Threads: with the lock of the endpoint, except where said. Only the leader (ck/wait/wait.h) ends
 * ways and changes `from`; it may read both without the lock.
 */
#ifndef CK_PEERS_PEER_H
#define CK_PEERS_PEER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "ck/base/users.h"
#include "core/rarely.h"

/* What a port is to an endpoint (port.h). */
enum port_role { ROLE_UNDER, ROLE_OVER, ROLE_FAR, PORT_ROLES };

/* A way to a peer; the first member of what its port keeps of it. */
struct entry {
    struct peer *peer;
    void (*free)(struct entry *entry);
    void (*abandon)(struct entry *entry); /* in a child of fork: closes descriptors */
    struct entry *next;                   /* once it has ended */
};

struct peer {
    uint32_t address;
    struct users users;                     /* threads that send to it just now; watched while */
    int ended;                              /* ways have ended and are not freed yet, or all end */
    bool out_of_reach;                      /* over: it can have no link, and is offered none */
    _Atomic(struct entry *) to[PORT_ROLES]; /* NULL: no way of its own, or no link */
    void *from;                             /* over: by which messages come from it, or NULL */
    unsigned unanswered;                    /* over: messages since it ignored an offer, */
    unsigned patience;                      /* and how many there are before the next offer */
    struct peer *next;
};

/* At first. Each chain may keep one record of a peer that is gone. */
#define PEER_CHAIN_BITS 3
#define PEER_CHAINS     (1 << PEER_CHAIN_BITS)

struct peers {
    struct peer **chains; /* by address; `few` at first */
    unsigned chain_count; /* a power of two */
    unsigned shift;       /* of a hash of 32 bits, to the number of a chain */
    unsigned count;       /* records */
    unsigned lookups;     /* so far */
    struct peer *in_hand; /* the leader's: not to be given another address */
    struct entry *ended;
    bool ending;         /* all users are watched */
    atomic_int ways;     /* to and from peers; without them no arrival needs a record */
    atomic_bool unswept; /* a way has ended; whoever sets it last makes sure of a sweep */
    struct peer *few[PEER_CHAINS];
};

void peers_start(struct peers *peers);

/* Frees all records. They have no way and no user any more. */
void peers_finish(struct peers *peers);

/* NULL when there is none. */
static inline struct peer *peers_find(struct peers *peers, uint32_t address);

/*
 * The record of an address, which stays until this function is called for another address; NULL if
 * it does not exist. The leader only.
 */
struct peer *peers_take_in_hand(struct peers *peers, uint32_t address);

/*
 * The record of an address, made if need be; NULL when memory is short. Before the lock is released
 * it is to be used, or a way to be entered.
 */
static inline struct peer *peers_make(struct peers *peers, uint32_t address);
RARELY struct peer *peers_add(struct peers *peers, uint32_t address); /* there is none */

/* A user more. */
static inline void peers_use(struct peer *peer)
{
    users_enter(&peer->users);
}

/*
 * A user less. True when it was the last one, and there is something to sweep: now, if no thread
 * leads or looks (waiting_is_quiet), or else by the leader.
 */
static inline bool peers_release(struct peers *peers, struct peer *peer);

/*
 * A user less, without the lock, by a thread that touches nothing of the endpoint any more. False,
 * with nothing done, when the last user may have something to do: then peers_release is to be used.
 */
static inline bool peer_release_alone(struct peer *peer);

/* From now on no user leaves without the lock; whether any is left. */
void peers_begin_end(struct peers *peers);
bool peers_are_used(const struct peers *peers);

/* A way is entered into the record of its peer, which has none in this role. */
void peers_enter(struct peers *peers, struct peer *peer, enum port_role role, struct entry *entry);

/* Sets the way from a peer, or with NULL takes it away. */
void peers_set_from(struct peers *peers, struct peer *peer, void *from);

/* It has ended, and is in the record no more; the leader only. */
void peers_retire(struct peers *peers, enum port_role role, struct entry *entry);

/* Frees ways that have ended and whose peers nobody uses. Not while the leader is amid ways. */
void peers_sweep(struct peers *peers);

/* Whether there is any way; without the lock, by the leader. */
static inline bool peers_have_ways(const struct peers *peers)
{
    return atomic_load_explicit(&peers->ways, memory_order_relaxed) > 0;
}

/* Whether there is something to sweep; without the lock. */
static inline bool peers_are_unswept(const struct peers *peers)
{
    return atomic_load_explicit(&peers->unswept, memory_order_relaxed);
}

/* In a child of fork: abandons all ways. */
void peers_abandon(struct peers *peers);

/* The first record, or the one behind `peer`, in any order; NULL behind the last. */
struct peer *peers_next(const struct peers *peers, const struct peer *peer);

/* Likewise in the order of addresses, which takes a look at all. */
struct peer *peers_next_address(const struct peers *peers, const struct peer *peer);

/* Addresses may differ in any bits; the product has them in its highest ones: Fibonacci hashing. */
static inline struct peer **peers_chain(const struct peers *peers, uint32_t address)
{
    return &peers->chains[address * 0x9e3779b1u >> peers->shift];
}

static inline struct peer *peers_find(struct peers *peers, uint32_t address)
{
    struct peer *peer = *peers_chain(peers, address);
    peers->lookups++;
    while (peer && peer->address != address)
        peer = peer->next;
    return peer;
}

static inline struct peer *peers_make(struct peers *peers, uint32_t address)
{
    struct peer *peer = peers_find(peers, address);
    return peer ? peer : peers_add(peers, address);
}

static inline bool peers_release(struct peers *peers, struct peer *peer)
{
    if (!users_leave(&peer->users) || peer->ended == 0)
        return false;
    atomic_store_explicit(&peers->unswept, true, memory_order_relaxed);
    return true;
}

static inline bool peer_release_alone(struct peer *peer)
{
    return users_leave_alone(&peer->users);
}

#endif
