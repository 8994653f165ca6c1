/* ucx_take.c - from pieces to messages, and from there to inboxes. */
#include "ck/ports/ucx/ucx_take.h"

#include <sys/timerfd.h>
#include <unistd.h>

#include "ck/base/doorbell.h"
#include "ck/endpoint/order.h"

/* Seconds for which the word of a peer's end is held, at most. */
#define UCX_HELD_SECONDS 5

struct ucx_link *ucx_link_find(struct endpoint *endpoint, uint32_t address)
{
    lock_acquire(&endpoint->waiting->lock);
    const struct peer *peer = peers_find(&endpoint->peers, address);
    struct ucx_link *link = peer ? ucx_link_to(peer) : NULL;
    lock_release(&endpoint->waiting->lock);
    return link;
}

/* Ends. ---------------------------------------------------------------------------------------- */

static void ucx_release_held(struct ucx_link *link)
{
    struct message *held = link->held;
    link->held = NULL;
    order_take_in(link->owner, held, ADDRESS_NONE);
}

/* Without the lock of the engine, which it takes. */
static void ucx_set_state(struct ucx_link *link, enum ucx_link_state state)
{
    lock_acquire(&link->owner->waiting->lock);
    link->state = state;
    lock_release(&link->owner->waiting->lock);
}

/* Nothing more comes. */
static void ucx_link_end(struct ucx_link *link)
{
    struct endpoint *endpoint = link->owner;
    ucx_set_state(link, UCX_LINK_REFUSED);
    ucx_link_disconnect(link);
    ucx_release_held(link);
    lock_acquire(&endpoint->waiting->lock);
    peers_retire(&endpoint->peers, ROLE_FAR, &link->entry);
    lock_release(&endpoint->waiting->lock);
}

/* The connection is gone. If the peer is not, it is offered another one later. */
static void ucx_link_mourn(struct ucx_link *link)
{
    if (link->over) {
        ucx_link_end(link);
        return;
    }
    message_free(link->partial);
    link->partial = NULL;
    ucx_set_state(link, link->bye ? UCX_LINK_REFUSED : UCX_LINK_NEW);
    ucx_link_disconnect(link);
    lock_acquire(&link->owner->waiting->lock);
    link->attempt++;
    link->offers = link->patience = 0;
    link->late = false;
    lock_release(&link->owner->waiting->lock);
    ucx_release_held(link);
}

/* Whether anything may still come by the connection. */
static bool ucx_link_is_heard(struct ucx_link *link)
{
    lock_acquire(&link->network->lock);
    bool heard = link->ep && !link->broken && !link->bye && link->fenced > 0;
    lock_release(&link->network->lock);
    return heard;
}

static void ucx_set_alarm(struct ucx_network *network)
{
    const struct itimerspec once = {.it_value.tv_sec = UCX_HELD_SECONDS};
    timerfd_settime(network->alarm, 0, &once, NULL);
    network->alarmed = true;
}

bool ucx_keep(struct endpoint *endpoint, struct message *message)
{
    const struct dialect *dialect = endpoint->owner.dialect;
    if (message->header.source != dialect->addressing.daemon || message->header.wait != 0 ||
        word_is_of_ways(dialect_word(dialect, &message->header)))
        return false;
    uint32_t peer = dialect->take_over(message);
    struct ucx_link *link = peer != ADDRESS_NONE ? ucx_link_find(endpoint, peer) : NULL;
    if (!link || !ucx_link_is_heard(link))
        return false;
    struct message **end = &link->held;
    while (*end)
        end = &(*end)->next;
    *end = message;
    ucx_set_alarm(link->network);
    return true;
}

void ucx_take_over(struct endpoint *endpoint, const struct message *message)
{
    uint32_t peer = endpoint->owner.dialect->take_over(message);
    struct ucx_link *link = peer != ADDRESS_NONE ? ucx_link_find(endpoint, peer) : NULL;
    if (!link)
        return;
    link->over = true;
    if (ucx_link_is_heard(link))
        ucx_set_alarm(link->network);
    else
        ucx_link_end(link);
}

