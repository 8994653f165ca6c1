/* test_daemon_region_requests.c - who gets numbers of regions, who waits, and what comes back? */
#include "daemon/requests/region_requests.h"

#include <pvm3.h>

#include "daemon/post/host_link.h"
#include "daemon/post/task_link.h"
#include "quiet_daemon.h"
#include "sent.h"
#include "unit.h"

#define WAIT     99
#define FAR_PART (2u << TID_HOST_SHIFT)
#define FAR_PVMD (FAR_PART | TID_DAEMON_BIT)
#define SIZE     CONTROL_REGION_BLOCK
#define TASKS    3
#define PROCESS  100

static struct task_link links[TASKS];
static struct task *tasks[TASKS];
static struct host *far_host;
static int complaints;

void complain(struct complaints *all, uint32_t who, const char *format, ...)
{
    assert_ptr_equal(all, &quiet.complaints);
    assert_true(who == FAR_PART || tid_is_task(who));
    assert_non_null(format);
    complaints++;
}

static int start(void **state)
{
    int result = quiet_daemon_start(state);
    region_start(&quiet);
    list_start(&quiet.post->listener.links);
    far_host = quiet_daemon_add_host(2);
    far_host->link->upgrade.known = true;
    complaints = 0;
    for (int i = 0; i < TASKS && result == 0; i++) {
        links[i] = (struct task_link){.daemon = &quiet, .process = PROCESS + i};
        list_append(&quiet.post->listener.links, &links[i].node);
        tasks[i] = task_new(&quiet.post->tasks, "");
        assert_non_null(tasks[i]);
        tasks[i]->link = &links[i];
        tasks[i]->process = links[i].process;
    }
    return result;
}

static int finish(void **state)
{
    pending_fail_all(&quiet);
    assert_true(list_is_empty(&quiet.request_room->region_waits.list));
    region_finish(&quiet);
    sent_forget();
    return quiet_daemon_finish(state);
}

#define TEST(name) UNIT_TEST_BETWEEN(name, start, finish)

static enum request_result say(request_handler *handler, struct task *task, int count,
                               const int32_t *words)
{
    struct message *message = control_new(CONTROL_REGIONS, CONTROL_CONTEXT_TM, WAIT);
    control_put_items(message, PVM_INT, words, count);
    return quiet_daemon_take(handler, task, FAR_PART, message);
}

static void ask(int task, int32_t needed, int32_t wished)
{
    const int32_t words[] = {needed, wished};
    assert_int_equal(say(region_request, tasks[task], 2, words), REQUEST_DONE);
}

/* So many numbers from `first` on; or an error. */
static void expect(int task, int32_t count, int32_t first)
{
    struct control_reader *body =
        sent_expect(tasks[task]->tid, CONTROL_REGIONS, CONTROL_CONTEXT_TM, WAIT);
    assert_int_equal(control_get_int(body), count);
    for (int32_t i = 0; i < count; i++)
        assert_int_equal(control_get_int(body), first + i);
    assert_int_equal(control_rest(body), 0);
}

static void give_back(int task, int32_t number)
{
    const int32_t words[] = {1, number};
    assert_int_equal(say(region_take_back, tasks[task], 2, words), REQUEST_DONE);
}

static int32_t block_for_far_host(void)
{
    assert_int_equal(say(region_grant_block, NULL, 0, NULL), REQUEST_DONE);
    return control_get_int(sent_expect(FAR_PVMD, CONTROL_REGIONS + 1, CONTROL_CONTEXT_TM, WAIT));
}

static void far_gives_back(int32_t block)
{
    assert_int_equal(say(region_take_block_back, NULL, 1, &block), REQUEST_DONE);
}

/* The other host is the master from now on. */
static void serve_far_master(void)
{
    quiet.post->hosts.master = far_host;
}

static int32_t expect_question(void)
{
    int32_t wait = sent_wait();
    sent_expect(FAR_PVMD, CONTROL_BLOCK, 0, wait);
    return wait;
}

static void master_answers(int32_t wait, int32_t block)
{
    struct message *answer = control_new(CONTROL_BLOCK_ANSWER, 0, wait);
    control_put_int(answer, block);
    assert_true(quiet_daemon_hear(FAR_PART, answer));
}

TEST(the_master_gives_what_is_needed_and_perhaps_more)
{
    ask(0, 1, 200);
    expect(0, 200, 0);
    ask(1, 1, 100);
    expect(1, 56, 200);
    assert_int_equal(block_for_far_host(), 1);
    ask(1, 3, 3);
    expect(1, 3, 2 * SIZE);
    ask(2, SIZE, SIZE);
    struct control_reader *body =
        sent_expect(tasks[2]->tid, CONTROL_REGIONS, CONTROL_CONTEXT_TM, WAIT);
    assert_int_equal(control_get_int(body), SIZE);
    assert_int_equal(sent_count(), 0);
}

