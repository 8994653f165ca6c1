/*
 * test_inbox.c - an arriving message goes to the receive that was posted first among those it
 * matches, or waits.
 */
#include "ck/inbox/inbox.h"

#include <pvm3.h>

#include "core/tid.h"

#include "body.h"
#include "shortage.h"
#include "unit.h"

static struct inbox inbox;

UNIT_STEP(start)
{
    inbox_start(&inbox);
    return 0;
}

UNIT_STEP(finish)
{
    inbox_finish(&inbox);
    return 0;
}

static struct message *make(uint32_t source, int32_t tag, int32_t wait)
{
    struct message *message = message_new(MESSAGE_XDR, MESSAGE_FRAGMENT_DEFAULT);
    message->header.source = source;
    message->header.tag = tag;
    message->header.wait = wait;
    return message;
}

static struct receiver receiver_for(uint32_t source, int32_t tag, int32_t wait)
{
    return (struct receiver){.pattern = {source, tag, 0, wait}};
}

/* The message must go to `receiver`, or to the queue if that is NULL. */
static void expect_delivery(struct message *message, struct receiver *receiver)
{
    size_t queued = inbox.arrived.count;
    assert_ptr_equal(inbox_deliver(&inbox, message), receiver);
    assert_int_equal(inbox.arrived.count, queued + (receiver == NULL));
    if (receiver) {
        assert_ptr_equal(receiver->message, message);
        assert_true(receiver->waiter.done);
        assert_false(receiver->posted);
        message_free(message);
    }
}

#define TEST(name) UNIT_TEST_BETWEEN(name, start, finish)

TEST(message_without_a_receiver_is_queued)
{
    OWN struct message *first = make(1, 5, 0);
    OWN struct message *second = make(1, 5, 0);
    const struct pattern pattern = {1, 5, 0, 0};
    expect_delivery(first, NULL);
    expect_delivery(second, NULL);
    assert_ptr_equal(inbox_find(&inbox, &pattern), first);
    assert_ptr_equal(inbox_find(&inbox, &pattern), first); /* it stays */
    assert_ptr_equal(inbox_take(&inbox, &pattern), first);
    assert_ptr_equal(inbox_take(&inbox, &pattern), second);
    assert_null(inbox_take(&inbox, &pattern));
    assert_null(inbox_find(&inbox, &pattern));
}

TEST(receiver_that_comes_back_stands_behind)
{
    struct receiver first = receiver_for(1, 5, 0);
    struct receiver second = receiver_for(1, 5, 0);
    inbox_post(&inbox, &first);
    inbox_post(&inbox, &second);
    inbox_post(&inbox, &first); /* repeated: it keeps its place */
    assert_ptr_equal(inbox.first, &first);
    inbox_withdraw(&inbox, &first);
    inbox_post(&inbox, &first);
    expect_delivery(make(1, 5, 0), &second);
    expect_delivery(make(1, 5, 0), &first);
}

/* Few of them have what a class of patterns names, and hang in the same chain. */
TEST(many_receivers_are_not_looked_through)
{
    enum { MANY = 1024 };
    static struct receiver receivers[MANY];
    for (uint32_t i = 0; i < MANY; i++) { /* of four classes */
        receivers[i] =
            receiver_for(i % 4 & 1 ? PATTERN_ANY_SOURCE : i, i % 4 & 2 ? PATTERN_ANY : 7, 0);
        receivers[i].pattern.context = i % 4 == 3 ? (int32_t)i : 0;
        inbox_post(&inbox, &receivers[i]);
    }
    size_t before = inbox.compared;
    unsigned long allocations = shortage_allocations();
    for (uint32_t i = 0; i < MANY; i++) {
        const struct pattern *wanted = &receivers[i].pattern;
        struct message message;
        message_init(&message, MESSAGE_XDR, MESSAGE_FRAGMENT_DEFAULT);
        message.header.source = wanted->source == PATTERN_ANY_SOURCE ? MANY : wanted->source;
        message.header.tag = wanted->tag == PATTERN_ANY ? 8 : wanted->tag;
        message.header.context = wanted->context;
        assert_ptr_equal(inbox_deliver(&inbox, &message), &receivers[i]);
    }
    assert_int_equal(shortage_allocations(), allocations);
    assert_in_range(inbox.compared - before, MANY, MANY * MATCH_TABLES * (MANY / INBOX_CHAINS));
    assert_null(inbox.first);
    assert_false(inbox.chained);
}

