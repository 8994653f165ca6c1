/* test_daemon_notify.c - who is told of the end of what, and how often? */
#include "daemon/post/notify.h"

#include <pvm3.h>

#include "daemon/post/host_link.h"
#include "quiet_daemon.h"
#include "sent.h"
#include "unit.h"

#define CONTEXT 7
#define TAG     42
#define WAIT    99
#define CANCEL  256 /* as programs say it */

#define FAR_PART (2u << TID_HOST_SHIFT)
#define FAR_TASK (FAR_PART | 5)
#define NO_TASK  (OWN_PART | 77)
#define NO_HOST  (9u << TID_HOST_SHIFT)
#define FAR_PVMD (FAR_PART | TID_DAEMON_BIT)
#define EVER     (-1)

static struct task *asker, *subject;
static struct host *far;

static int start(void **state)
{
    int result = quiet_daemon_start(state);
    notify_start(&quiet.post->notify);
    far = quiet_daemon_add_host(2);
    asker = task_new(&quiet.post->tasks, "asker");
    subject = task_new(&quiet.post->tasks, "subject");
    return result < 0 || !asker || !subject ? -1 : 0;
}

static void end(struct task *task)
{
    notify_task_end(task);
    task_free(task);
}

static int finish(void **state)
{
    while (!list_is_empty(&quiet.post->tasks.list))
        end(task_at(quiet.post->tasks.list.next));
    sent_forget();
    return quiet_daemon_finish(state);
}

static struct message *question(int32_t kind, int32_t context, int32_t tag, int32_t number)
{
    struct message *message = control_new(TM_NOTIFY, CONTROL_CONTEXT_TM, WAIT);
    control_put_int(message, kind);
    control_put_int(message, context);
    control_put_int(message, tag);
    control_put_int(message, number);
    return message;
}

static void ask_in(int32_t context, int32_t kind, uint32_t tid)
{
    struct message *message = question(kind, context, TAG, 1);
    control_put_tid(message, tid);
    assert_int_equal(quiet_daemon_take(notify_request, asker, 0, message), REQUEST_DONE);
}

static void ask(int32_t kind, uint32_t tid)
{
    ask_in(CONTEXT, kind, tid);
}

static void ask_for_hosts(int32_t kind, int32_t count)
{
    struct message *message = question(kind, CONTEXT, TAG, count);
    assert_int_equal(quiet_daemon_take(notify_request, asker, 0, message), REQUEST_DONE);
}

/* The asker is told of the subject, and of nothing else. */
static void expect_only(uint32_t tid, int32_t wait)
{
    struct control_reader *body = sent_expect(asker->tid, TAG, CONTEXT, wait);
    assert_int_equal(control_get_tid(body), tid);
    assert_int_equal(control_rest(body), 0);
    assert_int_equal(sent_count(), 0);
}

#define TEST(name) UNIT_TEST_BETWEEN(name, start, finish)

TEST(the_end_of_a_task_is_told_once)
{
    uint32_t tid = subject->tid;
    ask(PvmTaskExit, tid);
    assert_int_equal(sent_count(), 0);
    notify_task_end(subject);
    expect_only(tid, WAIT);
    end(subject);
    assert_int_equal(sent_count(), 0);
}

TEST(a_task_that_there_is_not_has_ended)
{
    ask(PvmTaskExit, NO_TASK);
    expect_only(NO_TASK, WAIT);
    ask(PvmTaskExit, NO_HOST | 1);
    expect_only(NO_HOST | 1, WAIT);
}

TEST(each_subject_of_a_request_counts_by_itself)
{
    struct message *message = question(PvmTaskExit, CONTEXT, TAG, 3);
    control_put_tid(message, subject->tid);
    control_put_tid(message, NO_TASK);
    control_put_tid(message, subject->tid);
    assert_int_equal(quiet_daemon_take(notify_request, asker, 0, message), REQUEST_DONE);
    expect_only(NO_TASK, WAIT);
    notify_task_end(subject);
    assert_int_equal(sent_count(), 2);
}

TEST(who_has_ended_is_not_told)
{
    ask(PvmTaskExit, subject->tid);
    ask(PvmHostDelete, FAR_PART);
    ask_for_hosts(PvmHostAdd, EVER);
    end(asker);
    end(subject);
    notify_host_end(&quiet, FAR_PART);
    notify_hosts_added(&quiet, &far->part, 1);
    assert_int_equal(sent_count(), 0);
}

TEST(who_waits_for_itself_is_told)
{
    ask(PvmTaskExit, asker->tid);
    notify_task_end(asker);
    expect_only(asker->tid, WAIT);
}

