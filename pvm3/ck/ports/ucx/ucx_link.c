/* ucx_link.c - sending by UCX. */
#include "ck/ports/ucx/ucx_link.h"

#include <stdlib.h>
#include <string.h>

#include "ck/base/doorbell.h"
#include "core/xdr.h"

/* Rounds in which UCX gives back what it is about to send, when a connection is ended. */
#define UCX_GIVE_BACK 1000

static struct ucx_link *ucx_link_of(const struct way *way)
{
    return (struct ucx_link *)(void *)((char *)(uintptr_t)way - offsetof(struct ucx_link, way));
}

/* Sending. ------------------------------------------------------------------------------------- */

static void ucx_link_break(struct ucx_link *link)
{
    link->broken = true;
    link->network->touched = true;
}

/* With the lock of the network, as all that UCX calls. */
static void ucx_link_sent(void *request, ucs_status_t status, void *owner)
{
    struct ucx_link *link = owner;
    link->request = NULL;
    link->network->touched = true;
    if (status != UCS_OK)
        ucx_link_break(link);
    link->network->calls.request_free(request);
}

static ucp_request_param_t ucx_link_param(struct ucx_link *link)
{
    return (ucp_request_param_t){.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK |
                                                 UCP_OP_ATTR_FIELD_USER_DATA |
                                                 UCP_OP_ATTR_FIELD_DATATYPE,
                                 .cb.send = ucx_link_sent,
                                 .datatype = ucp_dt_make_iov(),
                                 .user_data = link};
}

static enum push_result ucx_link_await(struct ucx_link *link, void *request)
{
    if (!request)
        return PUSH_DONE;
    if (!UCS_PTR_IS_ERR(request)) {
        link->request = request;
        return PUSH_PENDING;
    }
    ucx_link_break(link);
    return PUSH_BROKEN;
}

static void ucx_put_header(unsigned char *header, const struct frame *frame,
                           const struct message_header *message, uint32_t number, size_t fragment)
{
    frame_encode(frame, header);
    frame_encode_message(message, frame->source, header + FRAME_HEADER_SIZE);
    xdr_store(header + FRAME_HEADERS_SIZE, number);
    xdr_store(header + FRAME_HEADERS_SIZE + 4, (uint32_t)fragment);
}

/* The number of the first segment behind `from` that is not empty, or how many there are. */
static unsigned ucx_next_segment(const struct message *message, unsigned from)
{
    while (from < message->segment_count && message->segments[from].length == 0)
        from++;
    return from;
}

/* Sends the next segment, or the header alone of a message that is empty. */
static enum push_result ucx_link_send_segment(struct ucx_link *link, uint32_t source, bool first)
{
    const struct message *message = link->message;
    const ucp_request_param_t param = ucx_link_param(link);
    unsigned at = ucx_next_segment(message, link->segment);
    unsigned behind = ucx_next_segment(message, at + 1);
    bool empty = at >= message->segment_count;
    const struct segment *segment = &message->segments[at];
    const struct frame frame = {.destination = link->destination,
                                .source = source,
                                .flags =
                                    (uint8_t)((first ? FRAME_FIRST : 0) |
                                              (behind >= message->segment_count ? FRAME_LAST : 0))};
    ucx_put_header(link->header, &frame, &message->header, link->number,
                   empty ? 0 : segment->fragment);
    link->segment = behind;
    link->parts[0] = (ucp_dt_iov_t){link->header, sizeof link->header};
    if (!empty)
        link->parts[1] = (ucp_dt_iov_t){segment->data, segment->length};
    return ucx_link_await(link,
                          link->network->calls.am_send_nbx(link->ep, UCX_KIND, NULL, 0, link->parts,
                                                           empty ? 1 : 2, &param));
}

/* The next message of `outgoing`, or the rest of the one that is begun. */
static enum push_result ucx_link_write_message(struct ucx_link *link, struct outgoing *outgoing)
{
    enum push_result result = PUSH_DONE;
    bool first = !outgoing->begun;
    if (first) {
        const struct parcel *parcel = outgoing->parcels++;
        outgoing->count--;
        outgoing->begun = true;
        link->message = parcel->message;
        link->destination = parcel->destination;
        link->segment = 0;
    }
    while (result == PUSH_DONE && (first || link->segment < link->message->segment_count)) {
        result = ucx_link_send_segment(link, outgoing->source, first);
        first = false;
    }
    return result;
}

