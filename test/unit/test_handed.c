/*
 * test_handed.c - tasks of one process hand messages over to each other, in order with what comes
 * from outside. The test is the daemon of each of them.
 */
#include "ck/endpoint/handed.h"

#include <pthread.h>
#include <pvm3.h>
#include <time.h>
#include <unistd.h>

#include "ck/endpoint/endpoint.h"
#include "core/control.h"
#include "core/tid.h"

#include "quiet_owner.h"
#include "shortage.h"
#include "talk.h"
#include "unit.h"

#define A       0x40001u
#define B       0x40002u
#define C       0x40003u
#define OUTSIDE 0x40004u
#define TASKS   3
#define SIZE    10
#define LARGE   100000
#define HANDLED 100000 /* a tag that owners intercept */
#define NOTICE  2000

struct task {
    struct endpoint endpoint;
    int daemon; /* its end of the socket; -1: it has closed that */
    struct talk_reader heard;
    unsigned intercepted;
};

static struct engine *engine;
static struct task tasks[TASKS];
static struct task *const a = &tasks[0], *const b = &tasks[1], *const c = &tasks[2];

/* A port over that may know of something on its way, and keeps what comes meanwhile. */
static struct port over;
static bool stuck;
static struct message *kept;

static bool over_lacks(const struct endpoint *endpoint)
{
    return endpoint == &b->endpoint && (stuck || kept);
}

static bool over_defer(struct endpoint *endpoint, const struct peer *peer, struct message *message,
                       bool common)
{
    struct message **end = &kept;
    (void)peer;
    (void)common;
    if (!over_lacks(endpoint))
        return false;
    while (*end)
        end = &(*end)->next;
    *end = message;
    return true;
}

static bool over_has_deferred(const struct endpoint *endpoint)
{
    return endpoint == &b->endpoint && kept;
}

static struct message *over_due(struct endpoint *endpoint, bool *common)
{
    struct message *message = over_has_deferred(endpoint) && !stuck ? kept : NULL;
    *common = false;
    if (message) {
        kept = message->next;
        message->next = NULL;
    }
    return message;
}

static bool task_wants(void *owner, const struct message_header *header)
{
    (void)owner;
    return header->tag == HANDLED;
}

static bool task_intercept(void *owner, struct message *message)
{
    struct task *task = owner;
    task->intercepted++;
    message_free(message);
    return true;
}

static void task_attach(struct task *task)
{
    task->daemon = talk_attach(&task->endpoint);
    assert_true(task->daemon >= 0);
    talk_reader_start(&task->heard, task->daemon);
}

static void task_detach(struct task *task)
{
    endpoint_detach(&task->endpoint);
    talk_reader_finish(&task->heard);
    if (task->daemon >= 0)
        close(task->daemon);
    task->daemon = -1;
}

UNIT_STEP(start)
{
    engine = talk_engine();
    over = *engine->ports.over;
    over.lacks = over_lacks;
    over.defer = over_defer;
    over.has_deferred = over_has_deferred;
    over.due = over_due;
    engine->ports.over = &over;
    stuck = false;
    memset(tasks, 0, sizeof tasks);
    for (unsigned i = 0; i < TASKS; i++) {
        struct endpoint_owner owner = quiet_owner(&tasks[i]);
        owner.wants = task_wants;
        owner.intercept = task_intercept;
        assert_int_equal(endpoint_init(&tasks[i].endpoint, engine, &owner), 0);
        task_attach(&tasks[i]);
        endpoint_open(&tasks[i].endpoint, A + i, 0);
    }
    return 0;
}

UNIT_STEP(finish)
{
    for (unsigned i = 0; i < TASKS; i++) {
        task_detach(&tasks[i]);
        endpoint_destroy(&tasks[i].endpoint);
    }
    engine_destroy(engine);
    free(engine);
    return 0;
}

static void task_sends(struct task *task, uint32_t to, int32_t tag)
{
    assert_int_equal(talk_send(&task->endpoint, to, tag, SIZE), 0);
}

/* In the inbox already, without a look at anything. */
static bool task_has(struct task *task)
{
    lock_acquire(&engine->waiting.lock);
    bool has = inbox_has_messages(&task->endpoint.inbox);
    lock_release(&engine->waiting.lock);
    return has;
}

static void task_expect(struct task *task, uint32_t source, int32_t tag)
{
    struct message *message = talk_next(&task->endpoint);
    assert_non_null(message);
    assert_int_equal(message->header.source, source);
    assert_int_equal(message->header.destination, task->endpoint.own);
    talk_expect(message, tag, SIZE);
}