TEST(one_that_leaves_is_told_to_libraries_only)
{
    ask(PvmTaskExit, subject->tid);
    ask_in(CONTROL_CONTEXT_TC, PvmTaskExit, subject->tid);
    notify_task_leave(subject);
    sent_expect(asker->tid, TAG, CONTROL_CONTEXT_TC, WAIT);
    notify_task_leave(subject);
    assert_int_equal(sent_count(), 0);
    notify_task_end(subject);
    expect_only(subject->tid, WAIT);
}

TEST(cancelling_tells_at_once_of_what_was_waited_for)
{
    ask(PvmTaskExit | CANCEL, subject->tid);
    ask(PvmTaskExit | CANCEL, NO_TASK);
    assert_int_equal(sent_count(), 0);
    ask(PvmTaskExit, subject->tid);
    ask_in(CONTEXT + 1, PvmTaskExit | CANCEL, subject->tid);
    assert_int_equal(sent_count(), 0);
    ask(PvmTaskExit | CANCEL, subject->tid);
    expect_only(subject->tid, WAIT);
    notify_task_end(subject);
    assert_int_equal(sent_count(), 0);
}

/* Asks for the task of the other host. The number under which its daemon is asked. */
static int32_t ask_far(void)
{
    ask(PvmTaskExit, FAR_TASK);
    int32_t wait = sent_wait();
    struct control_reader *body = sent_expect(FAR_PVMD, DM_NOTIFY, 0, wait);
    assert_int_equal(control_get_int(body), PvmTaskExit);
    assert_int_equal(control_get_tid(body), FAR_TASK);
    assert_int_equal(sent_count(), 0);
    return wait;
}

static bool far_answers(uint32_t part, int32_t tag, int32_t wait)
{
    return quiet_daemon_hear(part, control_new(tag, 0, wait));
}

TEST(a_far_task_ends_once_whatever_its_host_says)
{
    int32_t wait = ask_far();
    assert_false(far_answers(NO_HOST, DM_NOTIFYACK, wait));
    assert_false(far_answers(FAR_PART, DM_EXECACK, wait));
    assert_false(far_answers(FAR_PART, DM_NOTIFYACK, wait + 1));
    assert_int_equal(sent_count(), 0);
    assert_true(far_answers(FAR_PART, DM_NOTIFYACK, wait));
    expect_only(FAR_TASK, WAIT);
    assert_false(far_answers(FAR_PART, DM_NOTIFYACK, wait));
    pending_fail(&quiet, FAR_PART);
    assert_int_equal(sent_count(), 0);
}

TEST(a_far_task_ends_with_its_host)
{
    int32_t wait = ask_far();
    pending_fail(&quiet, NO_HOST);
    assert_int_equal(sent_count(), 0);
    pending_fail(&quiet, FAR_PART);
    expect_only(FAR_TASK, WAIT);
    assert_false(far_answers(FAR_PART, DM_NOTIFYACK, wait));
    assert_int_equal(sent_count(), 0);
}

TEST(nobody_waits_for_a_far_task_any_more)
{
    int32_t cancelled = ask_far();
    ask(PvmTaskExit | CANCEL, FAR_TASK);
    expect_only(FAR_TASK, WAIT);
    assert_false(far_answers(FAR_PART, DM_NOTIFYACK, cancelled));
    int32_t left = ask_far();
    end(asker);
    assert_false(far_answers(FAR_PART, DM_NOTIFYACK, left));
    pending_fail(&quiet, FAR_PART);
    assert_int_equal(sent_count(), 0);
}

TEST(the_end_of_a_host_is_told_once)
{
    ask(PvmHostDelete, NO_HOST);
    expect_only(NO_HOST, 0);
    ask(PvmHostDelete, FAR_PVMD);
    notify_host_end(&quiet, NO_HOST);
    assert_int_equal(sent_count(), 0);
    notify_host_end(&quiet, FAR_PART);
    expect_only(FAR_PVMD, 0);
    notify_host_end(&quiet, FAR_PART);
    assert_int_equal(sent_count(), 0);
}

TEST(new_hosts_are_told_so_often_as_was_asked)
{
    const uint32_t parts[] = {NO_HOST, FAR_PART};
    ask_for_hosts(PvmHostAdd, 2);
    notify_hosts_added(&quiet, parts, 0);
    assert_int_equal(sent_count(), 0);
    for (int i = 0; i < 3; i++)
        notify_hosts_added(&quiet, parts, 2);
    assert_int_equal(sent_count(), 2);
    struct control_reader *body = sent_expect(asker->tid, TAG, CONTEXT, 0);
    assert_int_equal(control_get_int(body), 2);
    assert_int_equal(control_get_tid(body), NO_HOST);
    assert_int_equal(control_get_tid(body), FAR_PART);
}