static enum push_result ucx_link_write(struct ucx_link *link, struct outgoing *outgoing)
{
    enum push_result result = link->broken ? PUSH_BROKEN : PUSH_DONE;
    while (result == PUSH_DONE && (outgoing->begun || outgoing->count > 0)) {
        result = ucx_link_write_message(link, outgoing);
        if (result == PUSH_DONE)
            outgoing->begun = false;
    }
    return result;
}

static void ucx_link_finish(struct ucx_link *link, struct outgoing *outgoing, int result)
{
    outgoing->result = result;
    outgoing->next = NULL;
    *link->finished_end = outgoing;
    link->finished_end = &outgoing->next;
}

bool ucx_link_continue(struct ucx_link *link)
{
    bool any = false;
    while (link->first && !link->request) {
        struct outgoing *outgoing = link->first;
        enum push_result result = ucx_link_write(link, outgoing);
        if (result == PUSH_PENDING)
            break;
        any = true;
        link->first = outgoing->next;
        ucx_link_finish(link, outgoing, result == PUSH_DONE ? 0 : CK_LOST);
    }
    return any;
}

struct outgoing *ucx_link_take_finished(struct ucx_link *link)
{
    struct outgoing *finished = link->finished;
    link->finished = NULL;
    link->finished_end = &link->finished;
    return finished;
}

struct ucx_word {
    struct ucx_network *network;
    struct ucx_link *greets; /* NULL: it does not, or the link has disconnected since */
    unsigned char header[UCX_HEADER_SIZE];
};

static void ucx_word_end(struct ucx_word *word, bool sent)
{
    if (word->greets) {
        word->greets->greeting = NULL;
        word->greets->greeted = sent;
    }
    free(word);
}

static void ucx_word_sent(void *request, ucs_status_t status, void *owner)
{
    struct ucx_word *word = owner;
    word->network->calls.request_free(request);
    ucx_word_end(word, status == UCS_OK);
}

void ucx_link_say(struct ucx_link *link, uint8_t said)
{
    const struct message_header none = {.encoding = MESSAGE_XDR};
    const struct frame frame = {
        .destination = link->peer, .source = link->owner->own, .flags = said};
    struct ucx_word *word = link->ep && !link->broken ? malloc(sizeof *word) : NULL;
    if (!word)
        return;
    const ucp_request_param_t param = {.op_attr_mask =
                                           UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
                                       .cb.send = ucx_word_sent,
                                       .user_data = word};
    word->network = link->network;
    word->greets = said == UCX_HELLO ? link : NULL;
    if (word->greets)
        link->greeting = word;
    ucx_put_header(word->header, &frame, &none, link->number, 0);
    void *request = link->network->calls.am_send_nbx(link->ep, UCX_KIND, NULL, 0, word->header,
                                                     sizeof word->header, &param);
    if (!request || UCS_PTR_IS_ERR(request))
        ucx_word_end(word, !request);
}

/* The way. ------------------------------------------------------------------------------------- */

static enum push_result ucx_push(struct way *way, struct outgoing *outgoing)
{
    struct ucx_link *link = ucx_link_of(way);
    enum push_result result = PUSH_PENDING;
    lock_acquire(&link->network->lock);
    if (link->broken || !link->ep)
        result = PUSH_BROKEN;
    else if (!link->first)
        result = ucx_link_write(link, outgoing);
    if (result == PUSH_PENDING) {
        outgoing->next = NULL;
        *(link->first ? &link->last->next : &link->first) = outgoing;
        link->last = outgoing;
    }
    lock_release(&link->network->lock);
    return result;
}

static bool ucx_recall(struct way *way, struct outgoing *outgoing)
{
    struct ucx_link *link = ucx_link_of(way);
    lock_acquire(&link->network->lock);
    struct outgoing *before = link->first;
    while (before && before->next != outgoing)
        before = before->next;
    if (before) {
        before->next = outgoing->next;
        if (link->last == outgoing)
            link->last = before;
    }
    lock_release(&link->network->lock);
    return before;
}

static bool ucx_is_busy(const struct way *way)
{
    struct ucx_link *link = ucx_link_of(way);
    lock_acquire(&link->network->lock);
    bool busy = link->first;
    lock_release(&link->network->lock);
    return busy;
}

/* UCX reads memory of the message that it is about to send, until it gives it back. */
static void ucx_link_end_connection(struct ucx_link *link)
{
    const ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS,
                                       .flags = UCP_EP_CLOSE_FLAG_FORCE};
    const struct ucx_calls *calls = &link->network->calls;
    link->greeted = false;
    if (link->greeting)
        link->greeting->greets = NULL;
    link->greeting = NULL;
    if (!link->ep)
        return;
    void *closing = calls->ep_close_nbx(link->ep, &param);
    link->ep = NULL;
    for (int round = 0; link->request && round < UCX_GIVE_BACK; round++)
        calls->worker_progress(link->network->worker);
    if (link->network->arrived) /* who leads may sleep already */
        doorbell_ring(link->owner->waiting->doorbell);
    if (closing && !UCS_PTR_IS_ERR(closing))
        calls->request_free(closing);
}