/* A link that is not to be waited for any longer, or NULL. */
static struct ucx_link *ucx_next_overdue(struct ucx_network *network)
{
    lock_acquire(&network->lock);
    struct ucx_link *link = network->links;
    while (link && !link->held && !(link->over && link->ep))
        link = link->next;
    lock_release(&network->lock);
    return link;
}

static bool ucx_hear_alarm(struct ucx_network *network)
{
    uint64_t times;
    if (!network->alarmed || read(network->alarm, &times, sizeof times) != sizeof times)
        return false;
    network->alarmed = false;
    struct ucx_link *link;
    while ((link = ucx_next_overdue(network)) != NULL) {
        if (link->over)
            ucx_link_end(link);
        else
            ucx_release_held(link);
    }
    return true;
}

/* Messages. ------------------------------------------------------------------------------------ */

/* The whole message of which a piece is the last one; NULL: it goes on, or makes no sense. */
static struct message *ucx_join(struct ucx_link *link, struct message *piece)
{
    uint8_t flags = ucx_arrival_flags(piece);
    if (flags & FRAME_FIRST) {
        message_free(link->partial);
        link->partial = piece;
    } else {
        bool joined =
            link->partial && message_append_rest(link->partial, piece, (struct cursor){0}) == 0;
        message_free(piece);
        if (!joined) {
            message_free(link->partial);
            link->partial = NULL;
            return NULL;
        }
    }
    if (!(flags & FRAME_LAST))
        return NULL;
    struct message *whole = link->partial;
    link->partial = NULL;
    return whole;
}

/* The peer leaves, and has sent all. */
static void ucx_take_bye(struct ucx_link *link)
{
    link->bye = true;
    lock_acquire(&link->network->lock);
    ucx_link_say(link, UCX_HEARD);
    lock_release(&link->network->lock);
    ucx_set_state(link, UCX_LINK_REFUSED);
    ucx_release_held(link);
}

/* With the lock of the network. */
static struct ucx_link *ucx_link_of_leaver(struct ucx_network *network, const struct message *piece)
{
    struct ucx_link *link = network->links;
    while (link &&
           (link->peer != piece->header.source || link->owner->own != piece->header.destination))
        link = link->next;
    return link;
}

/* With the lock of the network. */
static void ucx_hear(struct ucx_network *network, const struct message *piece)
{
    struct ucx_link *link = ucx_link_of_leaver(network, piece);
    if (link && ucx_arrival_flags(piece) & UCX_BYE)
        ucx_link_say(link, UCX_HEARD);
    if (link && ucx_arrival_flags(piece) & (UCX_HEARD | UCX_BYE))
        link->heard = true;
}

void ucx_sift(struct ucx_network *network, const struct endpoint *endpoint)
{
    struct message *arrived = ucx_network_take(network);
    while (arrived) {
        struct message *piece = arrived;
        arrived = piece->next;
        piece->next = NULL;
        if (piece->header.destination == endpoint->own) {
            ucx_hear(network, piece);
            piece->next = network->useless;
            network->useless = piece;
        } else {
            *network->arrived_end = piece;
            network->arrived_end = &piece->next;
        }
    }
    if (network->arrived) /* somebody else is to see it */
        doorbell_ring(network->engine->waiting.doorbell);
}

/* Whole messages of one peer, in order, that are taken in at once. */
struct ucx_batch {
    struct ucx_link *link;
    struct message *first;
    struct message **end;
};

static void ucx_batch_take(struct ucx_batch *batch)
{
    struct message *first = batch->first;
    batch->first = NULL;
    batch->end = &batch->first;
    if (first)
        order_take_in(batch->link->owner, first, batch->link->peer);
}

static void ucx_append(struct message ***end, struct message *message)
{
    message->next = NULL;
    **end = message;
    *end = &message->next;
}

/* Behind a fence that has not come yet a message waits. */
static void ucx_batch_add(struct ucx_batch *batch, struct ucx_link *link, struct message *message)
{
    if (batch->link != link)
        ucx_batch_take(batch);
    batch->link = link;
    if ((int32_t)(ucx_arrival_number(message) - link->fenced) <= 0) {
        ucx_append(&batch->end, message);
        return;
    }
    struct message **end = &link->early;
    while (*end)
        end = &(*end)->next;
    ucx_append(&end, message);
}

