/* test_daemon_spawn.c - which host starts which tasks, and what is the requester told? */
#include "daemon/tasks/spawn.h"

#include <pvm3.h>

#include "daemon/tasks/execute.h"
#include "daemon/tasks/output.h"
#include "daemon/tasks/trace.h"
#include "quiet_daemon.h"
#include "sent.h"
#include "unit.h"

#define WAIT       99
#define SECOND     (2u << TID_HOST_SHIFT)
#define THIRD      (3u << TID_HOST_SHIFT)
#define PVMD(part) ((part) | TID_DAEMON_BIT)
#define SINK       (OWN_PART | 50)
#define MOST       8

/* What this host has been asked to start. */
static struct order *orders[MOST];
static int order_count;
static bool refuses; /* memory is short */

/* The children that sinks have been told of. */
static uint32_t announced[MOST];
static int announced_count, traced_count;

static struct task *parent;

bool execute(struct order *order, struct daemon *daemon, struct execution *execution,
             void (*done)(struct order *))
{
    assert_in_range(order_count, 0, MOST - 1);
    if (refuses)
        return false;
    *order = (struct order){.daemon = daemon, .execution = *execution, .done = done};
    *execution = (struct execution){0};
    order->results = calloc((size_t)order->execution.count, sizeof *order->results);
    assert_non_null(order->results);
    orders[order_count++] = order;
    return true;
}

bool execute_at_once(struct order *order, struct daemon *daemon, struct execution *execution,
                     void (*done)(struct order *))
{
    return execute(order, daemon, execution, done);
}

void order_finish(struct order *order)
{
    execution_free(&order->execution);
    free(order->results);
}

void output_tell(struct daemon *daemon, const struct sink *sink, uint32_t tid, int32_t what,
                 int32_t from)
{
    assert_ptr_equal(daemon, &quiet);
    assert_int_equal(sink->tid, SINK);
    assert_int_equal(what, OUTPUT_SPAWNED);
    assert_int_equal(from, parent->tid);
    assert_int_equal(sent_count(), 0); /* before the parent is */
    assert_in_range(announced_count, 0, MOST - 1);
    announced[announced_count++] = tid;
}

void trace_spawned(struct daemon *daemon, const struct sink *sink, uint32_t tid, int32_t from)
{
    (void)daemon;
    assert_int_equal(sink->tid, 0);
    assert_true(tid != 0);
    assert_int_equal(from, parent->tid);
    traced_count++;
}

static int start(void **state)
{
    int result = quiet_daemon_start(state);
    strcpy(quiet_daemon_add_host(2)->architecture, "BIG");
    strcpy(quiet_daemon_add_host(3)->architecture, "BIG");
    parent = task_new(&quiet.post->tasks, "parent");
    memset(announced, 0, sizeof announced);
    order_count = announced_count = traced_count = 0;
    refuses = false;
    return result < 0 || !parent ? -1 : 0;
}

static int finish(void **state)
{
    loop_end(&quiet.loop);
    pending_fail_all(&quiet);
    sent_forget();
    return quiet_daemon_finish(state);
}

static void put_rest(struct message *message, int32_t count)
{
    control_put_int(message, count);
    control_put_int(message, 1); /* arguments */
    control_put_string(message, "argument");
    control_put_tid(message, SINK);
    for (int i = 0; i < 6; i++)
        control_put_int(message, 0);
}

static enum request_result ask(int32_t flags, const char *where, int32_t count)
{
    struct message *message = control_new(TM_SPAWN, CONTROL_CONTEXT_TM, WAIT);
    control_put_string(message, "program");
    control_put_int(message, flags);
    control_put_string(message, where);
    put_rest(message, count);
    return quiet_daemon_take(spawn_request, parent, 0, message);
}

static void spawn(int32_t flags, const char *where, int32_t count)
{
    assert_int_equal(ask(flags, where, count), REQUEST_DONE);
}

/* The daemon there is asked to start these. The number of the question. */
static int32_t expect_order(uint32_t part, int32_t first, int32_t count, int32_t total)
{
    struct execution execution;
    int32_t wait = sent_wait();
    struct control_reader *body = sent_expect(PVMD(part), DM_EXEC, 0, wait);
    assert_true(execution_read_order(&execution, body));
    assert_string_equal(execution.file, "program");
    assert_string_equal(execution.arguments.items[0], "argument");
    assert_int_equal(execution.parent, parent->tid);
    assert_int_equal(execution.first, first);
    assert_int_equal(execution.count, count);
    assert_int_equal(execution.total, total);
    execution_free(&execution);
    return wait;
}

