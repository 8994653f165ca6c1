/*
 * test_request.c - receives, sends and calls that are posted, and what becomes of them: with a peer
 * at the other end of a socket, between neighbours that share memory, and over direct routes.
 *
 * Threads are observed until they wait; no step rests on time.
 */
#include "ck/requests/request.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/tid.h"

#include "neighbours.h"
#include "quiet_owner.h"
#include "shortage.h"
#include "stage.h"
#include "unit.h"

#define SELF    0x40001u
#define PEER    0x40002u
#define BYTES   10
#define MARKED  77 /* the wait id of a message whose sender waits for a receipt */
#define RECEIPT 99

static const struct timespec past = {0, 1};
static struct endpoint endpoint;
static int peer;
static struct talk_reader heard;

/* The dialect of 3.4.6 with other receipts, and without any. */
static struct dialect with_receipts;
static struct dialect without_receipts;

static struct message *make_receipt(const struct message *message)
{
    return message->header.tag == RECEIPT ? NULL : talk_make(RECEIPT, 0, 0);
}

static int begin(const struct dialect *dialect)
{
    struct endpoint_owner owner = quiet_owner(NULL);
    owner.dialect = dialect;
    if (talk_begin(&endpoint, &owner) < 0)
        return -1;
    peer = talk_attach(&endpoint);
    if (peer < 0) {
        talk_end(&endpoint);
        return -1;
    }
    endpoint_open(&endpoint, SELF, 0);
    talk_reader_start(&heard, peer);
    return 0;
}

UNIT_STEP(start)
{
    without_receipts = dialect_3_4_6;
    without_receipts.receipt = NULL;
    return begin(&without_receipts);
}

UNIT_STEP(start_with_receipts)
{
    with_receipts = dialect_3_4_6;
    with_receipts.receipt = make_receipt;
    return begin(&with_receipts);
}

UNIT_STEP(finish)
{
    talk_end(&endpoint);
    talk_reader_finish(&heard);
    close(peer);
    return 0;
}

/* Steps ---------------------------------------------------------------------------------------- */

static void peer_writes(int32_t tag, int32_t wait)
{
    OWN struct message *message = talk_make(tag, wait, BYTES);
    talk_write(peer, message, SELF, PEER);
}

static void peer_sends(int32_t tag)
{
    peer_writes(tag, 0);
}

static void peer_reads(int32_t tag, int32_t wait, size_t size)
{
    struct message *message = talk_read(&heard);
    assert_int_equal(message->header.wait, wait);
    talk_expect(message, tag, size);
}

static struct request *post(int32_t tag)
{
    const struct pattern pattern = {PATTERN_ANY_SOURCE, tag, PATTERN_ANY, 0};
    struct request *request = NULL;
    assert_int_equal(request_post_receive(&endpoint, &pattern, NULL, 0, &request), 0);
    return request;
}

static struct request *post_send(const struct message *message, uint32_t destination)
{
    struct request *request = NULL;
    const struct parcel parcel = {message, destination};
    assert_int_equal(request_post_send(&endpoint, &parcel, &request), 0);
    return request;
}

static struct request *post_call(const struct message *message, int32_t wait)
{
    struct request *request = NULL;
    const struct parcel parcel = {message, PEER};
    const struct pattern answer = {PEER, PATTERN_ANY, PATTERN_ANY, wait};
    assert_int_equal(request_post_call(&endpoint, &parcel, true, &answer, &request), 0);
    return request;
}

/* The request has got its message, which is the next thing that happens to it. */
static void expect_message(struct request *request, int32_t tag)
{
    assert_int_equal(request_result(request), 0);
    talk_expect(request_take(request), tag, BYTES);
    assert_null(request_take(request));
    request_free(request);
}

static void expect_result(struct request *request, int result)
{
    assert_true(request_test(request));
    assert_int_equal(request_result(request), result);
    request_free(request);
}

/* What is in the inbox, or comes there by this look. */
static void expect_poll(int32_t tag, int32_t found)
{
    const struct pattern pattern = {PATTERN_ANY_SOURCE, tag, PATTERN_ANY, 0};
    OWN struct message *message = NULL;
    assert_int_equal(endpoint_poll(&endpoint, &pattern, &message), 0);
    assert_int_equal(message ? message->header.tag : 0, found);
}

/* Threads -------------------------------------------------------------------------------------- */

struct actor {
    pthread_t thread;
    struct request *requests[4];
    int count;
    int result;
};

static struct actor one;

static void act(void *(*what)(void *argument))
{
    one.result = 1000;
    assert_int_equal(pthread_create(&one.thread, NULL, what, &one), 0);
}

static void join(int result)
{
    assert_int_equal(pthread_join(one.thread, NULL), 0);
    assert_int_equal(one.result, result);
}

static void *wait_for_one(void *argument)
{
    struct actor *actor = argument;
    actor->result = request_wait(actor->requests[0], NULL);
    return NULL;
}

static void *wait_for_all(void *argument)
{
    struct actor *actor = argument;
    actor->result = request_wait_all(actor->requests, actor->count, NULL);
    return NULL;
}