static void daemon_brings(struct task *task, uint32_t source, struct message *message)
{
    talk_write(task->daemon, message, task->endpoint.own, source);
    message_free(message);
}

/* A message from outside, which nobody has looked for. */
static void outside_sends(struct task *to, int32_t tag)
{
    daemon_brings(to, OUTSIDE, talk_make(tag, 0, SIZE));
}

static void expect_silence(void)
{
    for (unsigned i = 0; i < TASKS; i++)
        if (tasks[i].daemon >= 0)
            assert_true(talk_is_silent(&tasks[i].heard));
}

/* The daemon's notice to the program that a task is over. */
static void daemon_notes_end(struct task *task, uint32_t over_tid)
{
    struct message *notice = control_new(NOTICE, 0, 0);
    control_put_tid(notice, over_tid);
    daemon_brings(task, TID_OWN_DAEMON, notice);
}

static void expect_notice(struct task *task)
{
    OWN struct message *notice = talk_next(&task->endpoint);
    assert_non_null(notice);
    assert_int_equal(notice->header.tag, NOTICE);
}

/* Tests ---------------------------------------------------------------------------------------- */

UNIT_TEST_BETWEEN(is_there_at_once, start, finish)
{
    for (int32_t tag = 1; tag < 100; tag++) {
        task_sends(a, B, tag);
        assert_true(task_has(b));
        task_sends(b, C, tag);
        task_expect(c, B, tag);
        task_expect(b, A, tag);
    }
    expect_silence();
    assert_int_equal(peers_next(&a->endpoint.peers, NULL) != NULL, 0);
}

/* What a message has cost: allocations, looks, and looks that the leader was asked for. */
struct cost {
    unsigned long allocations;
    unsigned looks, asked;
};

static struct cost cost_now(void)
{
    return (struct cost){shortage_allocations(), engine->looks, engine->waiting.asked};
}

static long coarse_tick(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return now.tv_nsec;
}

/* In the steady state a message allocates nothing, and makes nobody look before the clock ticks. */
UNIT_TEST_BETWEEN(costs_nothing, start, finish)
{
    struct cost before, after;
    long tick;
    do {
        tick = coarse_tick();
        task_sends(a, B, 1);
        task_expect(b, A, 1);
        OWN struct message *message = talk_make(2, 0, SIZE);
        const struct parcel parcel = {message, B};
        before = cost_now();
        assert_int_equal(endpoint_send(&a->endpoint, &parcel, true), 0);
        OWN struct message *got = talk_next(&b->endpoint);
        assert_non_null(got);
        after = cost_now();
    } while (coarse_tick() != tick);
    assert_int_equal(after.allocations, before.allocations);
    assert_int_equal(after.looks, before.looks);
    assert_int_equal(after.asked, before.asked);
}

/* The cause is in the receiver's socket when its effect, at another task, sends to the receiver. */
UNIT_TEST_BETWEEN(comes_behind_what_may_have_caused_it, start, finish)
{
    for (int32_t tag = 1; tag < 50; tag++) {
        outside_sends(a, tag);
        task_expect(a, OUTSIDE, tag);
        outside_sends(b, tag);
        task_sends(a, B, tag);
        assert_true(task_has(b));
        task_expect(b, OUTSIDE, tag);
        task_expect(b, A, tag);
    }
}

/* A third task may have told the sender. */
UNIT_TEST_BETWEEN(comes_behind_what_others_know, start, finish)
{
    outside_sends(c, 1);
    task_expect(c, OUTSIDE, 1);
    outside_sends(b, 2);
    task_sends(c, A, 3);
    task_expect(a, C, 3);
    task_sends(a, B, 4);
    task_expect(b, OUTSIDE, 2);
    task_expect(b, A, 4);
}

/* Nobody has looked for long: others may have told the sender by other means than messages. */
UNIT_TEST_BETWEEN(comes_behind_what_was_there_long_before, start, finish)
{
    task_sends(a, B, 1);
    task_expect(b, A, 1);
    outside_sends(b, 2);
    engine->handed.settled_at--;
    task_sends(a, B, 3);
    task_expect(b, OUTSIDE, 2);
    task_expect(b, A, 3);
}

/* What the port over knows to be on its way comes first, and the sender does not wait for it. */
UNIT_TEST_BETWEEN(comes_behind_what_is_on_its_way, start, finish)
{
    outside_sends(a, 1);
    task_expect(a, OUTSIDE, 1);
    stuck = true;
    task_sends(a, B, 2);
    task_sends(c, B, 3);
    task_sends(a, B, 4);
    task_sends(a, C, 5);
    assert_false(task_has(b));
    task_expect(c, A, 5);
    stuck = false;
    task_expect(b, A, 2);
    task_expect(b, C, 3);
    task_expect(b, A, 4);
    task_sends(a, B, 6);
    task_expect(b, A, 6);
    const unsigned asked = engine->waiting.asked;
    task_sends(a, B, 7);
    task_expect(b, A, 7);
    assert_int_equal(engine->waiting.asked, asked);
}

