/*
 * dialect.c - the words of the kernel as words of 3.4.6: TC_CONREQ and TC_CONACK, the notice of an
 * end, TM_MCA. A secret, the request to say it, and fences are understood by tasks of ours only. So
 * are cards: for 3.4.6 they are a TC_NOOP, which it ignores whatever is in it.
 * Its addresses are tids.
 */
#include "lib/link/dialect.h"

#include <pvm3.h>
#include <stdlib.h>

#include "core/control.h"
#include "core/tid.h"
#include "lib/task/own_program.h"
#include "lib/task/task.h"

/* What a TC_NOOP begins with that is a card, and whether it asks for another one. */
#define CARD_VERSION 1
#define CARD_ASKS    1

/* Behind the address of an answer: both sides are to say their halves of the secret. */
#define SAY_SECRET 1

int dialect_error(enum ck_result failure)
{
    switch (failure) {
    case CK_NO_MEMORY:
        return PvmNoMem;
    case CK_PEER_OVER:
        return PvmDSysErr;
    case CK_NONSENSE:
        return PvmBadMsg;
    case CK_NOT_FOUND:
        return PvmNotFound;
    case CK_RECALLED:
        return OWN_PROGRAM_MOVES;
    case CK_LOST:
    case CK_CANCELLED:
    case CK_RESULTS:
        break;
    }
    return PvmSysErr;
}

/* Saying. -------------------------------------------------------------------------------------- */

static struct message *dialect_whole(struct message *message)
{
    if (control_is_whole(message))
        return message;
    message_free(message);
    return NULL;
}

static struct message *dialect_offer(const struct offer *offer)
{
    struct message *message = control_new(TC_CONREQ, CONTROL_CONTEXT_TC, 0);
    control_put_int(message, CONTROL_TASK_PROTOCOL);
    control_put_string(message, offer->address);
    if (offer->secretive)
        control_put_bytes(message, offer->secret, sizeof offer->secret);
    return dialect_whole(message);
}

static struct message *dialect_answer(const struct answer *answer)
{
    struct message *message = control_new(TC_CONACK, CONTROL_CONTEXT_TC, 0);
    control_put_int(message, CONTROL_TASK_PROTOCOL);
    control_put_int(message, answer->granted ? 0 : 1);
    control_put_string(message, answer->address);
    if (answer->secretive)
        control_put_int(message, SAY_SECRET);
    return dialect_whole(message);
}

static struct message *dialect_card(const struct card *card)
{
    struct message *message = control_new(TC_NOOP, CONTROL_CONTEXT_TC, 0);
    control_put_int(message, CARD_VERSION);
    control_put_int(message, card->asks ? CARD_ASKS : 0);
    control_put_int(message, (int32_t)card->attempt);
    control_put_int(message, (int32_t)card->size);
    if (card->size > 0)
        control_put_bytes(message, card->address, card->size);
    return dialect_whole(message);
}

static struct message *dialect_fence(uint32_t number)
{
    struct message *message = control_new(CONTROL_FENCE, CONTROL_CONTEXT_TC, 0);
    control_put_int(message, (int32_t)number);
    return dialect_whole(message);
}

static struct message *dialect_watch(uint32_t peer)
{
    struct message *message = control_new(TM_NOTIFY, CONTROL_CONTEXT_TM, 0);
    control_put_int(message, PvmTaskExit);
    control_put_int(message, CONTROL_CONTEXT_TC);
    control_put_int(message, TC_TASKEXIT);
    control_put_int(message, 1);
    control_put_tid(message, peer);
    return dialect_whole(message);
}

/* PVM knows no receipts. Those of another interface are asked for by a wait id. */
static struct message *dialect_receipt(const struct message *message)
{
    int32_t context = message->header.context;
    bool asked = (context & TASK_OTHER_CONTEXTS) && context != TASK_RECEIPTS;
    return asked ? dialect_whole(control_new(0, TASK_RECEIPTS, 0)) : NULL;
}

static struct message *dialect_list(const uint32_t *tids, int count)
{
    struct message *message = control_new(TM_MCA, PvmBaseContext, 0);
    control_put_int(message, count);
    for (int i = 0; i < count; i++)
        control_put_tid(message, tids[i]);
    return dialect_whole(message);
}