static void *wait_for_any(void *argument)
{
    struct actor *actor = argument;
    actor->result = request_wait_any(actor->requests, actor->count, NULL);
    return NULL;
}

static void *cancel_one(void *argument)
{
    struct actor *actor = argument;
    actor->result = request_cancel(actor->requests[0]);
    return NULL;
}

/* Returns when the thread sleeps. */
static void act_until_asleep(void *(*what)(void *argument))
{
    act(what);
    talk_await_waiting(&endpoint, 1);
}

#define TEST(name)      UNIT_TEST_BETWEEN(name, start, finish)
#define RECEIPTS(name)  UNIT_TEST_BETWEEN(name, start_with_receipts, finish)
#define NEIGHBOUR(name) UNIT_TEST_BETWEEN(name, neighbours_start_met, neighbours_finish)
#define ROUTE(name)     UNIT_TEST_BETWEEN(name, stage_start, stage_finish)

/* Receives ------------------------------------------------------------------------------------- */

TEST(receive_is_done_when_its_message_is_there)
{
    struct request *request = post(1);
    assert_false(request_test(request));
    peer_sends(2);
    assert_false(request_test(request));
    peer_sends(1);
    assert_true(request_test(request));
    assert_true(request_test(request));
    assert_true(request_wait(request, &past));
    expect_message(request, 1);
    expect_poll(2, 2);
}

TEST(message_is_taken_with_the_last_of_its_request)
{
    struct request *request = post(1);
    peer_sends(1);
    assert_true(request_wait(request, NULL));
    talk_expect(request_take_last(request), 1, BYTES);
}

TEST(message_that_was_there_is_got_at_once)
{
    peer_sends(1);
    peer_sends(2);
    expect_poll(2, 0); /* lets in the first */
    expect_message(post(2), 2);
    expect_message(post(1), 1);
}

TEST(receives_are_served_in_the_order_of_posting)
{
    struct request *first = post(PATTERN_ANY);
    struct request *second = post(2);
    struct request *third = post(PATTERN_ANY);
    for (int32_t tag = 2; tag <= 4; tag++)
        peer_sends(tag);
    assert_true(request_wait(first, NULL));
    assert_false(request_test(second));
    assert_true(request_test(third));
    expect_message(first, 2);
    expect_message(third, 3);
    peer_sends(2);
    assert_true(request_wait(second, NULL));
    expect_message(second, 2);
    expect_poll(PATTERN_ANY, 4);
}

TEST(time_that_is_up_leaves_the_receive_posted)
{
    struct request *request = post(1);
    assert_false(request_wait(request, &past));
    assert_false(request_wait(request, &past));
    one.requests[0] = request;
    act_until_asleep(wait_for_one);
    peer_sends(1);
    join(true);
    expect_message(request, 1);
}

TEST(all_are_waited_for)
{
    one = (struct actor){.requests = {post(1), NULL, post(2), post(3)}, .count = 4};
    assert_false(request_wait_all(one.requests, one.count, &past));
    act_until_asleep(wait_for_all);
    for (int32_t tag = 3; tag >= 1; tag--)
        peer_sends(tag);
    join(true);
    expect_message(one.requests[0], 1);
    expect_message(one.requests[2], 2);
    expect_message(one.requests[3], 3);
}

TEST(any_is_waited_for)
{
    one = (struct actor){.requests = {post(1), NULL, post(2), post(3)}, .count = 4};
    assert_int_equal(request_wait_any(one.requests, one.count, &past), CK_NOT_FOUND);
    act_until_asleep(wait_for_any);
    peer_sends(2);
    join(2);
    expect_message(one.requests[2], 2);
    one.requests[2] = NULL;
    peer_sends(3);
    peer_sends(1);
    expect_poll(4, 0); /* both are there now */
    assert_int_equal(request_wait_any(one.requests, one.count, NULL), 0);
    expect_message(one.requests[0], 1);
    one.requests[0] = NULL;
    assert_int_equal(request_wait_any(one.requests, one.count, NULL), 3);
    expect_message(one.requests[3], 3);
    one.requests[3] = NULL;
    assert_int_equal(request_wait_any(one.requests, one.count, NULL), CK_NOT_FOUND);
}

TEST(receive_that_was_waited_for_with_others_is_waited_for_alone)
{
    one = (struct actor){.requests = {post(1), post(2)}, .count = 2};
    act_until_asleep(wait_for_any);
    peer_sends(2);
    join(1);
    expect_message(one.requests[1], 2);
    act_until_asleep(wait_for_one);
    peer_sends(1);
    join(true);
    expect_message(one.requests[0], 1);
}

/* Probing -------------------------------------------------------------------------------------- */

static const struct pattern any = {PATTERN_ANY_SOURCE, PATTERN_ANY, PATTERN_ANY, 0};

static struct message *claim(int32_t tag)
{
    struct message *message = NULL;
    assert_int_equal(endpoint_claim(&endpoint, &any, &message), 0);
    assert_non_null(message);
    assert_int_equal(message->header.tag, tag);
    return message;
}