/* That many tasks with tids from `tid` on have been started; `said` in place of how many. */
static bool hear_started(uint32_t part, int32_t wait, int32_t said, uint32_t tid, int32_t count)
{
    struct message *answer = control_new(DM_EXECACK, 0, wait);
    control_put_int(answer, said);
    for (int32_t i = 0; i < count; i++)
        control_put_tid(answer, tid + (uint32_t)i);
    return quiet_daemon_hear(part, answer);
}

static bool hear(uint32_t part, int32_t wait, uint32_t tid, int32_t count)
{
    return hear_started(part, wait, count, tid, count);
}

/* This host has done what it was asked for. */
static void carry_out(int number, int32_t tid)
{
    struct order *order = orders[number];
    for (int32_t i = 0; i < order->execution.count; i++)
        order->results[i] = tid < 0 ? tid : tid + i;
    order->done(order);
}

static void expect_results(const int32_t *results, int32_t count)
{
    struct control_reader *body = sent_expect(parent->tid, TM_SPAWN, CONTROL_CONTEXT_TM, WAIT);
    assert_int_equal(control_get_int(body), count);
    for (int32_t i = 0; i < count; i++)
        assert_int_equal(control_get_int(body), results[i]);
    assert_int_equal(control_rest(body), 0);
    assert_int_equal(sent_count(), 0);
}

#define EXPECT_RESULTS(...)                                                                        \
    expect_results((const int32_t[]){__VA_ARGS__},                                                 \
                   (int32_t)COUNT_OF(((const int32_t[]){__VA_ARGS__})))

#define TEST(name) UNIT_TEST_BETWEEN(name, start, finish)

TEST(tasks_go_in_blocks_to_all_hosts_and_come_back_in_order)
{
    spawn(0, "", 5);
    assert_int_equal(order_count, 1);
    assert_int_equal(orders[0]->execution.count, 2);
    assert_int_equal(orders[0]->execution.total, 5);
    int32_t second = expect_order(SECOND, 2, 2, 5);
    int32_t third = expect_order(THIRD, 4, 1, 5);
    assert_true(hear(THIRD, third, THIRD | 1, 1));
    carry_out(0, OWN_PART | 10);
    assert_int_equal(sent_count(), 0);
    assert_true(hear(SECOND, second, SECOND | 7, 2));
    EXPECT_RESULTS(OWN_PART | 10, OWN_PART | 11, SECOND | 7, SECOND | 8, THIRD | 1);
}

TEST(the_next_spawn_begins_at_the_next_host)
{
    spawn(0, "", 1);
    assert_int_equal(order_count, 1);
    spawn(0, "", 1);
    expect_order(SECOND, 0, 1, 1);
    spawn(0, "", 2);
    int32_t third = expect_order(THIRD, 0, 1, 2);
    assert_int_equal(order_count, 2);
    assert_int_equal(orders[1]->execution.first, 1);
    carry_out(0, PvmNoFile);
    EXPECT_RESULTS(PvmNoFile);
    carry_out(1, OWN_PART | 5);
    hear(THIRD, third, THIRD | 6, 1);
    EXPECT_RESULTS(THIRD | 6, OWN_PART | 5);
}

TEST(a_place_is_a_host_or_an_architecture_or_all_but_that)
{
    spawn(PvmTaskHost, "host3", 2);
    expect_order(THIRD, 0, 2, 2);
    spawn(PvmTaskArch, "BIG", 2);
    expect_order(THIRD, 0, 1, 2);
    expect_order(SECOND, 1, 1, 2);
    spawn(PvmTaskHost, ".", 3);
    assert_int_equal(order_count, 1);
    spawn(PvmTaskArch | PvmHostCompl, "BIG", 1);
    assert_int_equal(order_count, 2);
    spawn(PvmTaskHost | PvmHostCompl, ".", 2);
    expect_order(SECOND, 0, 1, 2);
    expect_order(THIRD, 1, 1, 2);
    assert_int_equal(sent_count(), 0);
    carry_out(0, PvmNoFile);
    carry_out(1, PvmNoFile);
}

TEST(a_place_that_there_is_not_is_no_host)
{
    spawn(PvmTaskHost, "nowhere", 2);
    EXPECT_RESULTS(PvmNoHost, PvmNoHost);
    spawn(PvmTaskArch, "SMALL", 1);
    EXPECT_RESULTS(PvmNoHost);
    spawn(PvmHostCompl, "", 1);
    EXPECT_RESULTS(PvmNoHost);
    hosts_find(&quiet.post->hosts, THIRD)->pending = true;
    spawn(PvmTaskHost, "host3", 1);
    EXPECT_RESULTS(PvmNoHost);
}

