/* peer.c - a hash table that grows, and what has ended. */
#include "ck/peers/peer.h"

#include <stdlib.h>

#include "core/annotate.h"

void peers_start(struct peers *peers)
{
    *peers = (struct peers){.chain_count = PEER_CHAINS, .shift = 32 - PEER_CHAIN_BITS};
    peers->chains = peers->few;
    ANNOTATE_ATOMIC(&peers->ways, sizeof peers->ways);
    ANNOTATE_ATOMIC(&peers->unswept, sizeof peers->unswept);
}

void peers_finish(struct peers *peers)
{
    struct peer *next;
    for (unsigned i = 0; i < peers->chain_count; i++) {
        for (struct peer *peer = peers->chains[i]; peer; peer = next) {
            next = peer->next;
            free(peer);
        }
    }
    if (peers->chains != peers->few)
        free(peers->chains);
    peers_start(peers);
}

struct peer *peers_take_in_hand(struct peers *peers, uint32_t address)
{
    return peers->in_hand = peers_find(peers, address);
}

static bool peer_has_way(const struct peer *peer)
{
    bool has = peer->from;
    for (int role = 0; role < PORT_ROLES; role++)
        has |= peer->to[role] != NULL;
    return has;
}

/* A record that may get another address; NULL when the chain has none. */
static struct peer *peers_idle(const struct peers *peers, uint32_t address)
{
    struct peer *peer = *peers_chain(peers, address);
    while (peer && (users_are_there(&peer->users) || peer->ended > 0 || peer == peers->in_hand ||
                    peer_has_way(peer)))
        peer = peer->next;
    return peer;
}

/* Twice as many chains. Without memory they get longer. */
static void peers_grow(struct peers *peers)
{
    struct peers grown = *peers;
    grown.chain_count = 2 * peers->chain_count;
    grown.shift = peers->shift - 1;
    grown.chains = calloc(grown.chain_count, sizeof *grown.chains);
    if (!grown.chains)
        return;
    for (unsigned i = 0; i < peers->chain_count; i++) {
        while (peers->chains[i]) {
            struct peer *peer = peers->chains[i];
            struct peer **chain = peers_chain(&grown, peer->address);
            peers->chains[i] = peer->next;
            peer->next = *chain;
            *chain = peer;
        }
    }
    if (peers->chains != peers->few)
        free(peers->chains);
    peers->chains = grown.chains;
    peers->chain_count = grown.chain_count;
    peers->shift = grown.shift;
}

struct peer *peers_add(struct peers *peers, uint32_t address)
{
    struct peer *peer = peers_idle(peers, address);
    if (peer) {
        peer->unanswered = peer->patience = 0;
        peer->out_of_reach = false;
        peer->address = address;
        return peer;
    }
    if (peers->count >= 2 * peers->chain_count)
        peers_grow(peers);
    peer = calloc(1, sizeof *peer);
    if (!peer)
        return NULL;
    struct peer **chain = peers_chain(peers, address);
    ANNOTATE_ATOMIC(peer->to, sizeof peer->to);
    ANNOTATE_ATOMIC(&peer->users, sizeof peer->users);
    users_watch(&peer->users, peers->ending);
    peer->address = address;
    peer->next = *chain;
    *chain = peer;
    peers->count++;
    return peer;
}

void peers_enter(struct peers *peers, struct peer *peer, enum port_role role, struct entry *entry)
{
    entry->peer = peer;
    atomic_fetch_add(&peers->ways, 1);
    atomic_exchange(&peer->to[role], entry); /* a plain write is a race to Helgrind */
}

void peers_set_from(struct peers *peers, struct peer *peer, void *from)
{
    atomic_fetch_add(&peers->ways, (from != NULL) - (peer->from != NULL));
    peer->from = from;
}

void peers_retire(struct peers *peers, enum port_role role, struct entry *entry)
{
    atomic_fetch_sub(&peers->ways, 1);
    atomic_exchange(&entry->peer->to[role], NULL);
    entry->peer->ended++;
    users_watch(&entry->peer->users, true);
    entry->next = peers->ended;
    peers->ended = entry;
    atomic_store_explicit(&peers->unswept, true, memory_order_relaxed);
}

void peers_sweep(struct peers *peers)
{
    struct entry **place = &peers->ended;
    atomic_store_explicit(&peers->unswept, false, memory_order_relaxed);
    while (*place) {
        struct entry *entry = *place;
        struct peer *peer = entry->peer;
        if (users_are_there(&peer->users)) {
            place = &entry->next;
            continue;
        }
        *place = entry->next;
        if (--peer->ended == 0)
            users_watch(&peer->users, peers->ending);
        entry->free(entry);
    }
}

void peers_begin_end(struct peers *peers)
{
    struct peer *peer = NULL;
    peers->ending = true;
    while ((peer = peers_next(peers, peer)) != NULL)
        users_watch(&peer->users, true);
}

bool peers_are_used(const struct peers *peers)
{
    const struct peer *peer = NULL;
    while ((peer = peers_next(peers, peer)) != NULL)
        if (users_are_there(&peer->users))
            return true;
    return false;
}

void peers_abandon(struct peers *peers)
{
    struct peer *peer = NULL;
    while ((peer = peers_next(peers, peer)) != NULL)
        for (int role = 0; role < PORT_ROLES; role++)
            if (peer->to[role])
                peer->to[role]->abandon(peer->to[role]);
    for (struct entry *entry = peers->ended; entry; entry = entry->next)
        entry->abandon(entry);
}

struct peer *peers_next(const struct peers *peers, const struct peer *peer)
{
    if (peer && peer->next)
        return peer->next;
    struct peer **chain = peer ? peers_chain(peers, peer->address) + 1 : peers->chains;
    while (chain < peers->chains + peers->chain_count && !*chain)
        chain++;
    return chain < peers->chains + peers->chain_count ? *chain : NULL;
}

struct peer *peers_next_address(const struct peers *peers, const struct peer *peer)
{
    struct peer *next = NULL;
    for (struct peer *other = peers_next(peers, NULL); other; other = peers_next(peers, other))
        if ((!peer || other->address > peer->address) && (!next || other->address < next->address))
            next = other;
    return next;
}
