/* test_groups_table.c - what the group server decides, without a message. */
#include "groups/table.h"

#include <pvm3.h>

#include "shortage.h"
#include "unit.h"

#define A          0x40001
#define B          0x40002
#define C          0x80001
#define HIGH_LOCAL 0x60001 /* bit 17: a host of its own, as in 3.4.6 */

static struct groups_table *table;
static struct group_release release; /* by the last call */

UNIT_STEP(set_up)
{
    table = groups_table_create();
    return table ? 0 : -1;
}

UNIT_STEP(tear_down)
{
    groups_table_destroy(table);
    return 0;
}

static void join_all(const char *name)
{
    assert_int_equal(groups_table_join(table, name, A), 0);
    assert_int_equal(groups_table_join(table, name, B), 1);
    assert_int_equal(groups_table_join(table, name, C), 2);
}

static int leave(const char *name, int tid)
{
    struct group_release barrier, freeze;
    int result = groups_table_leave(table, name, tid, &barrier, &freeze);
    assert_int_equal(barrier.count + freeze.count, 0);
    group_release_free(&barrier);
    group_release_free(&freeze);
    return result;
}

static int barrier(int tid, int wanted)
{
    struct group_waiter caller = {.tid = tid, .label = GROUPS_BARRIER};
    return groups_table_barrier(table, "g", caller, wanted, false, &release);
}

static int freeze(int tid, int wanted)
{
    struct group_waiter caller = {.tid = tid, .label = GROUPS_FREEZE};
    return groups_table_freeze(table, "g", caller, wanted, &release);
}

static void freeze_all(void)
{
    join_all("g");
    assert_int_equal(freeze(A, 3), 0);
    assert_int_equal(freeze(B, 3), 0);
    assert_int_equal(freeze(C, -1), 3);
    assert_int_equal(release.count, 3);
    assert_ptr_equal(release.group, groups_table_find(table, "g"));
    group_release_free(&release);
}

#define TEST(name) UNIT_TEST_BETWEEN(name, set_up, tear_down)

TEST(lowest_free_instance_is_given)
{
    join_all("g");
    assert_int_equal(leave("g", B), 0);
    assert_int_equal(groups_table_instance(table, "g", B), PvmNotInGroup);
    assert_int_equal(groups_table_tid(table, "g", 1), PvmNoInst);
    assert_int_equal(groups_table_instance(table, "g", GROUPS_NOBODY), 1);
    assert_false(group_is_contiguous(groups_table_find(table, "g")));
    assert_int_equal(groups_table_join(table, "g", HIGH_LOCAL), 1);
    assert_int_equal(groups_table_join(table, "g", B), 3);
    assert_true(group_is_contiguous(groups_table_find(table, "g")));
    assert_int_equal(groups_table_size(table, "g"), 4);
}

TEST(tids_grow_by_tens)
{
    for (int i = 0; i < 11; i++) {
        assert_int_equal(groups_table_join(table, "g", A + i), i);
        assert_int_equal(groups_table_instance(table, "g", GROUPS_NOBODY),
                         i == 9 ? PvmNotInGroup : i + 1);
    }
    assert_int_equal(groups_table_find(table, "g")->capacity, 20);
    assert_int_equal(groups_table_tid(table, "g", 10), A + 10);
    assert_int_equal(groups_table_tid(table, "g", 11), PvmNoInst);
    assert_int_equal(groups_table_tid(table, "g", 20), PvmNoInst);
    assert_int_equal(groups_table_tid(table, "g", -1), PvmNoInst);
}

TEST(errors_tell_group_from_member)
{
    assert_int_equal(groups_table_join(table, "g", A), 0);
    assert_int_equal(groups_table_join(table, "g", A), PvmDupGroup);
    assert_int_equal(leave("g", B), PvmNotInGroup);
    assert_int_equal(leave("h", A), PvmNoGroup);
    assert_int_equal(barrier(B, 1), PvmNotInGroup);
    assert_int_equal(groups_table_size(table, "h"), PvmNoGroup);
    assert_int_equal(groups_table_instance(table, "h", A), PvmNoGroup);
    assert_int_equal(groups_table_tid(table, "h", 0), PvmNoGroup);
}