TEST(claimed_message_keeps_its_place)
{
    for (int32_t tag = 1; tag <= 3; tag++)
        peer_sends(tag);
    struct message *first = claim(1);
    struct message *second = claim(2);
    endpoint_give_back(&endpoint, second);
    endpoint_give_back(&endpoint, first);
    for (int32_t tag = 1; tag <= 3; tag++)
        expect_poll(PATTERN_ANY, tag);
}

TEST(message_that_is_given_back_goes_to_whoever_waits)
{
    peer_sends(1);
    struct message *message = claim(1);
    one.requests[0] = post(1);
    act_until_asleep(wait_for_one);
    endpoint_give_back(&endpoint, message);
    join(true);
    expect_message(one.requests[0], 1);
}

/* Each thread takes what it has probed, or gives it back; every message is got once. */
#define PROBED 400
static atomic_int got[PROBED + 1];
static atomic_int left;

static void *probe_and_take(void *argument)
{
    for (int turn = 0; atomic_load(&left) > 0; turn++) {
        struct message *message = NULL;
        assert_int_equal(endpoint_claim(&endpoint, &any, &message), 0);
        if (message && turn % 3 == 0) {
            endpoint_give_back(&endpoint, message);
        } else if (message) {
            atomic_fetch_add(&got[message->header.tag], 1);
            atomic_fetch_sub(&left, 1);
            message_free(message);
        }
        if (!message)
            sched_yield();
    }
    return argument;
}

TEST(two_threads_that_probe_do_not_take_each_others_messages)
{
    pthread_t second;
    memset(got, 0, sizeof got);
    atomic_store(&left, PROBED);
    assert_int_equal(pthread_create(&second, NULL, probe_and_take, NULL), 0);
    act(probe_and_take);
    for (int32_t tag = 1; tag <= PROBED; tag++)
        peer_sends(tag);
    join(1000);
    assert_int_equal(pthread_join(second, NULL), 0);
    for (int tag = 1; tag <= PROBED; tag++)
        assert_int_equal(got[tag], 1);
}

/* Cancelling ----------------------------------------------------------------------------------- */

TEST(cancelled_receive_leaves_its_message_to_others)
{
    struct request *request = post(1);
    assert_true(request_cancel(request));
    assert_false(request_cancel(request));
    peer_sends(1);
    expect_result(request, CK_CANCELLED);
    expect_poll(1, 1);
}

TEST(receive_that_is_done_is_not_cancelled)
{
    struct request *request = post(1);
    peer_sends(1);
    assert_true(request_wait(request, NULL));
    assert_false(request_cancel(request));
    expect_message(request, 1);
}

TEST(thread_that_waits_is_told_of_the_cancel)
{
    one = (struct actor){.requests = {post(1)}, .count = 1};
    act_until_asleep(wait_for_one);
    assert_true(request_cancel(one.requests[0]));
    join(true);
    expect_result(one.requests[0], CK_CANCELLED);
    one = (struct actor){.requests = {post(1), post(2)}, .count = 2};
    act_until_asleep(wait_for_any);
    assert_true(request_cancel(one.requests[1]));
    join(1);
    expect_result(one.requests[1], CK_CANCELLED);
    peer_sends(1);
    assert_true(request_wait(one.requests[0], NULL));
    expect_message(one.requests[0], 1);
}

TEST(cancel_meets_an_arrival)
{
    for (int round = 0; round < 200; round++) {
        struct request *request = one.requests[0] = post(1);
        act(cancel_one);
        peer_sends(1);
        request_wait(request, NULL);
        assert_int_equal(pthread_join(one.thread, NULL), 0);
        if (one.result) {
            expect_result(request, CK_CANCELLED);
            request = post(1);
            assert_true(request_wait(request, NULL));
            expect_message(request, 1);
        } else {
            expect_message(request, 1);
        }
    }
}

TEST(freed_receive_gives_its_message_back)
{
    struct request *request = post(1);
    struct request *waiting = post(2);
    peer_sends(1);
    peer_sends(3);
    assert_true(request_wait(request, NULL));
    assert_false(request_test(waiting)); /* takes in the third */
    request_free(request);
    request_free(waiting);
    request_free(NULL);
    expect_poll(PATTERN_ANY, 1);
    expect_poll(PATTERN_ANY, 3);
}

/* Interrupts ----------------------------------------------------------------------------------- */

TEST(stopped_wait_goes_on_with_its_receive)
{
    one.requests[0] = post(1);
    act_until_asleep(wait_for_one);
    assert_int_equal(endpoint_interrupt(&endpoint), 0);
    peer_sends(1);
    struct request *later = post(2);
    peer_sends(2);
    assert_true(request_wait(later, NULL)); /* so the first has come as well */
    expect_message(later, 2);
    assert_false(request_test(one.requests[0]));
    assert_int_equal(endpoint_resume(&endpoint), 0);
    join(true);
    expect_message(one.requests[0], 1);
}

