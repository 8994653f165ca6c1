/*
 * test_examine.c - a receive that judges sees the messages in order of arrival, whatever other
 * receives take meanwhile.
 *
 * The judgement notes what it sees and may do what another thread would do between two locks.
 */
#include "ck/requests/examine.h"

#include <pthread.h>
#include <pvm3.h>
#include <sched.h>
#include <unistd.h>

#include "core/tid.h"

#include "quiet_owner.h"
#include "talk.h"
#include "unit.h"

#define SEEN_MAX 64

static struct endpoint endpoint;
static int peer;

/* What the judgement saw, and what it does. */
static int seen[SEEN_MAX];
static int seen_count;
static int wanted;                 /* the tag to be taken; 0: the tag is the rank */
static void (*meanwhile)(int tag); /* called with every tag, or NULL */

UNIT_STEP(start)
{
    const struct endpoint_owner owner = quiet_owner(&endpoint);
    seen_count = wanted = 0;
    meanwhile = NULL;
    if (talk_begin(&endpoint, &owner) < 0)
        return -1;
    peer = talk_attach(&endpoint);
    endpoint_open(&endpoint, 0x40001, 0);
    return peer < 0 ? -1 : 0;
}

UNIT_STEP(finish)
{
    talk_end(&endpoint);
    close(peer);
    return 0;
}

static void arrive(int tag)
{
    struct message *message = message_new(MESSAGE_XDR, MESSAGE_FRAGMENT_DEFAULT);
    message->header.tag = tag;
    endpoint_deliver(&endpoint, message);
}

/* What a receive of another thread does. */
static void take(int tag)
{
    const struct pattern pattern = {PATTERN_ANY_SOURCE, tag, PATTERN_ANY, 0};
    struct message *message;
    assert_int_equal(endpoint_poll(&endpoint, &pattern, &message), 0);
    assert_non_null(message);
    message_free(message);
}

static int name(void *owner, struct message *message)
{
    (void)owner;
    return message->header.tag;
}

static int judge(void *owner, int tag)
{
    (void)owner;
    assert_true(seen_count < SEEN_MAX);
    seen[seen_count++] = tag;
    if (meanwhile)
        meanwhile(tag);
    if (wanted < 0)
        return wanted;
    return wanted ? tag == wanted : tag;
}

static const struct judgement judgement = {name, judge, NULL};

static void expect_seen(const int *tags, int count)
{
    assert_int_equal(seen_count, count);
    for (int i = 0; i < count; i++)
        assert_int_equal(seen[i], tags[i]);
    seen_count = 0;
}
#define EXPECT_SEEN(...)                                                                           \
    expect_seen((int[]){__VA_ARGS__}, (int)(sizeof(int[]){__VA_ARGS__} / sizeof(int)))

/* Lets in what has arrived. */
static void let_in(void)
{
    talk_look(&endpoint);
}

/* The receive must take the message with `tag`, or return `tag` as an error or 0. */
static void expect_taken(int tag)
{
    struct message *message;
    assert_int_equal(endpoint_examine(&endpoint, &judgement, PATIENCE_NONE, NULL, &message), tag);
    assert_int_equal(message != NULL, tag > 0);
    message_free(message);
}

#define TEST(name) UNIT_TEST_BETWEEN(name, start, finish)

TEST(judges_in_order_of_arrival)
{
    for (int tag = 5; tag > 1; tag--)
        arrive(tag);
    wanted = 3;
    expect_taken(0); /* each call lets in one message */
    EXPECT_SEEN(5);
    expect_taken(0);
    EXPECT_SEEN(5, 4);
    expect_taken(3);
    EXPECT_SEEN(5, 4, 3);
    expect_taken(0);
    EXPECT_SEEN(5, 4, 2);
}

TEST(takes_the_highest_rank)
{
    arrive(4);
    arrive(7);
    arrive(5);
    let_in();
    expect_taken(7);
    EXPECT_SEEN(4, 7, 5);
    arrive(1); /* rank 1 ends the search */
    arrive(9);
    let_in();
    expect_taken(1);
    EXPECT_SEEN(4, 5, 1);
}

TEST(looking_leaves_the_message)
{
    arrive(4);
    for (int i = 0; i < 2; i++)
        assert_int_equal(endpoint_examine(&endpoint, &judgement, PATIENCE_NONE, NULL, NULL), 4);
    expect_taken(4);
}

TEST(error_of_the_judgement_is_returned)
{
    wanted = -7;
    expect_taken(0); /* nothing to judge */
    arrive(4);
    arrive(5);
    expect_taken(-7);
    EXPECT_SEEN(4);
    wanted = 4;
    expect_taken(4);
}

static void take_what_is_judged(int tag)
{
    if (tag == 4)
        take(4);
}

