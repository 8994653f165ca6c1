/* test_daemon_router.c - where does a frame go, and what the daemon says? */
#include "daemon/post/router.h"

#include <pvm3.h>

#include "daemon/post/host_link.h"
#include "daemon/post/task_link.h"
#include "daemon/post/tree_origin.h"
#include "quiet_daemon.h"
#include "shortage.h"
#include "unit.h"

#define FAR_PART (2u << TID_HOST_SHIFT)
#define FAR_TASK (FAR_PART | 5)
#define NO_HOST  (9u << TID_HOST_SHIFT)
#define SOURCE   (OWN_PART | 70)

/* What the links have been given last, and how often in all. */
static struct {
    int count;
    const void *link;
    const struct message *message;
    struct frame frame; /* its source and destination only, of a message */
} given;

static int flows_ended;

static void give(const void *link, const struct message *message, const struct frame *frame)
{
    given.count++;
    given.link = link;
    given.message = message;
    given.frame = *frame;
}

void host_link_send(struct host_link *link, const struct message *message, uint32_t destination,
                    uint32_t source)
{
    give(link, message, &(struct frame){.destination = destination, .source = source});
}

void host_link_forward(struct host_link *link, const struct received_frame *received,
                       uint32_t destination)
{
    assert_int_equal(received->frame.destination, destination);
    give(link, NULL, &received->frame);
}

void host_link_end_flow(struct host_link *link, uint32_t tid)
{
    assert_int_equal(tid & TID_HOST_MASK, OWN_PART);
    assert_true(link->host->part != OWN_PART);
    flows_ended++;
}

void tree_origins_end_task(struct daemon *daemon, uint32_t tid)
{
    assert_ptr_equal(daemon, &quiet);
    assert_int_equal(tid & TID_HOST_MASK, OWN_PART);
}

void task_link_send(struct task_link *link, const struct message *message, uint32_t destination,
                    uint32_t source)
{
    give(link, message, &(struct frame){.destination = destination, .source = source});
}

/* Where it goes stands in front of the body. */
void task_link_forward(struct task_link *link, const struct received_frame *received)
{
    struct frame frame;
    frame_decode(&frame, received->body - FRAME_HEADER_SIZE);
    give(link, NULL, &frame);
}

void task_link_forward_as(struct task_link *link, const struct frame *frame,
                          const struct received_frame *received)
{
    assert_non_null(received->body);
    give(link, NULL, frame);
}

static struct task_link link_of_near;
static struct task *near, *expected; /* one is connected, one not yet */
static struct host *far;

static int start(void **state)
{
    int result = quiet_daemon_start(state);
    memset(&given, 0, sizeof given);
    flows_ended = 0;
    far = quiet_daemon_add_host(2);
    near = task_new(&quiet.post->tasks, "near");
    expected = task_new(&quiet.post->tasks, "expected");
    if (result < 0 || !near || !expected)
        return -1;
    near->link = &link_of_near;
    near->flags |= TASK_IS_CONNECTED;
    return 0;
}

/* A frame with a body of six bytes, as if it had been read. */
static struct received_frame frame_to(uint32_t destination)
{
    static unsigned char bytes[FRAME_HEADER_SIZE + 6];
    memset(bytes, 0xff, FRAME_HEADER_SIZE);
    memcpy(bytes + FRAME_HEADER_SIZE, "inside", 6);
    return (struct received_frame){
        .frame = {.destination = destination, .source = SOURCE, .length = 6, .flags = FRAME_LAST},
        .body = bytes + FRAME_HEADER_SIZE};
}

static void forward(uint32_t destination)
{
    struct received_frame received = frame_to(destination);
    router_forward(&quiet, &received);
}

static void expect_frame(const void *link, uint32_t destination)
{
    assert_int_equal(given.count, 1);
    assert_ptr_equal(given.link, link);
    assert_int_equal(given.frame.destination, destination);
    assert_int_equal(given.frame.source, SOURCE);
    assert_int_equal(given.frame.length, 6);
    assert_int_equal(given.frame.flags, FRAME_LAST);
}