TEST(last_member_takes_the_group_with_it)
{
    assert_int_equal(groups_table_join(table, "g", A), 0);
    assert_int_equal(groups_table_join(table, "h", A), 0);
    assert_int_equal(groups_table_count(table), 2);
    assert_int_equal(leave("g", A), 0);
    assert_null(groups_table_find(table, "g"));
    assert_string_equal(groups_table_of_task(table, A)->name, "h");
    assert_int_equal(leave("h", A), 0);
    assert_null(groups_table_of_task(table, A));
    assert_int_equal(groups_table_count(table), 0);
}

TEST(barrier_releases_all_callers_together)
{
    join_all("g");
    for (int turn = 0; turn < 2; turn++) {
        assert_int_equal(barrier(A, 3), 0);
        assert_int_equal(release.count, 0);
        assert_int_equal(barrier(B, -1), 0);
        assert_int_equal(barrier(C, 3), 3);
        assert_int_equal(release.value, 3);
        assert_int_equal(release.count, 3);
        assert_int_equal(release.waiters[0].tid, A);
        assert_int_equal(release.waiters[2].tid, C);
        assert_int_equal(release.waiters[2].label, GROUPS_BARRIER);
        group_release_free(&release);
    }
}

TEST(wrong_count_leaves_the_barrier_as_it_was)
{
    join_all("g");
    assert_int_equal(barrier(A, 0), PvmMismatch);
    assert_int_equal(barrier(A, -2), PvmMismatch);
    assert_int_equal(barrier(A, 2), 0);
    assert_int_equal(barrier(B, 3), PvmMismatch);
    assert_int_equal(barrier(C, -1), PvmMismatch);
    assert_int_equal(barrier(B, 2), 2);
    assert_int_equal(release.count, 2);
    group_release_free(&release);
}

TEST(who_leaves_waits_no_longer)
{
    join_all("g");
    assert_int_equal(barrier(A, 2), 0);
    assert_int_equal(leave("g", A), 0);
    assert_int_equal(barrier(B, 3), 0); /* the count was A's alone */
    assert_int_equal(leave("g", B), 0);
    assert_int_equal(barrier(C, 1), 1);
    assert_int_equal(release.waiters[0].tid, C);
    group_release_free(&release);
}

/* One leaves, and that sets `freed` free, who are told `value`. */
static void leave_frees(int tid, bool in_barrier, int freed, int value)
{
    struct group_release barrier, freeze;
    assert_int_equal(groups_table_leave(table, "g", tid, &barrier, &freeze), 0);
    const struct group_release *one = in_barrier ? &barrier : &freeze;
    assert_int_equal((in_barrier ? &freeze : &barrier)->count, 0);
    assert_int_equal(one->count, freed);
    assert_int_equal(one->value, value);
    assert_ptr_equal(one->group, groups_table_find(table, "g"));
    group_release_free(&barrier);
    group_release_free(&freeze);
}

TEST(all_are_those_who_are_members_in_the_end)
{
    join_all("g");
    assert_int_equal(barrier(A, -1), 0);
    assert_int_equal(barrier(B, -1), 0);
    leave_frees(C, true, 2, 2);

    assert_int_equal(barrier(B, -1), 0);
    assert_int_equal(groups_table_join(table, "g", C), 2);
    assert_int_equal(groups_table_find(table, "g")->barrier.wanted, 3);
    assert_int_equal(barrier(C, -1), 0);
    assert_int_equal(leave("g", B), 0); /* it waits no longer, and A is waited for */
    assert_int_equal(barrier(A, 2), 2);
    assert_int_equal(release.count, 2);
    group_release_free(&release);
}

TEST(number_that_somebody_says_stays)
{
    join_all("g");
    assert_int_equal(barrier(A, -1), 0);
    assert_int_equal(barrier(B, 3), 0);
    assert_int_equal(leave("g", C), 0);
    assert_int_equal(groups_table_find(table, "g")->barrier.wanted, 3);
    assert_int_equal(groups_table_join(table, "g", C), 2);
    assert_int_equal(barrier(C, -1), 3);
    group_release_free(&release);

    struct group_waiter host = {.tid = A, .label = 1};
    assert_int_equal(groups_table_barrier(table, "g", host, -1, true, &release), 0);
    assert_int_equal(leave("g", C), 0);
    assert_int_equal(groups_table_find(table, "g")->barrier.wanted, 3);
}

TEST(group_freezes_without_who_leaves)
{
    join_all("g");
    assert_int_equal(freeze(A, -1), 0);
    assert_int_equal(groups_table_join(table, "g", HIGH_LOCAL), 3);
    assert_int_equal(freeze(B, -1), 0);
    assert_int_equal(freeze(C, -1), 0);
    leave_frees(HIGH_LOCAL, false, 3, 3);
    assert_int_equal(groups_table_find(table, "g")->state, GROUPS_STATIC);
}