TEST(what_makes_no_sense_gets_nothing)
{
    const int32_t bad[][2] = {{0, 0}, {0, 5}, {-1, 5}, {2, 1}, {1, SIZE + 1}, {1, INT32_MAX}};
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        assert_int_equal(say(region_request, tasks[0], 2, bad[i]), REQUEST_MALFORMED);
    assert_int_equal(say(region_request, tasks[0], 1, bad[1]), REQUEST_MALFORMED);
    assert_int_equal(say(region_take_back, tasks[0], 0, NULL), REQUEST_MALFORMED);
    assert_int_equal(say(region_take_back, tasks[0], 1, bad[3]), REQUEST_MALFORMED);
    assert_int_equal(say(region_take_block_back, NULL, 0, NULL), REQUEST_MALFORMED);
    assert_int_equal(sent_count(), 0);
    ask(0, 1, 1);
    expect(0, 1, 0);
}

TEST(only_who_holds_a_number_gives_it_back)
{
    ask(0, 2, 2);
    expect(0, 2, 0);
    give_back(1, 0);
    give_back(0, 2);
    give_back(0, -1);
    give_back(0, CONTROL_REGION_COUNT);
    assert_int_equal(complaints, 4);
    give_back(0, 0);
    assert_int_equal(complaints, 4);
    ask(1, 2, 2);
    struct control_reader *body =
        sent_expect(tasks[1]->tid, CONTROL_REGIONS, CONTROL_CONTEXT_TM, WAIT);
    const int32_t got[] = {2, 0, 2};
    for (size_t i = 0; i < COUNT_OF(got); i++)
        assert_int_equal(control_get_int(body), got[i]);
}

TEST(the_end_of_a_connection_frees_its_numbers)
{
    ask(0, 5, 5);
    expect(0, 5, 0);
    ask(1, 5, 5);
    expect(1, 5, 5);
    region_link_end(&links[0]);
    ask(1, 5, 5);
    expect(1, 5, 0);
    give_back(1, 7);
    assert_int_equal(complaints, 0);
}

TEST(a_process_holds_numbers_through_all_its_connections)
{
    tasks[1]->process = links[1].process = PROCESS;
    ask(0, 5, 5);
    expect(0, 5, 0);
    give_back(1, 3);
    assert_int_equal(complaints, 0);
    region_link_end(&links[0]);
    list_remove(&links[0].node);
    ask(2, 2, 2);
    struct control_reader *body =
        sent_expect(tasks[2]->tid, CONTROL_REGIONS, CONTROL_CONTEXT_TM, WAIT);
    const int32_t got[] = {2, 3, 5};
    for (size_t i = 0; i < COUNT_OF(got); i++)
        assert_int_equal(control_get_int(body), got[i]);
    region_link_end(&links[1]);
    ask(2, 3, 3);
    expect(2, 3, 0);
}

TEST(a_process_that_the_system_does_not_name_gets_none)
{
    tasks[0]->process = links[0].process = 0;
    ask(0, 1, 1);
    expect(0, PvmNotImpl, 0);
    give_back(0, 0);
    assert_int_equal(complaints, 1);
    region_link_end(&links[0]);
    ask(1, 1, 1);
    expect(1, 1, 0);
}

TEST(all_numbers_are_taken)
{
    for (int32_t i = 0; i < CONTROL_REGION_BLOCKS; i++)
        assert_int_equal(block_for_far_host(), i);
    assert_int_equal(block_for_far_host(), PvmOutOfRes);
    ask(0, 1, 1);
    expect(0, PvmOutOfRes, 0);
    far_gives_back(3);
    ask(0, 1, 1);
    expect(0, 1, 3 * SIZE);
    far_gives_back(3);
    assert_int_equal(complaints, 1);
    ask(0, SIZE, SIZE);
    expect(0, PvmOutOfRes, 0);
    ask(0, SIZE - 1, SIZE);
    expect(0, SIZE - 1, 3 * SIZE + 1);
}

TEST(the_master_keeps_no_spare_block_of_its_own)
{
    ask(0, SIZE, SIZE);
    expect(0, SIZE, 0);
    ask(1, SIZE, SIZE);
    expect(1, SIZE, SIZE);
    region_link_end(&links[0]);
    assert_int_equal(block_for_far_host(), 2);
    region_link_end(&links[1]);
    assert_int_equal(block_for_far_host(), 1);
}

