/*
 * test_daemon_task_link.c - whose is what comes over a connection, when is it taken, and what
 * becomes of the tasks when it ends?
 */
#include "daemon/post/task_link.h"

#include <stdarg.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/control.h"
#include "quiet_daemon.h"
#include "unit.h"

#define NOBODY   0x4ffffu
#define TID_MOST 64

static struct task_link *link_;
static struct task *first;
static int process; /* the other end of the connection */
static int complaints;

/* What the rooms above are told: whose frames came, and whose connection is gone. */
static struct {
    int frames, losses;
    uint32_t sources[TID_MOST];
    uint32_t lost[TID_MOST];
    int nested; /* calls within calls */
    int deepest;
    int closed; /* links */
} told;

static void (*on_frame)(struct task *task);

static void take_frame(struct task *task, struct received_frame *received)
{
    (void)received;
    assert_in_range(told.frames, 0, TID_MOST - 1);
    told.sources[told.frames++] = task->tid;
    if (++told.nested > told.deepest)
        told.deepest = told.nested;
    if (on_frame)
        on_frame(task);
    told.nested--;
}

static void take_stranger(struct task_link *link, const struct received_frame *received)
{
    (void)link, (void)received;
    fail_msg("the link has tasks");
}

static void take_loss(struct task *task)
{
    assert_null(task->link);
    told.lost[told.losses++] = task->tid;
    task_free(task);
}

static void take_close(struct task_link *link)
{
    assert_ptr_equal(link, link_);
    told.closed++;
}

void complain(struct complaints *all, uint32_t who, const char *format, ...)
{
    assert_ptr_equal(all, &quiet.complaints);
    assert_int_equal(who, link_->backlog.tid);
    assert_non_null(format);
    complaints++;
}

static int start(void **state)
{
    int pair[2];
    memset(&told, 0, sizeof told);
    on_frame = NULL;
    complaints = 0;
    if (quiet_daemon_start(state) < 0 ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair) < 0)
        return -1;
    pool_start(&quiet.chunks, 1);
    quiet.settings.descriptor_limit = 1000;
    quiet.post->upcalls.task_frame = take_frame;
    quiet.post->upcalls.task_lost = take_loss;
    quiet.post->upcalls.link_closed = take_close;
    quiet.post->upcalls.stranger_frame = take_stranger;
    list_start(&quiet.post->listener.links);
    loop_source_start(&quiet.post->listener.source, NULL);
    strangers_start(&quiet.post->listener.strangers, &quiet, &quiet.post->listener.source);
    process = pair[1];
    link_ = task_link_open(&quiet, pair[0]);
    first = task_new(&quiet.post->tasks, "first");
    return link_ && first ? task_link_attach(link_, first) : -1;
}

static int finish(void **state)
{
    close(process);
    if (!list_is_empty(&quiet.post->listener.links))
        task_link_close(link_);
    assert_int_equal(told.closed, 1);
    int result = quiet_daemon_finish(state);
    pool_finish(&quiet.chunks, free);
    return result;
}

#define TEST(name) UNIT_TEST_BETWEEN(name, start, finish)

/* A record of the lease. */
static struct task *lease(void)
{
    struct task *task = task_reserve(&quiet.post->tasks);
    assert_non_null(task);
    link_->leased = true;
    task_link_join(link_, task);
    return task;
}

static void begin(struct task *task)
{
    assert_int_equal(task_begin(task, ""), 0);
}

/* The process writes an empty message of the task. */
static void say_to(uint32_t source, uint32_t destination)
{
    const struct message_header header = {.encoding = MESSAGE_XDR};
    const struct frame frame = {.destination = destination,
                                .source = source,
                                .length = FRAME_MESSAGE_HEADER_SIZE,
                                .flags = FRAME_FIRST | FRAME_LAST};
    unsigned char bytes[FRAME_HEADERS_SIZE];
    frame_encode(&frame, bytes);
    frame_encode_message(&header, source, bytes + FRAME_HEADER_SIZE);
    assert_int_equal(write(process, bytes, sizeof bytes), sizeof bytes);
}

/* The same, to the daemon. */
static void say(uint32_t source)
{
    say_to(source, TID_OWN_DAEMON);
}

static void end_rounds(struct loop_timer *timer)
{
    (void)timer;
    loop_end(&quiet.loop);
}

/* What is there is read, and what was put off is done. */
static void run(void)
{
    struct loop_timer end;
    for (int i = 0; i < 3; i++) {
        quiet.loop.ended = false;
        loop_timer_start(&end, end_rounds);
        loop_timer_set(&quiet.loop, &end, 0);
        assert_int_equal(loop_run(&quiet.loop), 0);
    }
}

static void expect_frames(int count, ...)
{
    va_list sources;
    assert_int_equal(told.frames, count);
    va_start(sources, count);
    for (int i = 0; i < count; i++)
        assert_int_equal(told.sources[i], va_arg(sources, uint32_t));
    va_end(sources);
    told.frames = 0;
}

TEST(what_comes_is_of_the_only_task_whatever_it_says)
{
    say(NOBODY);
    say(first->tid);
    run();
    expect_frames(2, first->tid, first->tid);
}