/* A list and no cleverness: what posting, withdrawing and delivering must do. */
enum { MODEL_RECEIVERS = 40 };
static struct receiver *model[MODEL_RECEIVERS];
static size_t model_count;

static struct receiver *model_receiver_for(const struct message *message)
{
    for (int answer = message->header.wait != 0; answer >= 0; answer--)
        for (size_t i = 0; i < model_count; i++)
            if ((model[i]->pattern.wait != 0) == answer &&
                pattern_matches(&model[i]->pattern, &message->header))
                return model[i];
    return NULL;
}

static void model_withdraw(const struct receiver *receiver)
{
    size_t i = 0;
    while (model[i] != receiver)
        i++;
    memmove(&model[i], &model[i + 1], (--model_count - i) * sizeof model[0]);
}

static void model_clear(void)
{
    while (model_count > 0)
        inbox_withdraw(&inbox, model[--model_count]);
    assert_null(inbox.first);
    assert_null(inbox.last);
    assert_false(inbox.chained);
}

/* By turns with many receivers and with few, which have no chains. */
TEST(inbox_equals_a_plain_list)
{
    static struct receiver receivers[MODEL_RECEIVERS];
    uint32_t seed = 1;
    for (int i = 0; i < 40000; i++) {
        bool few = i / 1000 % 2;
        if (i % 1000 == 0)
            model_clear();
        seed = seed * 1664525u + 1013904223u;
        uint32_t bits = seed >> 8;
        struct receiver *receiver = &receivers[bits % (few ? 6 : MODEL_RECEIVERS)];
        uint32_t source = bits >> 6 & 3;
        int32_t tag = bits >> 8 & 3, context = bits >> 10 & 1, wait = bits >> 11 & 1;
        if (receiver->posted && bits >> 12 & 1) {
            inbox_withdraw(&inbox, receiver);
            inbox_withdraw(&inbox, receiver); /* may be repeated */
            model_withdraw(receiver);
        } else if (!receiver->posted) {
            *receiver = receiver_for(bits >> 13 & 1 ? source : PATTERN_ANY_SOURCE,
                                     bits >> 14 & 1 ? tag : PATTERN_ANY, wait);
            receiver->pattern.context = bits >> 15 & 3 ? context : PATTERN_ANY;
            inbox_post(&inbox, receiver);
            model[model_count++] = receiver;
        }
        if (!(bits >> 17 & 1))
            continue;
        struct message *message = make(source, tag, wait);
        message->header.context = context;
        const struct pattern key = pattern_of(&message->header);
        struct receiver *expected = model_receiver_for(message);
        expect_delivery(message, expected);
        if (expected)
            model_withdraw(expected);
        else
            message_free(inbox_take(&inbox, &key));
    }
    model_clear();
}

TEST(one_that_judges_is_shown_one_message_at_a_time)
{
    struct examination examination = {.patient = true};
    struct message *first = make(1, 1, 0), *second = make(1, 2, 0);
    inbox_begin_examination(&inbox, &examination);
    assert_null(inbox_arrive(&inbox, first));
    assert_null(inbox_arrive(&inbox, second));
    assert_true(examination.waiter.done);
    assert_int_equal(inbox.arrived.count, 1);
    assert_ptr_equal(inbox_examine_next(&examination), first);
    assert_true(inbox_let_in(&inbox));
    assert_ptr_equal(inbox_examine_next(&examination), second);
    inbox_end_examination(&inbox, &examination);
}
