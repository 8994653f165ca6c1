/*
 * test_inbox.c - an arriving message goes to the receive that was posted first among those it
 * matches, or waits.
 */
#include "ck/inbox.h"

#include <pvm3.h>

#include "core/tid.h"

#include "shortage.h"
#include "unit.h"

static struct inbox inbox;

static int start(void **state)
{
    (void)state;
    inbox_start(&inbox);
    return 0;
}

static int finish(void **state)
{
    (void)state;
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
    int error = 1;
    size_t queued = inbox.arrived.count;
    assert_ptr_equal(inbox_deliver(&inbox, message, &error), receiver);
    assert_int_equal(error, 0);
    assert_int_equal(inbox.arrived.count, queued + (receiver == NULL));
    if (receiver) {
        assert_ptr_equal(receiver->message, message);
        assert_true(receiver->waiter.done);
        assert_false(receiver->posted);
        message_free(message);
    }
}

static void message_without_a_receiver_is_queued(void **state)
{
    (void)state;
    struct message *first = make(1, 5, 0);
    struct message *second = make(1, 5, 0);
    const struct pattern pattern = {1, 5, 0, 0};
    expect_delivery(first, NULL);
    expect_delivery(second, NULL);
    assert_ptr_equal(inbox_find(&inbox, &pattern), first);
    assert_ptr_equal(inbox_find(&inbox, &pattern), first); /* it stays */
    assert_ptr_equal(inbox_take(&inbox, &pattern), first);
    assert_ptr_equal(inbox_take(&inbox, &pattern), second);
    assert_null(inbox_take(&inbox, &pattern));
    assert_null(inbox_find(&inbox, &pattern));
    message_free(first);
    message_free(second);
}

static void first_posted_receiver_that_matches_wins(void **state)
{
    (void)state;
    struct receiver other = receiver_for(1, 6, 0);
    struct receiver any = receiver_for(TID_ANY, PATTERN_ANY, 0);
    struct receiver exact = receiver_for(1, 5, 0);
    inbox_post(&inbox, &other);
    inbox_post(&inbox, &any);
    inbox_post(&inbox, &exact);
    expect_delivery(make(1, 5, 0), &any);
    expect_delivery(make(1, 5, 0), &exact); /* a receiver takes one message */
    expect_delivery(make(1, 5, 0), NULL);
    expect_delivery(make(1, 6, 0), &other);
    assert_null(inbox.first);
    assert_null(inbox.last);
}

static void answers_go_to_who_asked(void **state)
{
    (void)state;
    struct receiver any = receiver_for(TID_ANY, PATTERN_ANY, 0);
    struct receiver first = receiver_for(TID_OWN_DAEMON, 9, 1);
    struct receiver second = receiver_for(TID_OWN_DAEMON, 9, 2);
    inbox_post(&inbox, &any);
    inbox_post(&inbox, &first);
    inbox_post(&inbox, &second);
    expect_delivery(make(TID_OWN_DAEMON, 9, 2), &second);
    expect_delivery(make(TID_OWN_DAEMON, 9, 1), &first);
    expect_delivery(make(TID_OWN_DAEMON, 9, 1), &any); /* nobody asked for it any more */
    inbox_withdraw(&inbox, &any);
}

static void message_without_a_wait_id_is_no_answer(void **state)
{
    (void)state;
    struct receiver question = receiver_for(TID_OWN_DAEMON, 9, 1);
    inbox_post(&inbox, &question);
    expect_delivery(make(TID_OWN_DAEMON, 9, 0), NULL);
    expect_delivery(make(TID_OWN_DAEMON, 9, 3), NULL);
    expect_delivery(make(TID_OWN_DAEMON, 8, 1), NULL);
    expect_delivery(make(5, 9, 1), NULL);
    assert_false(question.waiter.done);
    inbox_withdraw(&inbox, &question);
}

static void withdrawn_receiver_gets_nothing(void **state)
{
    (void)state;
    struct receiver receivers[3] = {receiver_for(1, 5, 0), receiver_for(1, 5, 0),
                                    receiver_for(1, 5, 0)};
    for (size_t i = 0; i < 3; i++)
        inbox_post(&inbox, &receivers[i]);
    inbox_withdraw(&inbox, &receivers[1]);
    inbox_withdraw(&inbox, &receivers[1]); /* may be repeated */
    expect_delivery(make(1, 5, 0), &receivers[0]);
    expect_delivery(make(1, 5, 0), &receivers[2]);
    expect_delivery(make(1, 5, 0), NULL);
    assert_false(receivers[1].waiter.done);
}

static void receiver_that_comes_back_stands_behind(void **state)
{
    (void)state;
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

static void shortage_scenario(void)
{
    struct inbox own;
    int error = 0;
    struct message *message = message_new(MESSAGE_XDR, MESSAGE_FRAGMENT_DEFAULT);
    inbox_start(&own);
    if (message) {
        assert_null(inbox_deliver(&own, message, &error));
        assert_int_equal(error, shortage_was_met() ? PvmNoMem : 0);
    }
    inbox_finish(&own);
}

static void message_that_cannot_be_queued_is_freed(void **state)
{
    (void)state;
    shortage_try_each(shortage_scenario, 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, finish)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(message_without_a_receiver_is_queued),
        TEST(first_posted_receiver_that_matches_wins),
        TEST(answers_go_to_who_asked),
        TEST(message_without_a_wait_id_is_no_answer),
        TEST(withdrawn_receiver_gets_nothing),
        TEST(receiver_that_comes_back_stands_behind),
        TEST(message_that_cannot_be_queued_is_freed),
    };
    return cmocka_run_group_tests_name("inbox", tests, NULL, NULL);
}
