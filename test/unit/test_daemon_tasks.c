/* test_daemon_tasks.c - which records are found, and which of them are tasks, in which order? */
#include "daemon/post/tasks.h"

#include "quiet_daemon.h"
#include "unit.h"

#define MANY 200 /* more than there are buckets at first */

static struct tasks *tasks;
static struct task *records[MANY];

static int start(void **state)
{
    int result = quiet_daemon_start(state);
    tasks = &quiet.post->tasks;
    for (int i = 0; i < MANY; i++)
        records[i] = task_reserve(tasks);
    return result;
}

static int finish(void **state)
{
    for (int i = 0; i < MANY; i++)
        if (!task_has_begun(records[i]))
            task_free(records[i]);
    return quiet_daemon_finish(state);
}

#define TEST(name) UNIT_TEST_BETWEEN(name, start, finish)

/* The tasks are those from `first` on, every `step`th record. */
static void expect_tasks(int first, int step)
{
    int next = first;
    LIST_FOR_EACH(node, &tasks->list)
    {
        assert_ptr_equal(task_at(node), records[next]);
        next += step;
    }
    assert_true(next >= MANY);
}

TEST(a_record_is_found_and_is_no_task)
{
    assert_int_equal(tasks->count, MANY);
    assert_true(list_is_empty(&tasks->list));
    for (int i = 0; i < MANY; i++) {
        assert_ptr_equal(tasks_find(tasks, records[i]->tid), records[i]);
        assert_null(tasks_find_task(tasks, records[i]->tid));
    }
    assert_null(tasks_find(tasks, OWN_PART | (MANY + 1)));
}

TEST(tasks_are_listed_by_tid_whenever_they_begin)
{
    for (int i = 0; i < MANY; i += 4)
        assert_int_equal(task_begin(records[i], "task"), 0);
    expect_tasks(0, 4);
    for (int i = MANY - 2; i > 0; i -= 4)
        assert_int_equal(task_begin(records[i], ""), 0);
    expect_tasks(0, 2);
    for (int i = 1; i < MANY; i += 2)
        assert_int_equal(task_begin(records[i], ""), 0);
    expect_tasks(0, 1);
    assert_ptr_equal(tasks_find_task(tasks, records[4]->tid), records[4]);
    assert_string_equal(records[4]->name, "task");
}

TEST(what_is_freed_is_not_found_and_does_not_count)
{
    uint32_t tid = records[3]->tid;
    task_free(records[3]);
    assert_null(tasks_find(tasks, tid));
    assert_int_equal(tasks->count, MANY - 1);
    records[3] = task_reserve(tasks);
    assert_int_equal(records[3]->tid, tid + MANY - 3); /* not yet the same again */
}

TEST(no_more_than_the_limit)
{
    tasks->limit = MANY + 1;
    struct task *last = task_new(tasks, "last");
    assert_non_null(last);
    assert_null(task_reserve(tasks));
    assert_null(task_new(tasks, "one more"));
    task_free(last);
    assert_non_null(task_new(tasks, "in its place"));
}