/* It is not in the table any more when its questions fail. */
static void lose(uint32_t part)
{
    quiet_daemon_remove_host(hosts_find(&quiet.post->hosts, part));
    pending_fail(&quiet, part);
}

TEST(others_take_over_from_a_host_that_is_gone)
{
    quiet.task_room->spawn_cursor = 2;
    spawn(0, "", 2);
    int32_t second = expect_order(SECOND, 0, 1, 2);
    int32_t third = expect_order(THIRD, 1, 1, 2);
    assert_true(hear(THIRD, third, THIRD | 1, 1));
    quiet.task_room->spawn_cursor = 3;
    lose(SECOND);
    int32_t again = expect_order(THIRD, 0, 1, 2);
    assert_int_equal(sent_count(), 0);
    assert_false(hear(SECOND, second, SECOND | 1, 1));
    assert_false(hear(SECOND, again, SECOND | 1, 1));
    lose(THIRD);
    assert_int_equal(order_count, 1);
    assert_int_equal(orders[0]->execution.first, 0);
    carry_out(0, OWN_PART | 3);
    EXPECT_RESULTS(OWN_PART | 3, THIRD | 1);
}

TEST(nobody_takes_over_what_was_meant_for_one_place)
{
    spawn(PvmTaskHost, "host2", 2);
    int32_t host = expect_order(SECOND, 0, 2, 2);
    lose(SECOND);
    EXPECT_RESULTS(PvmHostFail, PvmHostFail);
    assert_false(hear(SECOND, host, SECOND | 1, 2));
    spawn(PvmTaskArch, "BIG", 1);
    expect_order(THIRD, 0, 1, 1);
    lose(THIRD);
    EXPECT_RESULTS(PvmHostFail);
    assert_int_equal(order_count, 0);
}

TEST(nothing_is_taken_over_when_the_daemon_ends)
{
    quiet.task_room->spawn_cursor = 2;
    spawn(0, "", 1);
    expect_order(SECOND, 0, 1, 1);
    loop_end(&quiet.loop);
    pending_fail_all(&quiet);
    EXPECT_RESULTS(PvmHostFail);
}

TEST(an_answer_counts_once)
{
    spawn(PvmTaskHost | PvmHostCompl, ".", 2);
    int32_t second = expect_order(SECOND, 0, 1, 2);
    int32_t third = expect_order(THIRD, 1, 1, 2);
    assert_true(hear(SECOND, second, SECOND | 1, 1));
    assert_false(hear(SECOND, second, SECOND | 2, 1));
    assert_false(hear(SECOND, third, SECOND | 2, 1));
    lose(SECOND);
    assert_int_equal(sent_count(), 0);
    assert_true(hear(THIRD, third, THIRD | 1, 1));
    EXPECT_RESULTS(SECOND | 1, THIRD | 1);
}

TEST(what_an_answer_does_not_say_is_an_error_of_that_daemon)
{
    spawn(PvmTaskHost, "host2", 3);
    assert_true(hear(SECOND, expect_order(SECOND, 0, 3, 3), SECOND | 1, 1));
    EXPECT_RESULTS(SECOND | 1, PvmDSysErr, PvmDSysErr);
    spawn(PvmTaskHost, "host2", 2);
    assert_true(hear(SECOND, expect_order(SECOND, 0, 2, 2), SECOND | 1, 4));
    EXPECT_RESULTS(SECOND | 1, SECOND | 2);
    spawn(PvmTaskHost, "host2", 2);
    assert_true(hear_started(SECOND, expect_order(SECOND, 0, 2, 2), 1 << 30, SECOND | 1, 2));
    EXPECT_RESULTS(PvmDSysErr, PvmDSysErr);
    spawn(PvmTaskHost, "host2", 1);
    assert_true(hear_started(SECOND, expect_order(SECOND, 0, 1, 1), -1, 0, 0));
    EXPECT_RESULTS(PvmDSysErr);
}

TEST(short_memory_here_does_not_stop_the_others)
{
    refuses = true;
    spawn(0, "", 2);
    assert_true(hear(SECOND, expect_order(SECOND, 1, 1, 2), SECOND | 1, 1));
    EXPECT_RESULTS(PvmNoMem, SECOND | 1);
    spawn(PvmTaskHost, ".", 1);
    EXPECT_RESULTS(PvmNoMem);
}