TEST(caller_can_stand_for_its_host)
{
    struct group_waiter first = {.tid = A, .label = 1}, second = {.tid = C, .label = 2};
    join_all("g");
    assert_int_equal(groups_table_barrier(table, "g", first, 3, true, &release), 0);
    assert_int_equal(groups_table_find(table, "g")->barrier.reached, 2);
    assert_int_equal(groups_table_barrier(table, "g", second, 3, true, &release), 3);
    assert_int_equal(release.count, 2);
    group_release_free(&release);
}

TEST(static_group_takes_nobody)
{
    freeze_all();
    assert_int_equal(groups_table_join(table, "g", HIGH_LOCAL), PvmNotInGroup);
    assert_int_equal(groups_table_join(table, "g", A), PvmNotInGroup);
    assert_int_equal(freeze(A, 3), PvmDupGroup);
    assert_int_equal(groups_table_size(table, "g"), 3);
    assert_int_equal(groups_table_find(table, "g")->state, GROUPS_STATIC);
}

TEST(static_group_dies_when_one_leaves)
{
    freeze_all();
    assert_int_equal(barrier(A, 3), 0);
    assert_int_equal(barrier(B, 3), 0);
    leave_frees(C, true, 2, PvmNoGroup);
    assert_int_equal(groups_table_find(table, "g")->state, GROUPS_DEAD);
    assert_int_equal(barrier(A, 2), PvmNoGroup);
    assert_int_equal(freeze(A, 2), PvmNoGroup);
    assert_int_equal(groups_table_size(table, "g"), PvmNoGroup);
    assert_int_equal(groups_table_instance(table, "g", A), PvmNoGroup);
    assert_int_equal(groups_table_tid(table, "g", 0), PvmNoGroup);
    assert_int_equal(groups_table_join(table, "g", C), PvmNotInGroup);
    assert_int_equal(leave("g", A), 0);
    assert_int_equal(leave("g", B), 0);
    assert_null(groups_table_find(table, "g"));
}

TEST(hosts_are_sorted_and_led_by_the_lowest_tid)
{
    struct group_host *hosts;
    assert_int_equal(groups_table_join(table, "g", C), 0);
    assert_int_equal(groups_table_join(table, "g", HIGH_LOCAL), 1);
    assert_int_equal(groups_table_join(table, "g", B), 2);
    assert_int_equal(groups_table_join(table, "g", A), 3);
    assert_int_equal(group_hosts(groups_table_find(table, "g"), &hosts), 3);
    assert_int_equal(hosts[0].host, 0x40000);
    assert_int_equal(hosts[0].members, 2);
    assert_int_equal(hosts[0].coordinator, A);
    assert_int_equal(hosts[1].host, 0x60000);
    assert_int_equal(hosts[1].coordinator, HIGH_LOCAL);
    assert_int_equal(hosts[2].host, 0x80000);
    assert_int_equal(hosts[2].members, 1);
    free(hosts);
}

TEST(each_exit_is_asked_for_once)
{
    assert_true(groups_table_watch(table, A));
    assert_false(groups_table_watch(table, A));
    assert_true(groups_table_watch(table, B));
    groups_table_forget(table, A);
    assert_false(groups_table_watch(table, B));
    assert_true(groups_table_watch(table, A));
}

static void use_everything(void)
{
    struct group_host *hosts;
    struct groups_table *scarce = groups_table_create();
    if (!scarce)
        return;
    struct group_waiter caller = {.tid = A, .label = 3};
    groups_table_watch(scarce, A);
    int joined = groups_table_join(scarce, "g", A);
    assert_int_equal(groups_table_count(scarce), joined == 0 ? 1 : 0);
    if (joined == 0) {
        int result = groups_table_barrier(scarce, "g", caller, 1, false, &release);
        assert_true(result == 1 || result == PvmNoMem);
        group_release_free(&release);
        result = group_hosts(groups_table_find(scarce, "g"), &hosts);
        assert_true(result == 1 || result == PvmNoMem);
        if (result == 1)
            free(hosts);
    } else {
        assert_int_equal(joined, PvmNoMem);
    }
    groups_table_destroy(scarce);
}

UNIT_TEST(shortage_of_memory_is_an_answer)
{
    shortage_try_each(use_everything, 7);
}