static void ucx_take_piece(struct ucx_network *network, struct ucx_batch *batch,
                           struct message *piece)
{
    struct endpoint *endpoint = engine_reach(network->engine, piece->header.destination);
    struct ucx_link *link = endpoint ? ucx_link_find(endpoint, piece->header.source) : NULL;
    uint8_t flags = ucx_arrival_flags(piece);
    if (link && flags & UCX_BYE) {
        ucx_batch_take(batch);
        ucx_take_bye(link);
    }
    if (!link) {
        lock_acquire(&network->lock);
        ucx_hear(network, piece);
        lock_release(&network->lock);
    }
    if (!link || flags & (UCX_BYE | UCX_HEARD | UCX_HELLO)) {
        message_free(piece);
        return;
    }
    struct message *whole = ucx_join(link, piece);
    if (whole)
        ucx_batch_add(batch, link, whole);
}

static void ucx_take_arrived(struct ucx_network *network, struct message *arrived)
{
    struct ucx_batch batch = {.end = &batch.first};
    while (arrived) {
        struct message *piece = arrived;
        arrived = piece->next;
        piece->next = NULL;
        ucx_take_piece(network, &batch, piece);
    }
    ucx_batch_take(&batch);
}

bool ucx_precede(struct endpoint *endpoint, struct message *message)
{
    const struct dialect *dialect = endpoint->owner.dialect;
    if (dialect_word(dialect, &message->header) != WORD_FENCE)
        return false;
    struct ucx_link *link = ucx_link_find(endpoint, message->header.source);
    if (!link)
        return false;
    link->fenced = dialect->take_fence(message);
    message_free(message);
    struct message *early = link->early;
    struct ucx_batch batch = {.end = &batch.first};
    link->early = NULL;
    while (early) {
        struct message *next = early->next;
        ucx_batch_add(&batch, link, early);
        early = next;
    }
    ucx_batch_take(&batch);
    return true;
}

/* Looking. ------------------------------------------------------------------------------------- */

/* Writes on what is queued anywhere. A link that has finished something, or NULL. */
static struct ucx_link *ucx_next_finished(struct ucx_network *network, struct outgoing **finished)
{
    lock_acquire(&network->lock);
    struct ucx_link *link = network->links;
    for (; link; link = link->next) {
        ucx_link_continue(link);
        *finished = ucx_link_take_finished(link);
        if (*finished)
            break;
    }
    lock_release(&network->lock);
    return link;
}

static struct ucx_link *ucx_next_broken(struct ucx_network *network)
{
    lock_acquire(&network->lock);
    struct ucx_link *link = network->links;
    while (link && !(link->broken && link->ep))
        link = link->next;
    lock_release(&network->lock);
    return link;
}

/* Something has happened to links. What is broken is seen to when all that has come is there. */
static void ucx_see_to_links(struct ucx_network *network, bool all)
{
    struct ucx_link *link;
    struct outgoing *finished;
    while ((link = ucx_next_finished(network, &finished)) != NULL) {
        lock_acquire(&network->engine->waiting.lock);
        endpoint_finish_outgoing(link->owner, finished);
        lock_release(&network->engine->waiting.lock);
    }
    while (all && (link = ucx_next_broken(network)) != NULL)
        ucx_link_mourn(link);
}

bool ucx_look(struct engine *engine)
{
    struct ucx_network *network = ucx_network_of(engine);
    if (!ucx_network_is_there(network))
        return false;
    lock_acquire(&network->lock);
    bool happened = ucx_network_progress(network);
    struct message *arrived = ucx_network_take(network);
    bool touched = network->touched;
    network->touched = touched && happened;
    lock_release(&network->lock);
    happened = happened || touched || arrived;
    ucx_take_arrived(network, arrived);
    if (touched)
        ucx_see_to_links(network, !network->touched);
    return ucx_hear_alarm(network) || happened;
}
