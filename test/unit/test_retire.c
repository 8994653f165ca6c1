/*
 * test_retire.c - a task that goes on in another process gets everything that was sent to it, in
 * order, whatever its peers are just doing; and threads that agree are called back.
 */
#include <pthread.h>
#include <unistd.h>

#include "ck/requests/request.h"

#include "neighbours.h"
#include "unit.h"

#define LONG   2000
#define SENT   100
#define TRIALS 150

#define TEST(name)     UNIT_TEST_BETWEEN(name, neighbours_start, neighbours_finish)
#define TEST_MET(name) UNIT_TEST_BETWEEN(name, neighbours_start_met, neighbours_finish)

static size_t size_of(int32_t tag)
{
    return tag % 5 == 4 ? LONG : 8;
}

static void a_sends(int32_t first, int32_t end)
{
    for (int32_t tag = first; tag < end; tag++)
        neighbour_send(&a, B, tag, size_of(tag));
}

/* What has arrived is shown in order, and nothing else is there. The tag behind the last one. */
struct expected {
    int32_t tag;
    bool in_order;
};

static void expected_see(void *context, const struct message *message, bool let_in)
{
    struct expected *expected = context;
    (void)let_in;
    expected->in_order = expected->in_order && message->header.tag == expected->tag++ &&
                         message->length == size_of(message->header.tag);
}

static int32_t b_has_from(int32_t first)
{
    struct expected expected = {first, true};
    endpoint_show_arrived(&b.endpoint, expected_see, &expected);
    assert_true(expected.in_order);
    return expected.tag;
}

/* The daemon keeps what comes for a task that has left: here it gets that after all. */
static void rest_comes_by_the_daemon(int32_t first, int32_t end)
{
    neighbour_passes_on(&a, &b); /* perhaps with the fence of a call that nobody answers */
    for (int32_t tag = first; tag < end; tag++)
        neighbour_expect(&b, A, tag, size_of(tag));
    assert_null(neighbour_arrives(&b));
}

static void b_gets(int32_t first, int32_t end)
{
    for (int32_t tag = first; tag < end; tag++)
        neighbour_expect(&b, A, tag, size_of(tag));
}

/* The ring: who ends it first. */

static void ring_is_ended(bool by_writer, uint32_t position, bool arrives)
{
    static struct ring_area area;
    struct ring_writer writer;
    memset(&area, 0, sizeof area);
    ring_writer_start(&writer, &area, 3);
    atomic_store(&area.use, RING_READ);
    ring_write_marker(&writer, (struct stamp){1, 0});
    assert_true(ring_arrives(&writer));
    ring_write_marker(&writer, (struct stamp){2, 0});
    atomic_store(&area.use, RING_LEAVING);
    if (by_writer)
        assert_true(ring_arrives(&writer));
    assert_int_equal(ring_end(&area, position), by_writer ? 5 : position);
    assert_int_equal(ring_arrives(&writer), arrives);
}

UNIT_TEST(ring_ends_where_its_writer_says_first)
{
    ring_is_ended(true, 4, true);
    ring_is_ended(true, 3, true);
}

UNIT_TEST(ring_ends_where_its_reader_says_first)
{
    ring_is_ended(false, 3, false);
    ring_is_ended(false, 4, false);
    ring_is_ended(false, 5, true);
}

/* Links. */

TEST_MET(what_was_written_comes_and_the_rest_goes_another_way)
{
    a_sends(0, SENT);
    endpoint_retire(&b.endpoint);
    a_sends(SENT, 2 * SENT);
    assert_true(endpoint_settle(&b.endpoint));
    assert_null(shm_of(&b.endpoint)->in);
    assert_int_equal(b_has_from(0), SENT);
    b_gets(0, SENT);
    rest_comes_by_the_daemon(SENT, 2 * SENT);
}

/* The sender may sleep for as long as it likes; then it finds that the ring is over. */
TEST_MET(sender_that_sleeps_is_not_waited_for)
{
    a_sends(0, SENT);
    endpoint_retire(&b.endpoint);
    assert_true(endpoint_settle(&b.endpoint));
    b_gets(0, SENT);
    a_sends(SENT, 2 * SENT);
    rest_comes_by_the_daemon(SENT, 2 * SENT);
}

TEST_MET(task_that_stays_is_sent_to_by_the_daemon)
{
    endpoint_retire(&b.endpoint);
    assert_true(endpoint_settle(&b.endpoint));
    for (int turn = 0; turn < 3; turn++) {
        a_sends(turn * SENT, (turn + 1) * SENT);
        rest_comes_by_the_daemon(turn * SENT, (turn + 1) * SENT);
        neighbour_send(&b, A, 1, LONG);
        neighbour_passes_on(&b, &a);
        neighbour_expect(&a, B, 1, LONG);
        assert_true(endpoint_settle(&b.endpoint));
    }
    assert_null(shm_of(&b.endpoint)->in);
}