TEST(asking_for_new_hosts_again_replaces_the_number)
{
    ask_for_hosts(PvmHostAdd, 1);
    ask_for_hosts(PvmHostAdd, EVER);
    for (int i = 0; i < 5; i++)
        notify_hosts_added(&quiet, &far->part, 1);
    assert_int_equal(sent_count(), 5);
    ask_for_hosts(PvmHostAdd, 0);
    ask_for_hosts(PvmHostAdd, 0);
    notify_hosts_added(&quiet, &far->part, 1);
    assert_int_equal(sent_count(), 5);
    ask_for_hosts(PvmHostAdd, EVER);
    ask_for_hosts(PvmHostAdd | CANCEL, EVER);
    notify_hosts_added(&quiet, &far->part, 1);
    assert_int_equal(sent_count(), 5);
}

static void far_asks(uint32_t tid)
{
    struct message *message = control_new(DM_NOTIFY, 0, WAIT);
    control_put_int(message, PvmTaskExit);
    control_put_tid(message, tid);
    assert_int_equal(quiet_daemon_take(notify_request_of_host, NULL, FAR_PART, message),
                     REQUEST_DONE);
}

static void expect_answer(int32_t tag, uint32_t tid)
{
    assert_int_equal(control_get_tid(sent_expect(FAR_PVMD, tag, 0, WAIT)), tid);
    assert_int_equal(sent_count(), 0);
}

TEST(another_daemon_is_answered_when_the_task_ends)
{
    far_asks(NO_TASK);
    expect_answer(DM_NOTIFYACK, NO_TASK);
    far_asks(subject->tid);
    notify_task_leave(subject);
    assert_int_equal(sent_count(), 0);
    notify_task_end(subject);
    expect_answer(DM_NOTIFYACK, subject->tid);
}

/* The task has gone from here to where it was born, which the other one has not heard yet. */
TEST(a_daemon_of_ours_is_answered_for_a_task_that_has_gone_home)
{
    const struct host *home = quiet_daemon_add_host(3);
    far_asks(home->part | 5);
    expect_answer(DM_NOTIFYACK, home->part | 5);
    far->link->upgrade.known = true;
    far_asks(home->part | 5);
    int32_t wait = sent_wait();
    struct control_reader *body = sent_expect(home->part | TID_DAEMON_BIT, DM_NOTIFY, 0, wait);
    assert_int_equal(control_get_int(body), PvmTaskExit);
    assert_int_equal(control_get_tid(body), home->part | 5);
    assert_int_equal(sent_count(), 0);
    assert_true(quiet_daemon_hear(home->part, control_new(DM_NOTIFYACK, 0, wait)));
    expect_answer(DM_NOTIFYACK, home->part | 5);
}

TEST(a_reset_is_answered_when_the_task_has_ended)
{
    struct message *message = control_new(DM_RESET, 0, WAIT);
    control_put_tid(message, subject->tid);
    assert_int_equal(quiet_daemon_take(notify_request_of_reset, NULL, FAR_PART, message),
                     REQUEST_DONE);
    assert_int_equal(sent_count(), 0);
    notify_task_end(subject);
    expect_answer(DM_RESETACK, subject->tid);
    message = control_new(DM_RESET, 0, WAIT);
    assert_int_equal(quiet_daemon_take(notify_request_of_reset, NULL, FAR_PART, message),
                     REQUEST_MALFORMED);
}

TEST(a_daemon_that_is_gone_is_not_answered)
{
    far_asks(subject->tid);
    notify_host_end(&quiet, FAR_PART);
    notify_task_end(subject);
    assert_int_equal(sent_count(), 0);
}

TEST(what_makes_no_sense_is_refused)
{
    struct message *requests[] = {
        control_new(TM_NOTIFY, CONTROL_CONTEXT_TM, WAIT), question(0, CONTEXT, TAG, 0),
        question(PvmHostAdd + 1, CONTEXT, TAG, 0),        question(PvmTaskExit, CONTEXT, TAG, 1),
        question(PvmTaskExit, CONTEXT, TAG, -1),
    };
    for (size_t i = 0; i < COUNT_OF(requests); i++)
        assert_int_equal(quiet_daemon_take(notify_request, asker, 0, requests[i]),
                         REQUEST_MALFORMED);
    struct message *of_host = control_new(DM_NOTIFY, 0, WAIT);
    control_put_int(of_host, PvmHostDelete);
    control_put_tid(of_host, FAR_PART);
    assert_int_equal(quiet_daemon_take(notify_request_of_host, NULL, FAR_PART, of_host),
                     REQUEST_MALFORMED);
    assert_int_equal(sent_count(), 0);
}