/* Nothing of a task comes behind the word of its end, though its thread runs on. */
UNIT_TEST_BETWEEN(is_not_taken_of_a_task_that_is_over, start, finish)
{
    task_sends(a, B, 1);
    close(a->daemon);
    a->daemon = -1;
    daemon_notes_end(b, A);
    task_expect(b, A, 1);
    lock_acquire(&engine->waiting.lock);
    b->endpoint.seen--; /* the next message waits for a look, which brings the word */
    lock_release(&engine->waiting.lock);
    talk_send(&a->endpoint, B, 2, SIZE);
    expect_notice(b);
    assert_int_equal(talk_send(&a->endpoint, B, 3, SIZE), CK_LOST);
    assert_false(task_has(b));
}

/* A notice that the program takes back says the same of a task that goes on. */
UNIT_TEST_BETWEEN(is_taken_of_a_task_that_goes_on, start, finish)
{
    daemon_notes_end(b, A);
    expect_notice(b);
    task_sends(a, B, 1);
    task_expect(b, A, 1);
}

/* What was sent by the daemon before the receiver was open stays in front of what follows. */
UNIT_TEST_BETWEEN(goes_by_the_daemon_to_whom_it_has_gone_by_it, start, finish)
{
    task_detach(b);
    task_detach(c);
    task_attach(b);
    task_attach(c);
    task_sends(a, B, 1);
    talk_expect(talk_read(&a->heard), 1, SIZE);
    endpoint_open(&c->endpoint, C, 0);
    endpoint_open(&b->endpoint, B, 0);
    task_sends(a, B, 2);
    talk_expect(talk_read(&a->heard), 2, SIZE);
    assert_false(task_has(b));
    task_sends(a, C, 3);
    task_sends(b, A, 4);
    task_expect(c, A, 3);
    task_expect(a, B, 4);
    task_detach(b);
    task_attach(b);
    endpoint_open(&b->endpoint, B, 0);
    task_sends(a, B, 5);
    task_expect(b, A, 5);
}

UNIT_TEST_BETWEEN(is_dropped_if_the_receiver_is_gone, start, finish)
{
    endpoint_lose(&b->endpoint, CK_LOST);
    task_sends(a, B, 1);
    expect_silence();
    task_detach(b);
    task_attach(b);
    task_sends(a, B, 2);
    talk_expect(talk_read(&a->heard), 2, SIZE);
}

UNIT_TEST_BETWEEN(is_seen_by_the_owner_first, start, finish)
{
    task_sends(a, B, HANDLED);
    assert_int_equal(b->intercepted, 1);
    assert_false(task_has(b));
    outside_sends(a, 1);
    task_expect(a, OUTSIDE, 1);
    task_sends(a, B, HANDLED); /* this one waits for a look */
    assert_int_equal(b->intercepted, 2);
}

static const unsigned char *body_of(const struct message *message)
{
    assert_int_equal(message->length, LARGE);
    return message->segments[0].data;
}

/* All receivers of a multicast have one body, which is not the memory of the program. */
UNIT_TEST_BETWEEN(shares_the_body_of_a_multicast, start, finish)
{
    static char memory[LARGE];
    struct message message;
    uint32_t tids[] = {B, C, OUTSIDE, OUTSIDE + 1};
    message_init(&message, MESSAGE_IN_PLACE, MESSAGE_FRAGMENT_DEFAULT);
    message_append_memory(&message, memory, sizeof memory);
    assert_int_equal(endpoint_send_all(&a->endpoint, &message, tids, 4), 0);
    message_finish(&message);
    OWN struct message *first = talk_next(&b->endpoint);
    OWN struct message *second = talk_next(&c->endpoint);
    assert_ptr_equal(body_of(first), body_of(second));
    assert_ptr_not_equal(body_of(first), (unsigned char *)memory);
    OWN struct message *list = talk_read(&a->heard);
    assert_int_equal(list->header.tag, TM_MCA);
    OWN struct message *rest = talk_read(&a->heard);
    assert_int_equal(rest->length, LARGE);
}