/* What is in a ring behind a fence counts only when the fence has come. */
TEST(fence_on_its_way_is_waited_for)
{
    neighbour_send(&a, B, 0, size_of(0));
    neighbour_passes_on(&a, &b);
    neighbour_look(&b);
    b_gets(0, 1);
    a_sends(1, SENT);
    endpoint_retire(&b.endpoint);
    assert_false(endpoint_settle(&b.endpoint));
    assert_int_equal(b_has_from(1), 1);
    assert_int_equal(neighbour_passes_on(&a, &b), 1);
    neighbour_look(&b);
    assert_true(endpoint_settle(&b.endpoint));
    assert_int_equal(b_has_from(1), SENT);
    b_gets(1, SENT);
}

/* Nobody calls a task that is aloof, and it calls nobody. */
TEST(task_that_has_retired_has_no_links)
{
    endpoint_retire(&b.endpoint);
    for (int32_t tag = 0; tag < 20; tag++) {
        neighbour_send(&a, B, tag, size_of(tag));
        neighbour_send(&b, A, tag, size_of(tag));
        neighbour_passes_on(&a, &b);
        neighbour_passes_on(&b, &a);
        neighbour_expect(&a, B, tag, size_of(tag));
        b_gets(tag, tag + 1);
    }
    assert_null(shm_of(&b.endpoint)->in);
    assert_null(neighbour_link(&b, A));
}

/* What the peer does while the sender is amid writing to the ring, in a thread of its own. */
static void *(*before_writing)(void *), *(*behind_writing)(void *);

static void happens(void *(**what)(void *))
{
    pthread_t thread;
    void *(*now)(void *) = *what;
    *what = NULL;
    if (!now)
        return;
    assert_int_equal(pthread_create(&thread, NULL, now, NULL), 0);
    pthread_join(thread, NULL);
}

/* The names are the linker's (local.mk). */
void __real_ring_write_short(struct ring_writer *writer, struct stamp stamp,
                             const struct host_header *header, const void *body, size_t size);
void __wrap_ring_write_short(struct ring_writer *writer, struct stamp stamp,
                             const struct host_header *header, const void *body, size_t size);
void __real_ring_write_long(struct ring_writer *writer, struct stamp stamp,
                            const struct host_header *header, uint32_t cookie,
                            const struct ring_extent *extents, unsigned count);
void __wrap_ring_write_long(struct ring_writer *writer, struct stamp stamp,
                            const struct host_header *header, uint32_t cookie,
                            const struct ring_extent *extents, unsigned count);

void __wrap_ring_write_short(struct ring_writer *writer, struct stamp stamp,
                             const struct host_header *header, const void *body, size_t size)
{
    happens(&before_writing);
    __real_ring_write_short(writer, stamp, header, body, size);
    happens(&behind_writing);
}

void __wrap_ring_write_long(struct ring_writer *writer, struct stamp stamp,
                            const struct host_header *header, uint32_t cookie,
                            const struct ring_extent *extents, unsigned count)
{
    happens(&before_writing);
    __real_ring_write_long(writer, stamp, header, cookie, extents, count);
    happens(&behind_writing);
}

static void *b_retires(void *argument)
{
    endpoint_retire(&b.endpoint);
    return argument;
}

static void *b_retires_and_settles(void *argument)
{
    endpoint_retire(&b.endpoint);
    assert_true(endpoint_settle(&b.endpoint));
    return argument;
}

/* While the message `tag` is being written. */
struct leaving {
    void *(**when)(void *);
    void *(*what)(void *);
    bool counts; /* the message comes by the ring still */
};

static void b_leaves_amid(const struct leaving *leaving, int32_t tag)
{
    const int32_t taken = tag + leaving->counts;
    a_sends(0, tag);
    *leaving->when = leaving->what;
    neighbour_send(&a, B, tag, size_of(tag));
    assert_true(endpoint_settle(&b.endpoint));
    assert_int_equal(b_has_from(0), taken);
    a_sends(tag + 1, SENT);
    b_gets(0, taken);
    rest_comes_by_the_daemon(taken, SENT);
}

UNIT_TEST(message_that_is_being_written_comes_once)
{
    static const struct leaving leavings[] = {{&before_writing, b_retires, true},
                                              {&before_writing, b_retires_and_settles, false},
                                              {&behind_writing, b_retires, true},
                                              {&behind_writing, b_retires_and_settles, true}};
    for (size_t i = 0; i < COUNT_OF(leavings); i++)
        for (int32_t tag = 3; tag < 5; tag++) { /* the second one is long */
            assert_int_equal(neighbours_start_met(NULL), 0);
            b_leaves_amid(&leavings[i], tag);
            assert_int_equal(neighbours_finish(NULL), 0);
        }
}

static atomic_int sent_so_far;

