/* test_shm_order.c - messages of two tasks to a third one come in the order of their sending. */
#include "ck/ports/shm/shm.h"

#include <unistd.h>

#include <pvm3.h>

#include "core/control.h"
#include "core/tid.h"

#include "neighbours.h"
#include "unit.h"

/* C is told by A, and by B, which A has met. */
static struct neighbour c;

static int start(void **state)
{
    int error = neighbours_start_met(state);
    if (error == 0)
        neighbour_begin(&c, C, LIMIT);
    return error;
}

static int finish(void **state)
{
    neighbour_end(&c);
    return neighbours_finish(state);
}

static void expect_nothing(struct neighbour *side)
{
    neighbour_look(side);
    assert_null(neighbour_arrives(side));
}

/* From now on messages of `from` to C go through memory. */
static void meets_c(struct neighbour *from)
{
    for (int tag = 1; tag <= 2; tag++) {
        neighbour_send(from, C, tag, 8);
        assert_int_equal(neighbour_passes_on(from, &c), 3 - tag); /* a fence each, and the first */
        neighbour_look(&c);
        neighbour_expect(&c, from->tid, tag, 8);
    }
    assert_true(talk_is_silent(&from->heard));
}

/* A tells B, which tells C. */
static void tells_c_through_b(int32_t tag)
{
    neighbour_send(&a, B, tag, 8);
    neighbour_expect(&b, A, tag, 8);
    neighbour_send(&b, C, tag, 8);
}

/* A's first message to C is with the daemon, and what it caused is in B's ring. */
static void first_message_is_underway(void)
{
    meets_c(&b);
    neighbour_send(&a, C, 3, 8);
    tells_c_through_b(4);
    expect_nothing(&c);
}

#define TEST(name) UNIT_TEST_BETWEEN(name, start, finish)

TEST(first_message_comes_before_what_it_caused)
{
    first_message_is_underway();
    assert_int_equal(neighbour_passes_on(&a, &c), 2);
    neighbour_expect(&c, A, 3, 8);
    neighbour_expect(&c, B, 4, 8);
    assert_true(talk_is_silent(&b.heard));
}

/* B knows by other means than a message that A has sent one. */
TEST(first_message_comes_before_what_is_sent_long_after_it)
{
    meets_c(&b);
    neighbour_look(&c);
    c.endpoint.waiting->roused = NULL; /* the next look is not at calls by itself */
    c.endpoint.engine->looks = 0;
    neighbour_send(&a, C, 3, 8);
    usleep(1000); /* C has not heard of calls for longer than it takes to tell somebody */
    neighbour_send(&b, C, 4, 8);
    expect_nothing(&c);
    assert_int_equal(neighbour_passes_on(&a, &c), 2);
    neighbour_expect(&c, A, 3, 8);
    neighbour_expect(&c, B, 4, 8);
}

TEST(message_behind_its_fence_comes_before_what_it_caused)
{
    meets_c(&b);
    neighbour_send(&a, C, 1, 8);
    assert_int_equal(neighbour_passes_on(&a, &c), 2);
    neighbour_look(&c);
    neighbour_expect(&c, A, 1, 8);
    neighbour_send(&a, C, 3, 8); /* in the ring, but for the fence */
    tells_c_through_b(4);
    expect_nothing(&c);
    assert_int_equal(neighbour_passes_on(&a, &c), 1);
    neighbour_expect(&c, A, 3, 8);
    neighbour_expect(&c, B, 4, 8);
}

/* More messages than the ring has room for; returns how many are in there. */
static int fill_the_ring_to_c(void)
{
    int sent = 0;
    while (talk_is_silent(&a.heard))
        neighbour_send(&a, C, 100 + sent++, 8);
    return sent - 1;
}

TEST(what_goes_round_a_full_ring_comes_before_what_it_caused)
{
    meets_c(&a);
    meets_c(&b);
    int inside = fill_the_ring_to_c();
    tells_c_through_b(4);
    neighbour_send(&a, C, 5, 8); /* this one is not waited for */
    for (int i = 0; i < inside; i++)
        neighbour_expect(&c, A, 100 + i, 8);
    expect_nothing(&c);
    struct message *message = talk_read(&a.heard);
    talk_write(c.daemon, message, C, A);
    message_free(message);
    neighbour_expect(&c, A, 100 + inside, 8);
    neighbour_expect(&c, B, 4, 8);
    expect_nothing(&c);
    assert_int_equal(neighbour_passes_on(&a, &c), 1);
    neighbour_expect(&c, A, 5, 8);
}

/* Two ways: what comes on one waits for what is on the other. */
TEST(what_comes_first_through_the_daemon_waits_too)
{
    neighbour_send(&b, C, 1, 8); /* it is not known to C yet */
    assert_int_equal(neighbour_passes_on(&b, &c), 2);
    neighbour_send(&a, C, 3, 8);
    neighbour_send(&a, B, 4, 8);
    neighbour_expect(&b, A, 4, 8);
    neighbour_look(&c);
    neighbour_expect(&c, B, 1, 8);
    shm_of(&b.endpoint)->shared->arena.limit = 0;
    neighbour_send(&b, C, 4, 100 * 1000); /* too long for its ring */
    assert_true(neighbour_passes_on(&b, &c) > 0);
    expect_nothing(&c);
    assert_int_equal(neighbour_passes_on(&a, &c), 2);
    neighbour_expect(&c, A, 3, 8);
    neighbour_expect(&c, B, 4, 100 * 1000);
}