/* How often the body of a message of `size` bytes is in memory, for two receivers and the sender. */
static int bodies_of(enum passing passing, size_t size)
{
    OWN struct message *message = talk_make(1, 0, size);
    uint32_t tids[] = {B, C};
    engine_set_passing(engine, passing);
    assert_int_equal(endpoint_send_all(&a->endpoint, message, tids, 2), 0);
    OWN struct message *first = talk_next(&b->endpoint);
    OWN struct message *second = talk_next(&c->endpoint);
    assert_int_equal(first->length, message->length);
    assert_int_equal(second->length, message->length);
    const unsigned char *body = message->segments[0].data;
    return 1 + (first->segments[0].data != body) + (second->segments[0].data != body);
}

UNIT_TEST_BETWEEN(is_passed_as_the_owner_says, start, finish)
{
    assert_int_equal(bodies_of(PASS_AUTO, SIZE), 3);
    assert_int_equal(bodies_of(PASS_AUTO, LARGE), 1);
    assert_int_equal(bodies_of(PASS_SHARED, SIZE), 1);
    assert_int_equal(bodies_of(PASS_SHARED, LARGE), 1);
    assert_int_equal(bodies_of(PASS_COPIED, SIZE), 3);
    assert_int_equal(bodies_of(PASS_COPIED, LARGE), 3);
}

/* A thread that waits, as the leader or behind it, is woken. ----------------------------------- */

enum { ROUNDS = 2000 };

static void answer(struct task *task, uint32_t to)
{
    const struct pattern any = {to, PATTERN_ANY, PATTERN_ANY, 0};
    for (int32_t tag = 0; tag < ROUNDS; tag++) {
        struct message *message;
        assert_int_equal(endpoint_receive(&task->endpoint, &any, NULL, &message), 0);
        talk_expect(message, tag, SIZE);
        assert_int_equal(talk_send(&task->endpoint, to, tag, SIZE), 0);
    }
}

static void *answer_first(void *argument)
{
    (void)argument;
    answer(b, A);
    return NULL;
}

static void *answer_second(void *argument)
{
    (void)argument;
    answer(c, A);
    return NULL;
}

static void *receive_one(void *argument)
{
    const struct pattern any = {PATTERN_ANY_SOURCE, PATTERN_ANY, PATTERN_ANY, 0};
    (void)argument;
    struct message *message;
    assert_int_equal(endpoint_receive(&b->endpoint, &any, NULL, &message), 0);
    talk_expect(message, 1, SIZE);
    return NULL;
}

/* A leader that sleeps after a glance has seen all: nobody has to wake it for a look. */
UNIT_TEST_BETWEEN(is_there_at_once_while_the_leader_sleeps, start, finish)
{
    pthread_t thread;
    outside_sends(a, 1);
    task_expect(a, OUTSIDE, 1);
    assert_int_not_equal(engine->handed.settled, engine->handed.arrivals);
    engine->waiting.near = true; /* as if the message had come where a glance finds it */
    pthread_create(&thread, NULL, receive_one, NULL);
    talk_await_waiting(&b->endpoint, 1);
    lock_acquire(&engine->waiting.lock);
    assert_int_equal(b->endpoint.seen, engine->handed.arrivals);
    lock_release(&engine->waiting.lock);
    task_sends(a, B, 1);
    pthread_join(thread, NULL);
}

UNIT_TEST_BETWEEN(wakes_who_waits, start, finish)
{
    const struct pattern any = {PATTERN_ANY_SOURCE, PATTERN_ANY, PATTERN_ANY, 0};
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, answer_first, NULL);
    pthread_create(&threads[1], NULL, answer_second, NULL);
    for (int32_t tag = 0; tag < ROUNDS; tag++) {
        task_sends(a, B, tag);
        task_sends(a, C, tag);
        if (tag % 10 == 0) { /* then one of them has to look, while others may be asleep */
            outside_sends(a, tag);
            lock_acquire(&engine->waiting.lock);
            b->endpoint.seen--;
            lock_release(&engine->waiting.lock);
        }
        for (int i = 0; i < 2 + (tag % 10 == 0); i++) {
            struct message *message;
            assert_int_equal(endpoint_receive(&a->endpoint, &any, NULL, &message), 0);
            talk_expect(message, tag, SIZE);
        }
    }
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
}

/* The others have ended since: the message is for nobody, and its sender goes on. */
UNIT_TEST_BETWEEN(last_one_waits_for_nobody, start, finish)
{
    struct handed *handed = &engine->handed;
    struct message *message = talk_make(1, 0, SIZE);
    message->header.source = A;
    message->header.destination = B;
    endpoint_detach(&b->endpoint);
    endpoint_detach(&c->endpoint);
    handed->first = handed->last = message;
    handed->put++;
    atomic_store(&handed->waiting, true);
    talk_look(&a->endpoint);
    assert_int_equal(handed->taken, handed->put);
}