TEST(what_comes_over_a_lease_says_whose_it_is)
{
    struct task *born = lease(), *unborn = lease();
    struct task *other = task_new(&quiet.post->tasks, "of another link");
    begin(born);
    say(born->tid);
    say(first->tid);
    run();
    expect_frames(2, born->tid, first->tid);
    const uint32_t wrong[] = {other->tid, NOBODY, 0};
    for (size_t i = 0; i < COUNT_OF(wrong); i++)
        say(wrong[i]);
    say_to(unborn->tid, born->tid);
    run();
    expect_frames(0);
    assert_int_equal(complaints, COUNT_OF(wrong) + 1);
}

/* Of its own birth. */
TEST(who_has_not_begun_may_speak_to_the_daemon)
{
    struct task *born = lease(), *unborn = lease();
    begin(born);
    say(unborn->tid);
    run();
    expect_frames(1, unborn->tid);
}

TEST(a_link_ends_with_its_only_task)
{
    task_link_leave(first);
    assert_null(first->link);
    say(first->tid);
    run();
    expect_frames(0);
    assert_true(list_is_empty(&quiet.post->listener.links));
}

TEST(a_lease_outlives_its_tasks)
{
    struct task *born = lease();
    const struct received_frame begun = {
        .frame = {.source = born->tid, .length = FRAME_MESSAGE_HEADER_SIZE, .flags = FRAME_FIRST},
        .body = (unsigned char[FRAME_MESSAGE_HEADER_SIZE]){0}};
    struct message *message;
    begin(born);
    assert_int_equal(assembler_add(&link_->assembler, &begun, &message), ASSEMBLER_MORE);
    task_link_leave(first);
    assert_non_null(link_->assembler.partial);
    task_link_leave(born);
    assert_null(link_->assembler.partial); /* what a task has begun ends with it */
    begin(lease());
    say(born->tid);
    run();
    expect_frames(0);
    assert_int_equal(complaints, 1);
    assert_false(list_is_empty(&quiet.post->listener.links));
}

TEST(all_tasks_are_told_of_when_a_lease_ends)
{
    struct task *born = lease(), *unborn = lease();
    uint32_t tids[] = {first->tid, born->tid, unborn->tid};
    begin(born);
    say(born->tid);
    close(process);
    run();
    expect_frames(1, tids[1]);
    assert_int_equal(told.losses, 2);
    assert_int_equal(told.lost[0], tids[0]);
    assert_int_equal(told.lost[1], tids[1]);
    assert_null(tasks_find(&quiet.post->tasks, tids[2])); /* free again */
}

/* Hearing -------------------------------------------------------------------------------------- */

static struct task *asked;

static void bear_asked(struct task *task)
{
    (void)task;
    if (!task_has_begun(asked))
        begin(asked);
}

TEST(a_link_is_heard_until_the_birth_and_goes_on_later)
{
    asked = lease();
    on_frame = bear_asked;
    for (int i = 0; i < 3; i++)
        say(first->tid);
    task_link_hear(link_, asked->tid);
    expect_frames(1, first->tid);
    run();
    expect_frames(2, first->tid, first->tid);
}

TEST(a_held_link_is_heard_until_the_birth_and_stays_held)
{
    struct backlog full;
    backlog_start(&full, &quiet.backlogs, SIZE_MAX);
    full.told = true;
    backlog_add(&full, 2);
    feeder_hold(&link_->feeder, &full, 1);
    begin(asked = lease());
    say(first->tid);
    task_link_hear(link_, asked->tid); /* it is known */
    task_link_hear(link_, 0);
    expect_frames(0);
    asked = lease();
    on_frame = bear_asked;
    say(first->tid);
    task_link_hear(link_, asked->tid);
    expect_frames(1, first->tid);
    run();
    expect_frames(0);
    backlog_finish(&full);
    run();
    expect_frames(1, first->tid);
}

static void hear_again(struct task *task)
{
    (void)task;
    task_link_hear(link_, asked->tid);
}

/* Who asks may be of the link; it is heard within what it says, but not deeper and deeper. */
TEST(a_link_is_heard_once_more_while_it_is_taken_from)
{
    asked = lease();
    on_frame = hear_again;
    for (int i = 0; i < 20; i++)
        say(first->tid);
    run();
    assert_int_equal(told.frames, 20);
    assert_int_equal(told.deepest, 2);
}

static void lose_asked(struct task *task)
{
    (void)task;
    if (asked)
        task_free(asked);
    asked = NULL;
}

TEST(a_tid_that_goes_is_awaited_no_longer)
{
    struct task *gone = lease();
    asked = gone;
    on_frame = lose_asked;
    say(first->tid);
    say(first->tid);
    task_link_hear(link_, gone->tid);
    expect_frames(1, first->tid);
}

TEST(the_rest_of_a_process_is_read_and_then_its_link_is_lost)
{
    struct task *born = lease();
    uint32_t tids[] = {first->tid, born->tid};
    begin(born);
    say(tids[1]);
    task_link_read_to_end(link_); /* the other end is open: a child may have it */
    expect_frames(1, tids[1]);
    assert_int_equal(told.losses, 2);
    assert_int_equal(told.lost[1], tids[1]);
}