/* What is in the ring behind a fence that waits is not on its way any more. */
TEST(fence_that_waits_is_waited_for_by_nobody)
{
    const uint32_t stranger = 0x80001; /* of another host */
    neighbour_send(&b, C, 1, 8);
    assert_int_equal(neighbour_passes_on(&b, &c), 2);
    neighbour_look(&c);
    neighbour_expect(&c, B, 1, 8);
    neighbour_send(&a, C, 3, 8);
    shm_of(&b.endpoint)->shared->arena.limit = 0;
    neighbour_send(&b, C, 4, 100 * 1000);
    assert_true(neighbour_passes_on(&b, &c) > 0);
    neighbour_send(&b, C, 5, 8); /* in the ring, but for the fence */
    struct message *message = talk_make(6, 0, 8);
    talk_write(c.daemon, message, C, stranger);
    message_free(message);
    assert_int_equal(neighbour_passes_on(&b, &c), 1);
    expect_nothing(&c);
    assert_int_equal(neighbour_passes_on(&a, &c), 2);
    neighbour_expect(&c, A, 3, 8);
    neighbour_expect(&c, B, 4, 100 * 1000);
    neighbour_expect(&c, B, 5, 8);
    neighbour_expect(&c, stranger, 6, 8);
}

/* A first fence that is deferred behind an earlier message of its sender blocks nobody. */
TEST(what_was_sent_before_a_call_is_older_than_what_is_sent_after_it)
{
    neighbour_send(&b, C, 1, 8);
    assert_int_equal(neighbour_passes_on(&b, &c), 2);
    neighbour_look(&c);
    neighbour_expect(&c, B, 1, 8);
    c.endpoint.waiting->roused = NULL; /* it reads what A has sent before it answers the call */
    c.endpoint.engine->looks = 0;
    shm_of(&c.endpoint)->answered = UINT64_MAX;
    struct message *message = talk_make(2, 0, 8);
    talk_write(c.daemon, message, C, A);
    message_free(message);
    neighbour_send(&a, C, 3, 8);
    neighbour_send(&a, B, 4, 8);
    neighbour_expect(&b, A, 4, 8);
    shm_of(&b.endpoint)->shared->arena.limit = 0;
    neighbour_send(&b, C, 4, 100 * 1000);
    expect_nothing(&c);
    assert_true(neighbour_passes_on(&b, &c) > 0);
    expect_nothing(&c);
    assert_int_equal(neighbour_passes_on(&a, &c), 2);
    neighbour_expect(&c, A, 2, 8);
    neighbour_expect(&c, A, 3, 8);
    neighbour_expect(&c, B, 4, 100 * 1000);
}

/* A message that is held up in a ring comes as soon as C has read its cause, not after the rest. */
TEST(what_was_held_up_comes_before_what_is_read_behind_its_cause)
{
    const uint32_t stranger = 0x80001; /* of another host */
    first_message_is_underway();
    assert_int_equal(neighbour_passes_on(&a, &c), 2);
    struct message *message = talk_make(5, 0, 8);
    talk_write(c.daemon, message, C, stranger);
    talk_write(c.daemon, message, C, TID_OWN_DAEMON);
    message_free(message);
    neighbour_look(&c); /* all is read at once */
    neighbour_expect(&c, A, 3, 8);
    neighbour_expect(&c, B, 4, 8);
    neighbour_expect(&c, stranger, 5, 8);
    neighbour_expect(&c, TID_OWN_DAEMON, 5, 8);
}

/* The pvmd of another host, who says that a task of his has ended, does not overtake that task. */
TEST(what_a_far_daemon_says_comes_behind_what_its_tasks_have_sent)
{
    const uint32_t stranger = 0x80001, far_daemon = TID_DAEMON_BIT | 0x80000;
    first_message_is_underway();
    struct message *message = talk_make(5, 0, 8);
    talk_write(c.daemon, message, C, stranger);
    talk_write(c.daemon, message, C, far_daemon);
    message_free(message);
    expect_nothing(&c);
    assert_int_equal(neighbour_passes_on(&a, &c), 2);
    neighbour_expect(&c, A, 3, 8);
    neighbour_expect(&c, B, 4, 8);
    neighbour_expect(&c, stranger, 5, 8);
    neighbour_expect(&c, far_daemon, 5, 8);
}

TEST(last_message_of_a_task_whose_call_was_not_answered_comes_first)
{
    meets_c(&b);
    neighbour_send(&a, C, 3, 8);
    tells_c_through_b(4);
    assert_int_equal(neighbour_passes_on(&a, &c), 2);
    neighbour_leave(&a);
    neighbour_expect(&c, A, 3, 8);
    neighbour_expect(&c, B, 4, 8);
}

TEST(nothing_waits_for_a_task_that_is_gone)
{
    first_message_is_underway();
    neighbour_leave(&a);
    expect_nothing(&c); /* its message may be underway */
    struct message *end = control_new(TC_TASKEXIT, CONTROL_CONTEXT_TC, 0);
    control_put_tid(end, A);
    talk_write(c.daemon, end, C, TID_OWN_DAEMON);
    message_free(end);
    neighbour_look(&c);
    neighbour_expect(&c, B, 4, 8);
    message_free(neighbour_arrives(&c)); /* that word */
}

/* A stamp of the future is a lie: the message is taken all the same, and nobody looks for ever. */
TEST(wrong_stamps_stop_nothing)
{
    const struct host_header header = {.tag = 3};
    const struct stamp never = {UINT64_MAX, 0};
    meets_c(&a);
    meets_c(&b);
    ring_write_short(&neighbour_link(&b, C)->writer, never, &header, NULL, 0);
    neighbour_look(&c);
    struct message *message = neighbour_arrives(&c);
    assert_non_null(message);
    assert_int_equal(message->header.tag, 3);
    message_free(message);
    assert_false(shm_sleep(c.endpoint.engine, NAP_UNTIL_ANYTHING));
    shm_sleep(c.endpoint.engine, NAP_NONE);
}