static void *a_keeps_sending(void *argument)
{
    for (int32_t tag = 0; tag < SENT; tag++) {
        neighbour_send(&a, B, tag, size_of(tag));
        atomic_store(&sent_so_far, tag + 1);
    }
    return argument;
}

/* The sender goes on while its peer retires and ends the ring, at each moment. */
static void b_retires_amid(int32_t moment)
{
    pthread_t sender;
    atomic_store(&sent_so_far, 0);
    assert_int_equal(pthread_create(&sender, NULL, a_keeps_sending, NULL), 0);
    while (atomic_load(&sent_so_far) < moment)
        sched_yield();
    endpoint_retire(&b.endpoint);
    while (!endpoint_settle(&b.endpoint)) /* a fence may have to come */
        sched_yield();
    pthread_join(sender, NULL);
    int32_t taken = b_has_from(0);
    b_gets(0, taken);
    rest_comes_by_the_daemon(taken, SENT);
}

UNIT_TEST(nothing_is_lost_while_a_peer_keeps_sending)
{
    for (int32_t trial = 0; trial < TRIALS; trial++) {
        assert_int_equal(neighbours_start_met(NULL), 0);
        b_retires_amid(trial % SENT);
        assert_int_equal(neighbours_finish(NULL), 0);
    }
}

/* Threads that are called back. */

static _Atomic unsigned recallable;

static unsigned may_recall(void *owner)
{
    (void)owner;
    return atomic_load(&recallable);
}

static const struct pattern any = {
    .source = PATTERN_ANY_SOURCE, .tag = PATTERN_ANY, .context = PATTERN_ANY};

static void *b_receives(void *argument)
{
    struct message *message;
    int result = endpoint_receive(&b.endpoint, &any, NULL, &message);
    (void)argument;
    message_free(result == 0 ? message : NULL);
    return (void *)(intptr_t)result;
}

/* The result of a thread that waits in a receive while it is called back. */
static int b_is_called_back(void)
{
    pthread_t receiver;
    void *result;
    assert_int_equal(pthread_create(&receiver, NULL, b_receives, NULL), 0);
    talk_await_waiting(&b.endpoint, 1);
    endpoint_recall(&b.endpoint, RECALL_RECEIVES, true);
    if (!atomic_load(&recallable)) { /* it waits on, for this */
        neighbour_send(&a, B, 7, 8);
        neighbour_passes_on(&a, &b);
    }
    pthread_join(receiver, &result);
    return (int)(intptr_t)result;
}

TEST(receive_that_agrees_is_called_back)
{
    b.endpoint.owner.recallable = may_recall;
    atomic_store(&recallable, RECALL_RECEIVES);
    assert_int_equal(b_is_called_back(), CK_RECALLED);
    assert_int_equal((intptr_t)b_receives(NULL), CK_RECALLED);
    neighbour_send(&a, B, 7, 8); /* what is there is received all the same */
    neighbour_passes_on(&a, &b);
    atomic_store(&recallable, 0);
    neighbour_look(&b);
    atomic_store(&recallable, RECALL_RECEIVES);
    assert_int_equal((intptr_t)b_receives(NULL), 0);
    endpoint_recall(&b.endpoint, RECALL_RECEIVES, false);
}

TEST(receive_that_does_not_agree_waits_on)
{
    b.endpoint.owner.recallable = may_recall;
    atomic_store(&recallable, 0);
    assert_int_equal(b_is_called_back(), 0);
}

static void *b_waits(void *argument)
{
    return (void *)(intptr_t)request_wait(argument, NULL);
}

/* What was posted stays posted, and a later wait may end with it. */
TEST(wait_for_what_is_posted_is_called_back_for_this_alone)
{
    struct request *request;
    void *done;
    pthread_t waiter;
    b.endpoint.owner.recallable = may_recall;
    atomic_store(&recallable, RECALL_RECEIVES | RECALL_WAITS);
    assert_int_equal(request_post_receive(&b.endpoint, &any, NULL, 0, &request), 0);
    assert_int_equal(pthread_create(&waiter, NULL, b_waits, request), 0);
    talk_await_waiting(&b.endpoint, 1);
    endpoint_recall(&b.endpoint, RECALL_RECEIVES, true);
    talk_await_waiting(&b.endpoint, 1);
    endpoint_recall(&b.endpoint, RECALL_WAITS, true);
    pthread_join(waiter, &done);
    assert_false((bool)(intptr_t)done);
    assert_false(request_wait(request, NULL));
    endpoint_recall(&b.endpoint, RECALL_WAITS, false);
    neighbour_send(&a, B, 7, 8);
    neighbour_passes_on(&a, &b);
    assert_true(request_wait(request, NULL));
    talk_expect(request_take(request), 7, 8);
    request_free(request);
    endpoint_recall(&b.endpoint, RECALL_RECEIVES, false);
}