struct outgoing *ucx_link_take_queued(struct ucx_link *link)
{
    link->broken = true;
    if (link->request)
        ucx_link_end_connection(link);
    while (link->first) {
        struct outgoing *outgoing = link->first;
        link->first = outgoing->next;
        ucx_link_finish(link, outgoing, CK_LOST);
    }
    return ucx_link_take_finished(link);
}

static struct outgoing *ucx_cut(struct way *way)
{
    struct ucx_link *link = ucx_link_of(way);
    lock_acquire(&link->network->lock);
    struct outgoing *queued = ucx_link_take_queued(link);
    lock_release(&link->network->lock);
    return queued;
}

void ucx_link_disconnect(struct ucx_link *link)
{
    endpoint_cut(link->owner, &link->way);
    lock_acquire(&link->network->lock);
    ucx_link_end_connection(link);
    lock_release(&link->network->lock);
}

/* The peer's end of the connection is gone, or the network. */
static void ucx_link_fails(void *owner, ucp_ep_h ep, ucs_status_t status)
{
    struct ucx_link *link = owner;
    (void)status;
    if (link->ep == ep)
        ucx_link_break(link);
}

bool ucx_link_connect(struct ucx_link *link)
{
    ucx_link_disconnect(link);
    const ucp_ep_params_t params = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS |
                                                  UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                                                  UCP_EP_PARAM_FIELD_ERR_HANDLER,
                                    .address = (const ucp_address_t *)(const void *)link->card,
                                    .err_mode = UCP_ERR_HANDLING_MODE_PEER,
                                    .err_handler = {.cb = ucx_link_fails, .arg = link}};
    lock_acquire(&link->network->lock);
    ucp_ep_h ep;
    bool made = link->network->calls.ep_create(link->network->worker, &params, &ep) == UCS_OK;
    link->ep = made ? ep : NULL;
    link->broken = !made;
    if (made)
        ucx_link_say(link, UCX_HELLO);
    lock_release(&link->network->lock);
    return made;
}

bool ucx_link_is_connected(struct ucx_link *link)
{
    lock_acquire(&link->network->lock);
    bool connected = link->greeted && !link->broken;
    lock_release(&link->network->lock);
    return connected;
}

/* Making. -------------------------------------------------------------------------------------- */

static void ucx_free_list(struct message *list)
{
    while (list) {
        struct message *next = list->next;
        message_free(list);
        list = next;
    }
}

/* Nobody uses the peer any more. */
static void ucx_link_free(struct entry *entry)
{
    struct ucx_link *link = (struct ucx_link *)(void *)entry;
    struct ucx_network *network = link->network;
    lock_acquire(&network->lock);
    ucx_link_end_connection(link);
    struct ucx_link **place = &network->links;
    while (*place != link)
        place = &(*place)->next;
    *place = link->next;
    lock_release(&network->lock);
    ucx_free_list(link->partial);
    ucx_free_list(link->early);
    ucx_free_list(link->held);
    lock_destroy(&link->way.lock);
    free(link->card);
    free(link);
}

/* The child has no worker any more (ucx_forsake). */
static void ucx_link_abandon(struct entry *entry)
{
    ((struct ucx_link *)(void *)entry)->broken = true;
}

struct ucx_link *ucx_link_make(struct endpoint *endpoint, struct peer *peer)
{
    struct ucx_link *link = calloc(1, sizeof *link);
    if (!link)
        return NULL;
    struct ucx_network *network = ucx_network_of(endpoint->engine);
    link->entry = (struct entry){.free = ucx_link_free, .abandon = ucx_link_abandon};
    lock_init(&link->way.lock, LOCK_ROUTES);
    link->way.push = ucx_push;
    link->way.recall = ucx_recall;
    link->way.is_busy = ucx_is_busy;
    link->way.cut = ucx_cut;
    link->network = network;
    link->owner = endpoint;
    link->peer = peer->address;
    link->broken = true;
    link->finished_end = &link->finished;
    peers_enter(&endpoint->peers, peer, ROLE_FAR, &link->entry);
    lock_acquire(&network->lock);
    link->next = network->links;
    network->links = link;
    lock_release(&network->lock);
    return link;
}