TEST(stopped_receive_can_be_cancelled)
{
    one.requests[0] = post(1);
    act_until_asleep(wait_for_one);
    assert_int_equal(endpoint_interrupt(&endpoint), 0);
    assert_true(request_cancel(one.requests[0]));
    struct request *later = post(2);
    peer_sends(1);
    peer_sends(2);
    assert_true(request_wait(later, NULL)); /* so the first has come as well */
    expect_message(later, 2);
    assert_int_equal(endpoint_resume(&endpoint), 0);
    join(true);
    expect_result(one.requests[0], CK_CANCELLED);
    expect_poll(1, 1);
}

/* A signal handler leaves the wait. */
static sigjmp_buf out_of_wait;

static void leap(int number)
{
    siglongjmp(out_of_wait, number);
}

static void *leave_wait(void *argument)
{
    struct actor *actor = argument;
    if (sigsetjmp(out_of_wait, 1) == 0) {
        if (actor->count > 1)
            request_wait_any(actor->requests, actor->count, NULL);
        else
            request_wait(actor->requests[0], NULL);
    } else {
        actor->result = request_test(actor->requests[0]);
    }
    return NULL;
}

static void leave_by_signal(int count)
{
    const struct sigaction action = {.sa_handler = leap};
    assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
    one = (struct actor){.requests = {post(1), post(2)}, .count = count};
    act_until_asleep(leave_wait);
    assert_int_equal(pthread_kill(one.thread, SIGUSR1), 0);
    join(false);
    peer_sends(1);
    peer_sends(2);
    assert_true(request_wait(one.requests[1], NULL));
    assert_true(request_test(one.requests[0]));
    expect_message(one.requests[0], 1);
    expect_message(one.requests[1], 2);
}

TEST(wait_that_is_left_by_a_jump_leaves_the_request_posted)
{
    leave_by_signal(1);
    leave_by_signal(2);
}

/* Sends ---------------------------------------------------------------------------------------- */

TEST(send_is_done_when_the_system_has_it)
{
    OWN struct message *message = talk_make(1, 0, BYTES);
    expect_result(post_send(message, PEER), 0);
    peer_reads(1, 0, BYTES);
}

TEST(large_send_goes_on_while_others_are_waited_for)
{
    struct message *message = talk_make(1, 0, TALK_LARGE);
    struct request *request = post_send(message, PEER);
    assert_false(request_test(request));
    one = (struct actor){.requests = {post(2), request}, .count = 2};
    act_until_asleep(wait_for_any);
    peer_reads(1, 0, TALK_LARGE);
    join(1);
    expect_result(request, 0);
    message_free(message);
    peer_sends(2);
    assert_true(request_wait(one.requests[0], NULL));
    expect_message(one.requests[0], 2);
}

TEST(posted_sends_stay_in_order)
{
    struct message *messages[4];
    struct request *requests[3];
    for (int i = 0; i < 4; i++)
        messages[i] = talk_make(i + 1, 0, i == 0 ? TALK_LARGE : BYTES);
    for (int i = 0; i < 3; i++)
        requests[i] = post_send(messages[i], i == 1 ? PEER + 1 : PEER);
    memcpy(one.requests, requests, sizeof requests);
    one.count = 3;
    act_until_asleep(wait_for_all);
    for (int i = 0; i < 3; i++)
        peer_reads(i + 1, 0, i == 0 ? TALK_LARGE : BYTES);
    join(true);
    for (int i = 0; i < 3; i++)
        expect_result(requests[i], 0);
    for (int i = 0; i < 4; i++)
        message_free(messages[i]);
}

TEST(send_that_has_begun_is_not_cancelled)
{
    OWN struct message *large = talk_make(1, 0, TALK_LARGE);
    OWN struct message *message = talk_make(2, 0, BYTES);
    struct request *begun = post_send(large, PEER);
    struct request *queued = post_send(message, PEER);
    struct request *last = post_send(message, PEER);
    struct request *freed = post_send(message, PEER);
    assert_false(request_cancel(begun));
    assert_true(request_cancel(queued));
    assert_true(request_cancel(last) && !request_cancel(last));
    request_free(freed);
    expect_result(queued, CK_CANCELLED);
    expect_result(last, CK_CANCELLED);
    last = post_send(message, PEER);
    one = (struct actor){.requests = {begun, last}, .count = 2};
    act_until_asleep(wait_for_all);
    peer_reads(1, 0, TALK_LARGE);
    peer_reads(2, 0, BYTES);
    join(true);
    expect_result(begun, 0);
    expect_result(last, 0);
    assert_true(talk_is_silent(&heard));
}

static void *free_one(void *argument)
{
    struct actor *actor = argument;
    request_free(actor->requests[0]);
    return NULL;
}