TEST(sinks_are_told_of_those_that_run)
{
    spawn(0, "", 2);
    int32_t second = expect_order(SECOND, 1, 1, 2);
    carry_out(0, PvmNoFile);
    assert_int_equal(announced_count, 0);
    hear(SECOND, second, SECOND | 4, 1);
    assert_int_equal(announced_count, 1);
    assert_int_equal(traced_count, 1);
    assert_int_equal(announced[0], SECOND | 4);
    EXPECT_RESULTS(PvmNoFile, SECOND | 4);
}

TEST(a_requester_that_ends_meanwhile_does_no_harm)
{
    uint32_t tid = parent->tid;
    spawn(PvmTaskHost, "host2", 1);
    int32_t wait = expect_order(SECOND, 0, 1, 1);
    task_free(parent);
    assert_true(hear(SECOND, wait, (uint32_t)PvmNoFile, 1));
    sent_expect(tid, TM_SPAWN, CONTROL_CONTEXT_TM, WAIT);
}

static struct message *order(int32_t tag, int32_t count)
{
    struct message *message = control_new(tag, 0, WAIT);
    control_put_tid(message, SECOND | 1);
    control_put_string(message, "program");
    control_put_int(message, 0);
    put_rest(message, count);
    return message;
}

TEST(an_order_is_answered_when_it_is_carried_out)
{
    struct message *of_daemon = order(DM_EXEC, 2), *of_scheduler = order(SM_EXEC, 1);
    control_put_int(of_daemon, 4);
    control_put_int(of_daemon, 6);
    control_put_int(of_scheduler, 0);
    control_put_int(of_scheduler, 1);
    assert_int_equal(quiet_daemon_take(spawn_order, NULL, SECOND, of_daemon), REQUEST_DONE);
    assert_int_equal(quiet_daemon_take(spawn_order, parent, 0, of_scheduler), REQUEST_DONE);
    assert_int_equal(order_count, 2);
    assert_int_equal(orders[0]->execution.first, 4);
    assert_int_equal(orders[0]->execution.total, 6);
    assert_int_equal(sent_count(), 0);
    carry_out(1, PvmNoFile);
    struct control_reader *body = sent_expect(parent->tid, SM_EXECACK, 0, WAIT);
    assert_int_equal(control_get_int(body), 1);
    assert_int_equal(control_get_int(body), PvmNoFile);
    carry_out(0, OWN_PART | 8);
    body = sent_expect(PVMD(SECOND), DM_EXECACK, 0, WAIT);
    assert_int_equal(control_get_int(body), 2);
    assert_int_equal(control_get_int(body), OWN_PART | 8);
    assert_int_equal(control_get_int(body), OWN_PART | 9);
    assert_int_equal(announced_count, 0); /* that is left to who has asked */
}

TEST(what_makes_no_sense_is_refused)
{
    assert_int_equal(ask(0, "", 0), REQUEST_MALFORMED);
    assert_int_equal(ask(0, "", -1), REQUEST_MALFORMED);
    assert_int_equal(ask(0, "", EXECUTION_COUNT_MAX + 1), REQUEST_MALFORMED);
    assert_int_equal(quiet_daemon_take(spawn_request, parent, 0, control_new(TM_SPAWN, 0, WAIT)),
                     REQUEST_MALFORMED);
    assert_int_equal(quiet_daemon_take(spawn_order, NULL, SECOND, order(DM_EXEC, 1)),
                     REQUEST_MALFORMED);
    refuses = true;
    struct message *whole = order(DM_EXEC, 1);
    control_put_int(whole, 0);
    control_put_int(whole, 1);
    assert_int_equal(quiet_daemon_take(spawn_order, NULL, SECOND, whole), REQUEST_MALFORMED);
    assert_int_equal(sent_count(), 0);
    assert_int_equal(order_count, 0);
}

TEST(plug_ins_are_started_by_their_words)
{
    setenv("PVM_TASKER", " tasker -v\t7 ", 1);
    setenv("PVM_RM", " \t", 1);
    spawn_plug_ins(&quiet);
    unsetenv("PVM_TASKER");
    unsetenv("PVM_RM");
    assert_int_equal(order_count, 1);
    const struct execution *execution = &orders[0]->execution;
    assert_string_equal(execution->file, "tasker");
    assert_int_equal(execution->arguments.count, 2);
    assert_string_equal(execution->arguments.items[1], "7");
    assert_int_equal(execution->parent, PvmParentNotSet);
    carry_out(0, PvmNoFile);
    assert_int_equal(sent_count(), 0);
}