TEST(message_taken_meanwhile_is_passed_over)
{
    meanwhile = take_what_is_judged;
    arrive(3);
    arrive(4);
    arrive(2);
    let_in();
    expect_taken(3);
    EXPECT_SEEN(3, 4, 2);
    wanted = 4;
    arrive(4);
    expect_taken(0);
    EXPECT_SEEN(2, 4);
}

static void take_the_next(int tag)
{
    if (tag == 3)
        take(5);
}

TEST(next_that_is_taken_is_not_judged)
{
    meanwhile = take_the_next;
    wanted = 4;
    arrive(3);
    arrive(5);
    arrive(4);
    let_in();
    expect_taken(4);
    EXPECT_SEEN(3, 4);
}

static void take_the_best(int tag)
{
    if (tag == 2) {
        meanwhile = NULL;
        take(9);
    }
}

TEST(best_that_is_taken_is_replaced)
{
    meanwhile = take_the_best;
    arrive(3);
    arrive(9);
    arrive(2);
    arrive(4);
    let_in();
    expect_taken(4);
    EXPECT_SEEN(3, 9, 2, 3, 2, 4);
}

static void judge_within(int tag)
{
    if (tag == 3) {
        meanwhile = NULL;
        wanted = 4;
        expect_taken(4);
        wanted = 5;
    }
}

TEST(judgement_may_receive)
{
    meanwhile = judge_within;
    wanted = 5;
    arrive(3);
    arrive(4);
    arrive(5);
    let_in();
    expect_taken(5);
    EXPECT_SEEN(3, 3, 4, 5);
}

static void detach_once(int tag)
{
    (void)tag;
    meanwhile = NULL;
    endpoint_detach(&endpoint);
}

TEST(leaving_within_a_judgement_fails_the_receive)
{
    meanwhile = detach_once;
    arrive(3);
    arrive(4);
    expect_taken(CK_LOST);
    EXPECT_SEEN(3);
}

/* Waiting -------------------------------------------------------------------------------------- */

static void *receive(void *tag)
{
    (void)tag;
    struct message *message;
    int result = endpoint_examine(&endpoint, &judgement, PATIENCE_ENDLESS, NULL, &message);
    message_free(message);
    return (void *)(intptr_t)result;
}

/* Returns when the thread that judges sleeps and has judged `count` messages. */
static void until_asleep(int count)
{
    bool asleep = false;
    while (!asleep) {
        lock_acquire(&endpoint.waiting->lock);
        asleep =
            endpoint.waiting->asleep && seen_count == count && !endpoint.inbox.examinations->next;
        lock_release(&endpoint.waiting->lock);
        sched_yield();
    }
}

static int end_of(pthread_t thread)
{
    void *result;
    assert_int_equal(pthread_join(thread, &result), 0);
    return (int)(intptr_t)result;
}

TEST(sleeper_judges_each_arrival)
{
    pthread_t thread;
    wanted = 5;
    arrive(2);
    assert_int_equal(pthread_create(&thread, NULL, receive, NULL), 0);
    until_asleep(1);
    arrive(3);
    until_asleep(2);
    arrive(5);
    assert_int_equal(end_of(thread), 5);
    EXPECT_SEEN(2, 3, 5);
}

TEST(interrupted_sleeper_judges_when_it_goes_on)
{
    pthread_t thread;
    wanted = 5;
    assert_int_equal(pthread_create(&thread, NULL, receive, NULL), 0);
    assert_int_equal(endpoint_interrupt(&endpoint), 0);
    arrive(5);
    arrive(4);
    lock_acquire(&endpoint.waiting->lock);
    assert_int_equal(seen_count, 0);
    lock_release(&endpoint.waiting->lock);
    take(5);
    arrive(5);
    assert_int_equal(endpoint_resume(&endpoint), 0);
    assert_int_equal(end_of(thread), 5);
    EXPECT_SEEN(4, 5);
}

TEST(end_of_the_endpoint_wakes_the_sleeper)
{
    pthread_t thread;
    wanted = 5;
    arrive(2);
    assert_int_equal(pthread_create(&thread, NULL, receive, NULL), 0);
    until_asleep(1);
    endpoint_detach(&endpoint);
    assert_int_equal(end_of(thread), CK_LOST);
}

TEST(interrupted_sleeper_fails_with_the_endpoint)
{
    pthread_t thread;
    wanted = 5;
    assert_int_equal(pthread_create(&thread, NULL, receive, NULL), 0);
    assert_int_equal(endpoint_interrupt(&endpoint), 0);
    endpoint_detach(&endpoint);
    assert_int_equal(end_of(thread), CK_LOST);
}

TEST(deadline_ends_the_wait)
{
    struct message *message;
    const struct timespec past = {0, 0};
    wanted = 5;
    arrive(2);
    assert_int_equal(endpoint_examine(&endpoint, &judgement, PATIENCE_UNTIL, &past, &message), 0);
    assert_null(message);
    arrive(5);
    assert_int_equal(endpoint_examine(&endpoint, &judgement, PATIENCE_UNTIL, &past, &message), 5);
    message_free(message);
}