TEST(send_that_is_done_at_once_leaves_no_request)
{
    OWN struct message *message = talk_make(1, 0, BYTES);
    OWN struct message *large = talk_make(2, 0, TALK_LARGE);
    const struct parcel small_parcel = {message, PEER}, large_parcel = {large, PEER};
    assert_int_equal(request_try_send(&endpoint, &small_parcel, &one.requests[0]), 0);
    assert_null(one.requests[0]);
    assert_int_equal(request_try_send(&endpoint, &large_parcel, &one.requests[0]), 0);
    assert_non_null(one.requests[0]);
    act_until_asleep(wait_for_one);
    peer_reads(1, 0, BYTES);
    peer_reads(2, 0, TALK_LARGE);
    join(true);
    expect_result(one.requests[0], 0);
}

TEST(freed_send_goes_out)
{
    OWN struct message *large = talk_make(1, 0, TALK_LARGE);
    one.requests[0] = post_send(large, PEER);
    act_until_asleep(free_one);
    peer_reads(1, 0, TALK_LARGE);
    join(1000);
}

TEST(send_to_oneself_is_done_at_once)
{
    struct request *receive = post(1);
    struct message *message = talk_make(1, 0, BYTES);
    expect_result(post_send(message, SELF), 0);
    message_free(message);
    assert_true(request_test(receive));
    expect_message(receive, 1);
}

/* Calls ---------------------------------------------------------------------------------------- */

TEST(call_gets_its_answer)
{
    struct message *message = talk_make(1, 5, BYTES);
    struct request *call = post_call(message, 5);
    message_free(message);
    peer_reads(1, 5, BYTES);
    peer_writes(2, 4);
    assert_false(request_test(call));
    one.requests[0] = call;
    act_until_asleep(wait_for_one);
    peer_writes(3, 5);
    join(true);
    expect_message(call, 3);
}

TEST(call_is_done_when_it_is_out)
{
    struct message *message = talk_make(1, 5, TALK_LARGE);
    struct request *call = post_call(message, 5);
    peer_writes(3, 5);
    assert_false(request_test(call)); /* takes in the answer */
    assert_false(request_cancel(call));
    one = (struct actor){.requests = {post(9), call}, .count = 2};
    act_until_asleep(wait_for_any);
    peer_reads(1, 5, TALK_LARGE);
    join(1);
    message_free(message);
    expect_message(call, 3);
    assert_true(request_cancel(one.requests[0]));
    request_free(one.requests[0]);
}

TEST(cancelled_call_awaits_no_answer)
{
    struct message *message = talk_make(1, 5, BYTES);
    struct request *call = post_call(message, 5);
    message_free(message);
    peer_reads(1, 5, BYTES);
    assert_true(request_cancel(call));
    expect_result(call, CK_CANCELLED);
    peer_writes(3, 5);
    expect_poll(3, 3);
}

TEST(call_to_a_peer_that_is_over_fails)
{
    OWN struct message *message = talk_make(1, 5, BYTES);
    const struct parcel parcel = {message, PEER};
    const struct pattern answer = {PEER, PATTERN_ANY, PATTERN_ANY, 5};
    struct request *call = post_call(message, 5);
    endpoint_give_up(&endpoint, PEER);
    expect_result(call, CK_PEER_OVER);
    assert_int_equal(request_post_call(&endpoint, &parcel, true, &answer, &call), CK_PEER_OVER);
}

/* Receipts ------------------------------------------------------------------------------------- */

static struct request *post_synchronous(struct message *message, int result)
{
    struct request *request = NULL;
    const struct parcel parcel = {message, PEER};
    assert_int_equal(request_post_synchronous(&endpoint, &parcel, &request), result);
    return request;
}

RECEIPTS(synchronous_send_is_done_when_it_is_received)
{
    struct message *message = talk_make(1, MARKED, BYTES);
    struct request *request = post_synchronous(message, 0);
    message_free(message);
    peer_reads(1, MARKED, BYTES);
    assert_false(request_test(request));
    peer_writes(RECEIPT, MARKED);
    expect_result(request, 0);
    expect_poll(PATTERN_ANY, 0); /* the receipt is for nobody else */
}

TEST(dialect_without_receipts_has_no_synchronous_sends)
{
    struct message *message = talk_make(1, MARKED, BYTES);
    post_synchronous(message, CK_NOT_FOUND);
    message_free(message);
    peer_writes(1, MARKED);
    expect_poll(1, 1);
    assert_true(talk_is_silent(&heard));
}

RECEIPTS(every_way_to_receive_makes_a_receipt)
{
    const struct pattern pattern = {PATTERN_ANY_SOURCE, 1, PATTERN_ANY, 0};
    struct message *message;
    peer_writes(1, MARKED);
    expect_poll(1, 1);
    peer_reads(RECEIPT, MARKED, 0);
    peer_writes(1, MARKED + 1);
    assert_int_equal(endpoint_receive(&endpoint, &pattern, NULL, &message), 0);
    talk_expect(message, 1, BYTES);
    peer_reads(RECEIPT, MARKED + 1, 0);
    struct request *request = post(1);
    peer_writes(1, MARKED + 2);
    assert_true(request_wait(request, NULL));
    assert_true(talk_is_silent(&heard));
    expect_message(request, 1);
    peer_reads(RECEIPT, MARKED + 2, 0);
    peer_sends(1);
    expect_poll(1, 1); /* nobody waits for a receipt of that */
    assert_true(talk_is_silent(&heard));
}