/* Tasks that share a connection tell of their own deaths alone. */
static bool dialect_last(const struct message_header *header)
{
    return header->context == CONTROL_CONTEXT_TM &&
           (header->tag == TM_EXIT || header->tag == CONTROL_DEATHS);
}

/* Understanding. ------------------------------------------------------------------------------- */

static enum word dialect_classify(const struct message_header *header)
{
    switch (header->tag) {
    case TC_CONREQ:
        return WORD_OFFER;
    case TC_CONACK:
        return WORD_ANSWER;
    case TC_TASKEXIT:
        return WORD_OVER;
    case TC_NOOP:
        return WORD_CARD;
    case CONTROL_FENCE:
        return WORD_FENCE;
    case CONTROL_ENDED:
        return WORD_ENDED;
    default:
        return WORD_OTHER;
    }
}

static bool dialect_take_offer(const struct message *message, struct offer *offer)
{
    struct control_reader reader;
    control_read(&reader, message);
    int version = control_get_int(&reader);
    offer->address = control_get_string(&reader, 0);
    offer->secretive = control_rest(&reader) == sizeof offer->secret;
    if (offer->secretive)
        control_get_bytes(&reader, offer->secret, sizeof offer->secret);
    return offer->address && version == CONTROL_TASK_PROTOCOL;
}

static bool dialect_take_answer(const struct message *message, struct answer *answer)
{
    struct control_reader reader;
    control_read(&reader, message);
    int version = control_get_int(&reader);
    answer->granted = control_get_int(&reader) == 0;
    answer->address = control_get_string(&reader, OFFER_ADDRESS_SIZE);
    answer->secretive = control_rest(&reader) > 0 && control_get_int(&reader) == SAY_SECRET;
    return answer->address && version == CONTROL_TASK_PROTOCOL;
}

static bool dialect_take_card(const struct message *message, struct card *card)
{
    struct control_reader reader;
    control_read(&reader, message);
    int version = control_get_int(&reader);
    card->asks = control_get_int(&reader) == CARD_ASKS;
    card->attempt = (uint32_t)control_get_int(&reader);
    card->size = (size_t)control_get_count(&reader, 1);
    card->address = card->size > 0 && !reader.failed ? malloc(card->size) : NULL;
    if (card->address)
        control_get_bytes(&reader, card->address, card->size);
    return version == CARD_VERSION && !reader.failed && (card->address || card->size == 0);
}

static uint32_t dialect_take_fence(const struct message *message)
{
    struct control_reader reader;
    control_read(&reader, message);
    return (uint32_t)control_get_int(&reader);
}

static uint32_t dialect_take_over(const struct message *message)
{
    struct control_reader reader;
    control_read(&reader, message);
    uint32_t peer = control_get_tid(&reader);
    return reader.failed || control_rest(&reader) > 0 ? 0 : peer;
}

/* Addresses. ----------------------------------------------------------------------------------- */

static bool dialect_on_one_host(uint32_t one, uint32_t other)
{
    return tid_host_part(one) == tid_host_part(other);
}

static uint32_t dialect_block(uint32_t tid)
{
    return tid - tid % CONTROL_LEASE_BLOCK;
}

static uint32_t dialect_list_of(uint32_t own)
{
    return own | TID_MULTICAST_BIT;
}

const struct dialect dialect_3_4_6 = {
    .addressing = {.daemon = TID_OWN_DAEMON,
                   .newcomer = TID_ANY,
                   .is_endpoint = tid_is_task,
                   .on_one_host = dialect_on_one_host,
                   .block = dialect_block,
                   .list_of = dialect_list_of},
    .context = CONTROL_CONTEXT_TC,
    .word = dialect_classify,
    .offer = dialect_offer,
    .answer = dialect_answer,
    .card = dialect_card,
    .fence = dialect_fence,
    .watch = dialect_watch,
    .list = dialect_list,
    .last = dialect_last,
    .take_offer = dialect_take_offer,
    .take_answer = dialect_take_answer,
    .take_card = dialect_take_card,
    .take_fence = dialect_take_fence,
    .take_over = dialect_take_over,
    .receipt = dialect_receipt,
    .urgent = TASK_ORDERS,
};