/* One frame waits for the task that is expected; then none. */
static struct frame expect_waiting(const char *body)
{
    struct received_frame received;
    assert_true(frame_queue_take_frame(&expected->waiting, &received));
    if (body)
        assert_memory_equal(received.body, body, strlen(body));
    chunk_release(received.chunk);
    assert_true(frame_queue_is_empty(&expected->waiting));
    return received.frame;
}

#define TEST(name) UNIT_TEST_BETWEEN(name, start, quiet_daemon_finish)

TEST(a_frame_goes_to_the_host_of_its_destination)
{
    forward(FAR_TASK);
    expect_frame(far->link, FAR_TASK);
}

TEST(a_frame_goes_to_a_task_behind_its_true_header)
{
    forward(near->tid);
    expect_frame(&link_of_near, near->tid);
}

TEST(a_frame_waits_for_a_task_that_is_expected)
{
    forward(expected->tid);
    assert_int_equal(given.count, 0);
    struct frame frame = expect_waiting("inside");
    assert_int_equal(frame.source, SOURCE);
    assert_int_equal(frame.destination, expected->tid);
    assert_int_equal(frame.flags, FRAME_LAST);
}

TEST(a_frame_to_whom_there_is_not_is_dropped)
{
    forward(OWN_PART | 77);
    forward(NO_HOST | 1);
    expected->flags |= TASK_IS_CONNECTED; /* it was, and its link is gone */
    forward(expected->tid);
    assert_int_equal(given.count, 0);
    assert_true(frame_queue_is_empty(&expected->waiting));
}

TEST(a_copy_goes_to_each_with_its_own_tid)
{
    const uint32_t many = SOURCE | TID_MULTICAST_BIT;
    struct received_frame received = frame_to(many);
    router_copy_to(near, &received);
    expect_frame(&link_of_near, near->tid);
    router_copy_to(expected, &received);
    assert_int_equal(given.count, 1);
    assert_int_equal(expect_waiting("inside").destination, expected->tid);
    assert_int_equal(received.frame.destination, many);
}

TEST(the_end_of_a_task_ends_its_flow_to_each_host)
{
    quiet_daemon_add_host(3)->pending = true;
    quiet.post->serving = near->tid;
    router_end_task(expected);
    assert_int_equal(flows_ended, 2);
    assert_int_equal(quiet.post->serving, near->tid);
    router_end_task(near);
    assert_int_equal(flows_ended, 4);
    assert_int_equal(quiet.post->serving, 0);
}

static void say(uint32_t destination)
{
    struct message *message = control_new(7, 0, 0);
    control_put_int(message, 1);
    router_send(&quiet, destination, message);
}

static void expect_said(const void *link, uint32_t destination, uint32_t source)
{
    assert_int_equal(given.count, 1);
    assert_ptr_equal(given.link, link);
    assert_non_null(given.message);
    assert_int_equal(given.frame.destination, destination);
    assert_int_equal(given.frame.source, source);
    given.count = 0;
}

TEST(what_the_daemon_says_goes_to_any_task_or_daemon)
{
    say(FAR_TASK);
    expect_said(far->link, FAR_TASK, OWN_PART | TID_DAEMON_BIT);
    say(FAR_PART | TID_DAEMON_BIT);
    expect_said(far->link, FAR_PART | TID_DAEMON_BIT, OWN_PART | TID_DAEMON_BIT);
    say(near->tid);
    expect_said(&link_of_near, near->tid, TID_OWN_DAEMON);
    say(expected->tid);
    assert_int_equal(given.count, 0);
    assert_int_equal(expect_waiting(NULL).source, TID_OWN_DAEMON);
}

TEST(what_nobody_is_there_for_is_dropped)
{
    long pieces = shortage_live();
    say(OWN_PART | 77);
    say(OWN_PART | TID_DAEMON_BIT);
    say(NO_HOST | TID_DAEMON_BIT);
    router_send(&quiet, near->tid, NULL); /* there was no memory for it */
    expected->flags |= TASK_IS_CONNECTED;
    say(expected->tid);
    assert_int_equal(given.count, 0);
    assert_int_equal(shortage_live(), pieces);
    assert_true(frame_queue_is_empty(&expected->waiting));
}