RECEIPTS(claimed_message_is_received_when_it_is_accepted)
{
    peer_writes(1, MARKED);
    endpoint_give_back(&endpoint, claim(1));
    struct message *message = claim(1);
    assert_true(talk_is_silent(&heard));
    endpoint_accept(&endpoint, message);
    message_free(message);
    peer_reads(RECEIPT, MARKED, 0);
}

/* Of what has come before, and of what comes while a thread waits for something else. */
RECEIPTS(accepting_receive_makes_its_receipt_when_the_message_comes)
{
    struct request *early = NULL, *late = NULL;
    peer_writes(1, MARKED);
    expect_poll(2, 0); /* it is let in */
    assert_int_equal(request_post_accepting(&endpoint, &any, NULL, 0, &early), 0);
    peer_reads(RECEIPT, MARKED, 0);
    assert_int_equal(request_post_accepting(&endpoint, &any, NULL, 0, &late), 0);
    peer_writes(1, MARKED + 1);
    expect_poll(2, 0);
    peer_reads(RECEIPT, MARKED + 1, 0);
    expect_message(early, 1);
    expect_message(late, 1);
    assert_true(talk_is_silent(&heard));
}

/* Ends ----------------------------------------------------------------------------------------- */

TEST(loss_of_the_peer_fails_all)
{
    OWN struct message *large = talk_make(1, 5, TALK_LARGE);
    struct request *receive = post(1);
    struct request *send_large = post_send(large, PEER);
    struct request *call = post_call(large, 5);
    one = (struct actor){.requests = {post(2)}, .count = 1};
    act_until_asleep(wait_for_one);
    shutdown(peer, SHUT_RDWR);
    join(true);
    expect_result(one.requests[0], CK_LOST);
    expect_result(receive, CK_LOST);
    expect_result(send_large, CK_LOST);
    expect_result(call, CK_LOST);
    const struct parcel parcel = {large, PEER};
    assert_int_equal(request_post_receive(&endpoint, &any, NULL, 0, &receive), CK_LOST);
    assert_int_equal(request_post_send(&endpoint, &parcel, &receive), CK_LOST);
}

TEST(detached_endpoint_keeps_what_a_request_has_got)
{
    struct request *first = post(1);
    struct request *second = post(2);
    peer_sends(1);
    assert_true(request_wait(first, NULL));
    endpoint_detach(&endpoint);
    expect_result(second, CK_LOST);
    expect_message(first, 1);
}

TEST(steady_state_allocates_nothing)
{
    unsigned long before = 0;
    struct message *message = talk_make(1, 0, BYTES);
    for (int turn = 0; turn < 20; turn++) {
        struct request *requests[2] = {post(2), post(1)};
        request_free(post_send(message, PEER));
        request_free(post_send(message, SELF));
        assert_int_equal(request_wait_any(requests, 2, NULL), 1);
        assert_int_equal(request_wait_any(requests, 1, &past), CK_NOT_FOUND);
        message_free(request_take(requests[1]));
        request_free(requests[0]);
        request_free(requests[1]);
        if (turn == 9)
            before = shortage_allocations();
    }
    message_free(message);
    unsigned long after = shortage_allocations();
    assert_true(before > 0);
    assert_int_equal(after, before);
    for (int turn = 0; turn < 20; turn++)
        peer_reads(1, 0, BYTES);
}

static void shortage_scenario(void)
{
    static char body[BYTES];
    struct message message;
    struct request *request = NULL;
    if (begin(&dialect_3_4_6) < 0) {
        assert_true(shortage_was_met());
        return;
    }
    message_init(&message, MESSAGE_IN_PLACE, MESSAGE_FRAGMENT_DEFAULT);
    int built = message_append_memory(&message, body, sizeof body);
    const struct parcel parcel = {&message, PEER};
    int result = built < 0 ? CK_NO_MEMORY : request_post_send(&endpoint, &parcel, &request);
    if (result == 0)
        expect_result(request, 0);
    int next = request_post_receive(&endpoint, &any, NULL, 0, &request);
    if (next == 0) {
        int found = request_wait_any(&request, 1, &past);
        if (found == 0) /* a look found no memory, which costs the connection */
            next = request_result(request);
        else if (found != CK_NOT_FOUND)
            next = found;
        request_free(request);
    }
    assert_true((result == CK_NO_MEMORY || next == CK_NO_MEMORY) == shortage_was_met());
    message_finish(&message);
    finish(NULL);
}

UNIT_TEST(shortage_is_told)
{
    shortage_try_each(shortage_scenario, 3);
}

/* Shared memory -------------------------------------------------------------------------------- */

#define ROOM (2 * ONE_COPY_FROM)

static unsigned char memory[ROOM], source[ROOM];

