/* test_daemon_lease.c - how many tids does a process get, and whom does the daemon hear about them? */
#include "daemon/post/lease.h"

#include <pvm3.h>

#include "core/control.h"
#include "daemon/post/task_link.h"
#include "quiet_daemon.h"
#include "shortage.h"
#include "unit.h"

#define LINKS 4
#define MOST  4096
#define SHARE (TID_LOCAL_MASK / 64)

static struct task_link links[LINKS];
static uint32_t tids[MOST];

/* Links that were heard, in this order, and of whom. */
static struct {
    int count;
    const struct task_link *links[2 * LINKS];
    uint32_t tids[2 * LINKS];
    struct task_link *closes; /* this one goes when the next one is heard */
} heard;

void task_link_join(struct task_link *link, struct task *task)
{
    task->link = link;
    list_append(&link->tasks, &task->of_link);
}

void task_link_hear(struct task_link *link, uint32_t tid)
{
    assert_in_range(heard.count, 0, COUNT_OF(heard.links) - 1);
    heard.links[heard.count] = link;
    heard.tids[heard.count++] = tid;
    if (heard.closes)
        list_remove(&heard.closes->node);
    heard.closes = NULL;
}

static int start(void **state)
{
    int result = quiet_daemon_start(state);
    memset(&heard, 0, sizeof heard);
    memset(links, 0, sizeof links);
    list_start(&quiet.post->listener.links);
    for (int i = 0; i < LINKS; i++) {
        links[i].daemon = &quiet;
        list_start(&links[i].tasks);
        list_append(&quiet.post->listener.links, &links[i].node);
    }
    return result;
}

static void give_back(struct task_link *link)
{
    while (!list_is_empty(&link->tasks))
        task_free(LIST_OWNER(link->tasks.next, struct task, of_link));
}

static int finish(void **state)
{
    for (int i = 0; i < LINKS; i++)
        give_back(&links[i]);
    assert_int_equal(quiet.post->tasks.leased, 0);
    return quiet_daemon_finish(state);
}

#define TEST(name) UNIT_TEST_BETWEEN(name, start, finish)

TEST(what_is_wished_is_leased)
{
    struct tasks *tasks = &quiet.post->tasks;
    assert_int_equal(lease_extend(&links[0], 2, 5, tids), 5);
    assert_true(links[0].leased);
    for (int i = 0; i < 5; i++) {
        const struct task *task = tasks_find(tasks, tids[i]);
        assert_ptr_equal(task->link, &links[0]);
        assert_false(task_has_begun(task));
    }
    assert_int_equal(lease_extend(&links[0], 1, 1, tids), 1);
    assert_int_equal(tasks->count, 6);
    assert_int_equal(tasks->leased, 6);
}

TEST(a_lease_takes_no_more_than_its_share_unless_it_needs_it)
{
    assert_int_equal(lease_extend(&links[0], 0, MOST, tids), SHARE);
    assert_int_equal(lease_extend(&links[1], 0, MOST, tids), (TID_LOCAL_MASK - SHARE) / 64);
    assert_int_equal(lease_extend(&links[2], MOST, MOST, tids), MOST);
}

static void expect_block(uint32_t block)
{
    const int32_t size = CONTROL_LEASE_BLOCK;
    assert_int_equal(lease_extend(&links[0], 1, size, tids), size);
    for (int32_t i = 0; i < size; i++)
        assert_int_equal(tids[i], OWN_PART + block * CONTROL_LEASE_BLOCK + (uint32_t)i);
}

/* Number 0 is nobody's, and somebody has one of block 2. */
TEST(whole_blocks_are_leased_where_they_are_free)
{
    struct tasks *tasks = &quiet.post->tasks;
    tasks->cursor = 2 * CONTROL_LEASE_BLOCK + 4;
    struct task *stranger = task_new(tasks, "");
    tasks->cursor = 0;
    expect_block(1);
    expect_block(3);
    tasks->cursor = TID_LOCAL_MASK;
    expect_block(4);
    assert_int_equal(lease_extend(&links[0], 1, 2, tids), 2);
    expect_block(6);
    task_free(stranger);
}

TEST(a_limit_on_tasks_leaves_nothing_to_wish)
{
    quiet.post->tasks.limit = 5;
    assert_int_equal(lease_extend(&links[0], 3, 5, tids), 3);
    assert_int_equal(lease_extend(&links[1], 3, 3, tids), PvmOutOfRes);
    assert_int_equal(quiet.post->tasks.count, 3);
    assert_false(links[1].leased);
    assert_int_equal(lease_extend(&links[1], 2, 2, tids), 2);
}

static void end_round(struct loop_work *work)
{
    (void)work;
    loop_end(&quiet.loop);
}

/* Records go at the end of a round. */
static void lease_in_need(void)
{
    struct loop_work round;
    int32_t count = lease_extend(&links[0], 3, 4, tids);
    assert_int_equal(quiet.post->tasks.count, count < 0 ? 0 : count);
    assert_true(count == PvmOutOfRes ? shortage_was_met() : count == 4 - shortage_was_met());
    give_back(&links[0]);
    quiet.loop.ended = false;
    loop_work_start(&round, end_round);
    loop_defer(&quiet.loop, &round);
    assert_int_equal(loop_run(&quiet.loop), 0);
}

TEST(all_that_is_needed_or_nothing_when_memory_is_short)
{
    shortage_try_each(lease_in_need, 4);
}

TEST(tids_are_found_by_their_lease_alone)
{
    assert_int_equal(lease_extend(&links[0], 2, 2, tids), 2);
    struct task *born = tasks_find(&quiet.post->tasks, tids[0]);
    struct task *unborn = tasks_find(&quiet.post->tasks, tids[1]);
    assert_int_equal(task_begin(born, "born"), 0);
    assert_ptr_equal(lease_find(&links[0], tids[0], false), born);
    assert_null(lease_find(&links[0], tids[0], true));
    assert_ptr_equal(lease_find(&links[0], tids[1], true), unborn);
    assert_null(lease_find(&links[0], tids[1], false));
    assert_null(lease_find(&links[1], tids[0], false));
    assert_null(lease_find(&links[1], tids[1], true));
    assert_null(lease_find(&links[0], tids[1] + 1, true));
}

TEST(who_has_a_lease_is_heard_about_its_tids)
{
    struct task *other = task_new(&quiet.post->tasks, "of another connection");
    task_link_join(&links[1], other);
    assert_int_equal(lease_extend(&links[0], 1, 1, tids), 1);
    lease_hear(&quiet, other->tid);
    lease_hear(&quiet, tids[0] + 1);
    lease_hear(&quiet, 0);
    assert_int_equal(heard.count, 0);
    lease_hear(&quiet, tids[0]);
    assert_int_equal(heard.count, 1);
    assert_ptr_equal(heard.links[0], &links[0]);
    assert_int_equal(heard.tids[0], tids[0]);
}

/* One that is heard may close any other. */
TEST(all_leases_are_heard)
{
    for (int i = 0; i < LINKS; i++)
        links[i].leased = i != 1;
    lease_hear_all(&quiet);
    assert_int_equal(heard.count, LINKS - 1);
    for (int i = 0; i < LINKS - 1; i++) {
        assert_ptr_equal(heard.links[i], &links[i ? i + 1 : 0]);
        assert_int_equal(heard.tids[i], 0);
    }
    heard.count = 0;
    heard.closes = &links[2];
    lease_hear_all(&quiet);
    assert_ptr_equal(heard.links[0], &links[0]);
    assert_ptr_equal(heard.links[1], &links[3]);
}