TEST(a_slave_asks_for_one_block_at_a_time)
{
    serve_far_master();
    ask(0, SIZE - 1, SIZE - 1);
    int32_t wait = expect_question();
    ask(1, 2, 2);
    ask(2, 1, 1);
    assert_int_equal(sent_count(), 0);
    master_answers(wait, 9);
    expect(0, SIZE - 1, 9 * SIZE);
    expect(2, 1, 9 * SIZE + SIZE - 1);
    wait = expect_question();
    assert_int_equal(sent_count(), 0);
    master_answers(wait, 4);
    expect(1, 2, 4 * SIZE);
    assert_int_equal(sent_count(), 0);
}

TEST(what_comes_back_meanwhile_helps_when_the_master_has_none)
{
    serve_far_master();
    ask(0, SIZE, SIZE);
    master_answers(expect_question(), 0);
    expect(0, SIZE, 0);
    ask(1, 1, 1);
    ask(2, 2, 2);
    give_back(0, 17);
    master_answers(expect_question(), PvmOutOfRes);
    expect(1, 1, 17);
    expect(2, PvmOutOfRes, 0);
}

static void expect_refusal(int32_t wait, int32_t block, int32_t error)
{
    master_answers(wait, block);
    expect(0, error, 0);
    assert_int_equal(sent_count(), 0);
}

TEST(a_master_that_answers_nonsense)
{
    serve_far_master();
    ask(0, 1, 1);
    master_answers(expect_question(), 5);
    expect(0, 1, 5 * SIZE);
    const int32_t nonsense[] = {5, CONTROL_REGION_BLOCKS, INT32_MAX};
    for (size_t i = 0; i < COUNT_OF(nonsense); i++) {
        ask(0, SIZE, SIZE);
        expect_refusal(expect_question(), nonsense[i], PvmBadParam);
    }
    ask(0, SIZE, SIZE);
    assert_true(
        quiet_daemon_hear(FAR_PART, control_new(CONTROL_BLOCK_ANSWER, 0, expect_question())));
    expect(0, PvmSysErr, 0);
    ask(0, SIZE - 1, SIZE - 1);
    expect(0, SIZE - 1, 5 * SIZE + 1);
}

TEST(a_master_that_is_gone)
{
    serve_far_master();
    ask(0, 1, 1);
    ask(1, 1, 1);
    expect_question();
    pending_fail(&quiet, FAR_PART);
    expect(0, PvmSysErr, 0);
    expect(1, PvmSysErr, 0);
}

TEST(a_master_of_3_4_6_is_not_asked)
{
    serve_far_master();
    far_host->link->upgrade.known = false;
    ask(0, 1, 1);
    expect(0, PvmNotImpl, 0);
    assert_int_equal(sent_count(), 0);
}

TEST(who_is_over_gets_nothing)
{
    serve_far_master();
    ask(0, 1, 1);
    ask(1, 1, 1);
    ask(2, 1, 1);
    int32_t wait = expect_question();
    task_free(tasks[0]);
    tasks[1]->link = NULL;
    master_answers(wait, 0);
    expect(2, 1, 0);
    assert_int_equal(sent_count(), 0);
}

/* Whose home is this host, another one, and none. */
TEST(tasks_from_a_file_claim_numbers)
{
    const uint32_t own = tasks[0]->tid, far = FAR_PVMD | 1, gone = own ^ 0x1000000;
    assert_int_equal(region_claim(&quiet, own, 5), PvmOk);
    assert_int_equal(region_claim(&quiet, own, 5), PvmOutOfRes);
    assert_int_equal(region_claim(&quiet, far, 6), PvmOutOfRes);
    assert_int_equal(region_claim(&quiet, far, SIZE), PvmOk);
    assert_int_equal(region_claim(&quiet, gone, 2 * SIZE), PvmOk);
    assert_int_equal(quiet.post->block_owners.parts[1], FAR_PART);
    assert_int_equal(quiet.post->block_owners.parts[2], tid_host_part(gone));
    ask(0, 5, 5);
    expect(0, 5, 0);
    ask(0, 1, 1);
    expect(0, 1, 6);
    region_over(&quiet, own, 5);
    assert_int_equal(region_claim(&quiet, own, 5), PvmOk);
}

TEST(a_slave_gives_spare_blocks_back)
{
    serve_far_master();
    for (int i = 0; i < TASKS; i++) {
        ask(i, SIZE, SIZE);
        master_answers(expect_question(), 10 + i);
        expect(i, SIZE, (10 + i) * SIZE);
    }
    region_link_end(&links[1]);
    assert_int_equal(sent_count(), 0);
    region_link_end(&links[0]);
    assert_int_equal(control_get_int(sent_expect(FAR_PVMD, CONTROL_BLOCK_BACK, 0, 0)), 11);
    region_link_end(&links[2]);
    assert_int_equal(control_get_int(sent_expect(FAR_PVMD, CONTROL_BLOCK_BACK, 0, 0)), 12);
    ask(0, 1, 1);
    expect(0, 1, 10 * SIZE);
}