static void put_in_place(int32_t tag)
{
    struct message message;
    message_init(&message, MESSAGE_IN_PLACE, MESSAGE_FRAGMENT_DEFAULT);
    message.header.tag = tag;
    memset(source, tag, sizeof source);
    assert_int_equal(message_append_memory(&message, source, sizeof source), 0);
    const struct parcel parcel = {&message, B};
    assert_int_equal(endpoint_send(&a.endpoint, &parcel, true), 0);
    message_finish(&message);
    memset(source, 0, sizeof source);
}

static struct request *post_at_b(int32_t tag)
{
    const struct pattern pattern = {A, tag, PATTERN_ANY, 0};
    struct request *request = NULL;
    memset(memory, 0, sizeof memory);
    assert_int_equal(request_post_receive(&b.endpoint, &pattern, memory, sizeof memory, &request),
                     0);
    return request;
}

/* Has the message its body at `where`, and are all bytes those of the tag? */
static void expect_body(struct message *message, int32_t tag, bool straight)
{
    unsigned char bytes[1000];
    struct cursor cursor = {0, 0};
    unsigned char *data;
    size_t length, total = 0;
    assert_non_null(message);
    assert_int_equal(message_is_at(message, memory), straight);
    memset(bytes, tag, sizeof bytes);
    while (message_next_fragment(message, &cursor, &data, &length)) {
        for (size_t at = 0; at < length; at += sizeof bytes) {
            size_t some = length - at < sizeof bytes ? length - at : sizeof bytes;
            assert_memory_equal(data + at, bytes, some);
        }
        total += length;
    }
    assert_int_equal(total, ROOM);
    message_free(message);
}

NEIGHBOUR(peer_writes_to_the_memory_of_a_request)
{
    struct request *request = post_at_b(3);
    put_in_place(3);
    assert_true(request_test(request));
    expect_body(request_take(request), 3, true);
    request_free(request);
}

NEIGHBOUR(what_was_written_for_a_request_that_ends_is_for_others)
{
    for (int32_t tag = 3; tag <= 5; tag++) {
        struct request *request = post_at_b(tag);
        put_in_place(tag);
        if (tag < 5) /* otherwise free alone */
            assert_true(tag == 3 ? request_cancel(request) : request_test(request));
        request_free(request);
        memset(memory, 0, sizeof memory);
        expect_body(neighbour_arrives(&b), tag, false);
    }
}

NEIGHBOUR(memory_is_the_programs_again_when_the_endpoint_is_detached)
{
    struct request *request = post_at_b(3);
    neighbour_leave(&b);
    assert_true(request_test(request));
    assert_int_equal(request_result(request), CK_LOST);
    request_free(request);
    neighbour_enrol(&b, C, LIMIT);
}

static struct rendezvous_strip *strip;
static struct rendezvous_offer claimed;

/* As if a were copying to the memory of the request for tag 3. */
static void claim_memory(void)
{
    const struct message_header header = {.tag = 3};
    strip = &shm_of(&b.endpoint)->in->area->rendezvous;
    assert_true(rendezvous_find(strip, &header, ROOM, &claimed));
    assert_true(rendezvous_claim(strip, &claimed));
}

/* a has copied nothing that counts. */
static void give_memory_up(void)
{
    const uint64_t bell = 1;
    rendezvous_settle(strip, &claimed, 0);
    assert_int_equal(write(b.endpoint.waiting->doorbell, &bell, sizeof bell), sizeof bell);
}

static void *test_one(void *argument)
{
    struct actor *actor = argument;
    atomic_store(&left, 0);
    assert_true(request_test(actor->requests[0]));
    return NULL;
}

NEIGHBOUR(every_thread_waits_for_a_peer_that_writes)
{
    pthread_t second;
    for (int round = 0; round < 20; round++) {
        one.requests[0] = post_at_b(3);
        claim_memory();
        act(cancel_one);
        talk_await_waiting(&b.endpoint, 1);
        atomic_store(&left, 1);
        assert_int_equal(pthread_create(&second, NULL, test_one, &one), 0);
        while (atomic_load(&left) > 0)
            sched_yield();
        for (int yields = 0; yields < 50; yields++)
            sched_yield(); /* the second thread mostly waits as well by then */
        give_memory_up();
        join(true);
        assert_int_equal(pthread_join(second, NULL), 0);
        assert_int_equal(request_result(one.requests[0]), CK_CANCELLED);
        request_free(one.requests[0]);
    }
}

static void *detach(void *argument)
{
    ((struct actor *)argument)->result = 0;
    endpoint_detach(&b.endpoint);
    return NULL;
}

NEIGHBOUR(detach_waits_for_a_peer_that_writes)
{
    struct request *request = post_at_b(3);
    claim_memory();
    act(detach);
    talk_await_waiting(&b.endpoint, 1);
    give_memory_up();
    join(0);
    assert_true(request_test(request));
    assert_int_equal(request_result(request), CK_LOST);
    request_free(request);
}

NEIGHBOUR(posted_sends_go_through_memory)
{
    struct message *message = talk_make(3, 0, BYTES);
    const struct parcel parcel = {message, B};
    struct request *request;
    assert_int_equal(request_post_send(&a.endpoint, &parcel, &request), 0);
    expect_result(request, 0);
    message_free(message);
    neighbour_expect(&b, A, 3, BYTES);
    assert_true(talk_is_silent(&a.heard));
}

