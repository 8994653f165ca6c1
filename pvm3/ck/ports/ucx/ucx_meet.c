/* ucx_meet.c - cards and fences. */
#include "ck/ports/ucx/ucx_meet.h"

#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

/* Messages by the common way from one offer to the next, at first. */
#define UCX_PATIENCE      32u
#define UCX_PATIENCE_MOST (1u << 20)

/* An endpoint that moves, or shares its connection, is reached by the common way alone. */
static bool ucx_may_have(const struct endpoint *endpoint, uint32_t peer)
{
    const struct addressing *addressing = &endpoint->owner.dialect->addressing;
    return !endpoint->unrouted && !endpoint->aloof && addressing->is_endpoint(peer) &&
           !addressing->on_one_host(peer, endpoint->own);
}

/* Without a lock. */
static bool ucx_start(struct endpoint *endpoint)
{
    struct ucx_network *network = ucx_network_of(endpoint->engine);
    const char *reason;
    bool there = ucx_network_start(network, &reason);
    if (reason)
        endpoint->owner.no_network(endpoint->owner.owner, reason);
    return there;
}

/* A program that waits by itself is told of the network, too. Locked. */
static void ucx_watch_for_program(const struct endpoint *endpoint)
{
    struct epoll_event event = {.events = EPOLLIN};
    int descriptor = ucx_network_of(endpoint->engine)->descriptor;
    if (endpoint->wait_descriptor.set >= 0 && descriptor >= 0)
        epoll_ctl(endpoint->wait_descriptor.set, EPOLL_CTL_ADD, descriptor, &event);
}

static void ucx_send_card(struct endpoint *endpoint, struct ucx_link *link, bool asks, bool there)
{
    const struct dialect *dialect = endpoint->owner.dialect;
    const struct ucx_network *network = link->network;
    const struct card card = {.asks = asks,
                              .attempt = link->attempt,
                              .address = there ? (unsigned char *)network->address : NULL,
                              .size = there ? network->address_size : 0};
    bool watch = there && !link->watched;
    struct message *messages[2] = {dialect->card(&card), watch ? dialect->watch(link->peer) : NULL};
    const uint32_t destinations[2] = {link->peer, dialect->addressing.daemon};
    struct unattended *letter = endpoint_prepare(messages, destinations, watch ? 2 : 1);
    link->watched |= watch && letter;
    if (letter)
        endpoint_send_unattended(endpoint, letter);
}

/* Whether an offer is due now. Locked. */
static bool ucx_is_due(struct ucx_link *link)
{
    if (link->state != UCX_LINK_NEW || (link->patience > 0 && link->patience-- > 1))
        return false;
    link->late = link->offers > 0;
    link->patience = UCX_PATIENCE << link->offers;
    if (link->patience > UCX_PATIENCE_MOST)
        link->patience = UCX_PATIENCE_MOST;
    else
        link->offers++;
    return true;
}

void ucx_offer(struct endpoint *endpoint, struct peer *peer)
{
    enum ucx_state state = atomic_load(&ucx_network_of(endpoint->engine)->state);
    struct ucx_link *link = ucx_link_to(peer);
    if (state == UCX_ABSENT || state == UCX_STARTING || peer->to[ROLE_UNDER] ||
        !ucx_may_have(endpoint, peer->address))
        return;
    if (!link)
        link = ucx_link_make(endpoint, peer);
    if (!link || !ucx_is_due(link))
        return;
    lock_release(&endpoint->waiting->lock);
    if (ucx_start(endpoint))
        ucx_send_card(endpoint, link, true, true);
    lock_acquire(&endpoint->waiting->lock);
    ucx_watch_for_program(endpoint);
}

/* The link to whoever has sent a card, made if need be; NULL without memory. */
static struct ucx_link *ucx_link_of_card(struct endpoint *endpoint, uint32_t address)
{
    lock_acquire(&endpoint->waiting->lock);
    struct peer *peer = peers_make(&endpoint->peers, address);
    struct ucx_link *link = peer ? ucx_link_to(peer) : NULL;
    if (peer && !link)
        link = ucx_link_make(endpoint, peer);
    lock_release(&endpoint->waiting->lock);
    return link;
}

/* Whether the peer has said this before, and is connected. */
static bool ucx_knows(struct ucx_link *link, const struct card *card)
{
    lock_acquire(&link->network->lock);
    bool connected = link->ep && !link->broken;
    lock_release(&link->network->lock);
    return connected && link->peer_attempt == card->attempt && link->card_size == card->size &&
           memcmp(link->card, card->address, card->size) == 0;
}

/* Connects as the card says, which becomes the link's. */
static bool ucx_use_card(struct ucx_link *link, struct card *card)
{
    lock_acquire(&link->owner->waiting->lock);
    link->state = UCX_LINK_NEW;
    lock_release(&link->owner->waiting->lock);
    free(link->card);
    link->card = card->address;
    link->card_size = card->size;
    link->peer_attempt = card->attempt;
    card->address = NULL;
    link->bye = false;
    return ucx_link_connect(link);
}

static void ucx_answer_card(struct endpoint *endpoint, struct ucx_link *link, struct card *card)
{
    bool there = ucx_may_have(endpoint, link->peer) && card->size > 0 && ucx_start(endpoint);
    bool news = there && !ucx_knows(link, card);
    if (news)
        there = ucx_use_card(link, card);
    lock_acquire(&endpoint->waiting->lock);
    if (!there)
        link->state = UCX_LINK_REFUSED;
    else if (news)
        link->state = UCX_LINK_KNOWN;
    ucx_watch_for_program(endpoint);
    lock_release(&endpoint->waiting->lock);
    if (card->asks)
        ucx_send_card(endpoint, link, false, there);
}

void ucx_take_card(struct endpoint *endpoint, const struct message *message)
{
    uint32_t peer = message->header.source;
    struct card card;
    bool understood = endpoint->owner.dialect->take_card(message, &card);
    struct ucx_link *link =
        understood && endpoint->owner.dialect->addressing.is_endpoint(peer) && peer != endpoint->own
            ? ucx_link_of_card(endpoint, peer)
            : NULL;
    if (link)
        ucx_answer_card(endpoint, link, &card);
    free(card.address);
}

bool ucx_engage(struct endpoint *endpoint, const struct peer *peer, struct way *way)
{
    struct ucx_link *link = ucx_link_to(peer);
    lock_acquire(&endpoint->waiting->lock);
    bool known = link && link->state == UCX_LINK_KNOWN && way == endpoint->common;
    lock_release(&endpoint->waiting->lock);
    if (!known || !ucx_link_is_connected(link))
        return false;
    struct message *fence = endpoint->owner.dialect->fence(link->number + 1);
    struct unattended *letter = endpoint_prepare(&fence, &link->peer, 1);
    if (!letter)
        return false;
    lock_acquire(&link->network->lock);
    link->number++;
    lock_release(&link->network->lock);
    letter->outgoing.source = endpoint->own;
    enum push_result pushed = endpoint_push(endpoint, way, &letter->outgoing);
    if (pushed != PUSH_PENDING)
        endpoint_drop(letter);
    lock_acquire(&endpoint->waiting->lock);
    bool engaged = pushed != PUSH_BROKEN && link->state == UCX_LINK_KNOWN;
    if (engaged)
        link->state = UCX_LINK_ENGAGED;
    lock_release(&endpoint->waiting->lock);
    return engaged;
}