/* What the link tells its receiver of messages that go another way. */
NEIGHBOUR(posted_send_past_a_link_is_counted_when_it_is_done)
{
    const struct ring_area *area = shm_of(&b.endpoint)->in->area;
    uint32_t before = atomic_load(&area->elsewhere);
    OWN struct message *large = talk_make(3, 0, 2 * TALK_LARGE); /* more than an arena holds */
    const struct parcel parcel = {large, B};
    struct request *request;
    assert_int_equal(request_post_send(&a.endpoint, &parcel, &request), 0);
    assert_false(request_test(request));
    assert_int_equal(atomic_load(&area->elsewhere), before);
    one.requests[0] = request;
    act(wait_for_one);
    talk_await_waiting(&a.endpoint, 1);
    talk_expect(talk_read(&a.heard), 3, 2 * TALK_LARGE);
    join(true);
    assert_int_equal(atomic_load(&area->elsewhere), before + 1);
    expect_result(request, 0);
    assert_int_equal(atomic_load(&area->elsewhere), before + 1);
}

/* Routes --------------------------------------------------------------------------------------- */

static struct request *side_post(struct message *message, uint32_t to)
{
    const struct parcel parcel = {message, to};
    struct request *request;
    assert_int_equal(request_post_send(&me->endpoint, &parcel, &request), 0);
    return request;
}

ROUTE(posted_send_over_a_route_is_done_when_it_is_out)
{
    struct talk_reader reader;
    OWN struct message *large = talk_make(1, 0, TALK_LARGE);
    OWN struct message *message = talk_make(2, 0, SIZE);
    int descriptor = hand_opens(HIGHER);
    struct request *first = side_post(large, HIGHER);
    struct request *second = side_post(message, HIGHER);
    struct request *third = side_post(message, HIGHER);
    assert_false(request_test(first));
    assert_false(request_cancel(first));
    assert_true(request_cancel(second));
    one = (struct actor){.requests = {first, third}, .count = 2};
    act(wait_for_all);
    talk_await_waiting(&me->endpoint, 1);
    talk_reader_start(&reader, descriptor);
    talk_expect(talk_read(&reader), 1, TALK_LARGE);
    talk_expect(talk_read(&reader), 2, SIZE);
    join(true);
    assert_true(talk_is_silent(&reader));
    talk_reader_finish(&reader);
    expect_result(first, 0);
    expect_result(second, CK_CANCELLED);
    expect_result(third, 0);
}

ROUTE(posted_sends_survive_their_route_in_order)
{
    struct message *large = talk_make(1, 0, TALK_LARGE);
    struct message *small[3];
    for (int i = 0; i < 3; i++)
        small[i] = talk_make(i + 2, 0, SIZE);
    int descriptor = hand_opens(HIGHER);
    struct request *requests[] = {side_post(large, HIGHER), side_post(small[0], HIGHER),
                                  side_post(small[1], HIGHER)};
    hand_close(descriptor);
    side_look(me); /* the route ends */
    assert_true(request_cancel(requests[1]));
    one = (struct actor){.requests = {requests[0], requests[2]}, .count = 2};
    act(wait_for_all);
    talk_await_waiting(&me->endpoint, 1);
    sender_begin_one(0, me, HIGHER, 4); /* behind the others */
    talk_await_waiting(&me->endpoint, 2);
    talk_expect(daemon_hears(me, HIGHER), 1, TALK_LARGE);
    talk_expect(daemon_hears(me, HIGHER), 3, SIZE);
    daemon_hears_tag(me, HIGHER, 4);
    join(true);
    sender_join(0, 0);
    expect_result(requests[0], 0);
    expect_result(requests[1], CK_CANCELLED);
    expect_result(requests[2], 0);
    message_free(large);
    for (int i = 0; i < 3; i++)
        message_free(small[i]);
}

/* Posts a message to a task whose route ends while most of the message is queued there. */
static struct request *post_by_route_that_ends(struct message *large)
{
    int descriptor = hand_opens(HIGHER);
    struct request *request = side_post(large, HIGHER);
    hand_close(descriptor);
    side_look(me);
    return request;
}

ROUTE(send_goes_behind_those_whose_route_ended)
{
    OWN struct message *large = talk_make(1, 0, TALK_LARGE);
    struct request *request = post_by_route_that_ends(large);
    sender_begin_one(0, me, HIGHER, 2);
    talk_await_waiting(&me->endpoint, 1);
    talk_expect(daemon_hears(me, HIGHER), 1, TALK_LARGE);
    daemon_hears_tag(me, HIGHER, 2);
    sender_join(0, 0);
    expect_result(request, 0);
}

ROUTE(loss_fails_sends_whose_route_ended)
{
    OWN struct message *large = talk_make(1, 0, TALK_LARGE);
    struct request *request = post_by_route_that_ends(large);
    side_close_daemon(me);
    expect_result(request, CK_LOST);
}
