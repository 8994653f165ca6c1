/*
 * test_sched.c - what the global scheduler decides: each policy on pictures of a virtual machine, and
 * the limits against moving to and fro.
 */
#include "sched/estimate.h"
#include "sched/history.h"
#include "sched/memory.h"
#include "sched/places.h"
#include "sched/policies.h"
#include "sched/talks.h"

#include "unit.h"

enum { HOSTS = 3, TASKS = 12, ONE = 1 << 18, TWO = 2 << 18, THREE = 3 << 18 };

static struct settings settings;
static struct picture picture;
static struct plan plan;
static struct history history;
static struct talks talks;

/* Three hosts of two processors each, on which nothing runs, and whose owners are away. */
UNIT_STEP(set_up)
{
    static const char *const names[] = {"one", "two", "three"};
    settings_start(&settings);
    picture = (struct picture){.host_count = HOSTS, .holder_count = HOSTS};
    picture.hosts = memory_take(HOSTS, sizeof *picture.hosts);
    picture.holders = memory_take(HOSTS, sizeof *picture.holders);
    picture.tasks = memory_take(TASKS, sizeof *picture.tasks);
    picture.fixed = memory_take(1, sizeof *picture.fixed);
    for (int i = 0; i < HOSTS; i++) {
        picture.hosts[i] = (struct host){
            .tid = (i + 1) << 18, .known = true, .speed = 1, .processors = 2, .idle = 1e9};
        strcpy(picture.hosts[i].name, names[i]);
        picture.holders[i].host = (i + 1) << 18;
    }
    return 0;
}

UNIT_STEP(tear_down)
{
    plan_free(&plan);
    picture_free(&picture);
    history_free(&history);
    talks_free(&talks);
    return 0;
}

/* Some tasks of a program on a host, each of which wants so much. */
static void run(int host, size_t count, double load)
{
    size_t holder = (size_t)(host >> 18) - 1;
    for (size_t i = 0; i < count; i++) {
        struct task *task = &picture.tasks[picture.task_count++];
        *task = (struct task){
            .tid = host + (int)picture.task_count, .host = host, .holder = holder, .load = load};
        strcpy(task->program, "heat");
    }
    picture.holders[holder].count += count;
}

/* What the policies wish, as words. */
static size_t wished(const char *names)
{
    char text[64], *name, *rest = text;
    strcpy(text, names);
    settings.policy_count = 0;
    while ((name = strsep(&rest, ",")))
        settings.policies[settings.policy_count++] = policy_named(name);
    plan_free(&plan);
    plan_start(&plan, &picture);
    picture_sum(&picture);
    policies_ask(&settings, &picture, &plan);
    return plan.count;
}

/* How many tasks are on a host in the picture. */
static size_t on(int host)
{
    size_t count = 0;
    for (size_t i = 0; i < picture.task_count; i++)
        count += picture.tasks[i].host == host;
    return count;
}

/* Balance. ------------------------------------------------------------------------------------- */

UNIT_TEST_BETWEEN(load_is_spread, set_up, tear_down)
{
    run(ONE, 12, 1);
    assert_int_equal(wished("balance"), 8);
    assert_int_equal(on(ONE), 4);
    assert_int_equal(on(TWO), 4);
    assert_int_equal(on(THREE), 4);
    for (size_t i = 0; i < plan.count; i++) {
        assert_int_equal(plan.moves[i].from, ONE);
        assert_string_equal(plan.moves[i].policy, "balance");
    }
    assert_string_equal(plan.moves[0].reason, "load 6.00 on one, 0.50 on two with it");
}

UNIT_TEST_BETWEEN(what_is_even_stays, set_up, tear_down)
{
    run(ONE, 4, 1);
    run(TWO, 4, 1);
    run(THREE, 4, 1);
    assert_int_equal(wished("balance"), 0);
}

UNIT_TEST_BETWEEN(nobody_moves_where_processors_are_free, set_up, tear_down)
{
    run(ONE, 2, 1);
    assert_int_equal(wished("balance"), 0);
}

/* One more or less would not be noticed. */
UNIT_TEST_BETWEEN(small_gains_are_left, set_up, tear_down)
{
    run(ONE, 4, 1);
    run(TWO, 3, 1);
    run(THREE, 4, 1);
    assert_int_equal(wished("balance"), 0);
    settings.gain = 0.6;
    run(ONE, 1, 1);
    assert_int_equal(wished("balance"), 0);
    settings.gain = 0.2;
    assert_int_equal(wished("balance"), 1);
    assert_int_equal(on(TWO), 4);
}

/* Three processes of others beside the tasks leave them less of two processors. */
UNIT_TEST_BETWEEN(others_count, set_up, tear_down)
{
    picture.hosts[0].others = 2;
    picture.hosts[2].known = false;
    run(ONE, 6, 1);
    run(TWO, 6, 1);
    assert_int_equal(wished("balance"), 2);
    assert_int_equal(on(ONE), 4);
    assert_int_equal(on(TWO), 8);
}

UNIT_TEST_BETWEEN(tasks_that_stay_count, set_up, tear_down)
{
    picture.hosts[0].fixed = 2;
    picture.hosts[2].known = false;
    run(ONE, 6, 1);
    run(TWO, 6, 1);
    assert_int_equal(wished("balance"), 2);
}

UNIT_TEST_BETWEEN(fast_hosts_get_more, set_up, tear_down)
{
    picture.hosts[1].speed = 4;
    run(ONE, 6, 1);
    run(THREE, 6, 1);
    assert_int_equal(wished("balance"), 8);
    assert_int_equal(on(TWO), 8);
}

UNIT_TEST_BETWEEN(idle_tasks_stay, set_up, tear_down)
{
    run(ONE, 8, 0);
    run(ONE, 4, 1);
    assert_int_equal(wished("balance"), 2);
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(picture.tasks[i].host, ONE);
}

UNIT_TEST_BETWEEN(a_host_that_does_not_answer_is_left_alone, set_up, tear_down)
{
    picture.hosts[1].known = false;
    run(ONE, 4, 1);
    run(TWO, 8, 1);
    assert_int_equal(wished("balance"), 2);
    assert_int_equal(on(TWO), 8);
    assert_int_equal(on(THREE), 2);
}

/* Owners and hosts to empty. ------------------------------------------------------------------- */

UNIT_TEST_BETWEEN(owner_types, set_up, tear_down)
{
    picture.hosts[0].idle = 4;
    run(ONE, 4, 0.5);
    assert_int_equal(wished("owner"), 4);
    assert_int_equal(on(TWO), 2);
    assert_int_equal(on(THREE), 2);
    assert_string_equal(plan.moves[0].policy, "owner");
    assert_string_equal(plan.moves[0].reason, "its owner typed 4 s ago");
}

UNIT_TEST_BETWEEN(owner_computes, set_up, tear_down)
{
    picture.hosts[0].others = 1;
    picture.hosts[1].others = 0.5;
    picture.hosts[2].idle = 299;
    run(ONE, 4, 0.5);
    assert_int_equal(wished("owner"), 4);
    assert_int_equal(on(TWO), 4);
    assert_string_equal(plan.moves[0].reason, "its owner wants 1.0 of 2 processors");
}

UNIT_TEST_BETWEEN(owners_are_away, set_up, tear_down)
{
    run(ONE, 6, 1);
    assert_int_equal(wished("owner"), 0);
}

/* Also tasks that do nothing. */
UNIT_TEST_BETWEEN(a_host_is_emptied, set_up, tear_down)
{
    settings.drain = "nosuch,two,thr";
    run(TWO, 4, 0);
    run(TWO, 4, 1);
    assert_int_equal(wished("drain"), 8);
    assert_int_equal(on(TWO), 0);
    assert_true(on(ONE) >= 2 && on(THREE) >= 2);
    assert_string_equal(plan.moves[0].reason, "it is to be empty");
}

UNIT_TEST_BETWEEN(nowhere_to_go, set_up, tear_down)
{
    settings.drain = "one,two,three";
    run(TWO, 4, 1);
    assert_int_equal(wished("drain"), 0);
}

/* Talk. ---------------------------------------------------------------------------------------- */

/* The tasks with these indexes talk. */
static void talk(size_t one, size_t other, double rate)
{
    if (!picture.talks)
        picture.talks = memory_take(TASKS, sizeof *picture.talks);
    picture.talks[picture.talk_count++] =
        (struct talk){picture.tasks[one].tid, picture.tasks[other].tid, rate};
}

UNIT_TEST_BETWEEN(who_talks_comes_together, set_up, tear_down)
{
    run(ONE, 2, 0.1);
    run(TWO, 2, 0.1);
    talk(0, 2, 500);
    talk(1, 3, 99);
    assert_int_equal(wished("together"), 1);
    assert_int_equal(picture.tasks[0].host, picture.tasks[2].host);
    assert_string_equal(plan.moves[0].reason,
                        "500 frames a second more go between tasks of two then");
    assert_int_equal(wished("together"), 0);
}

/* It moves to where it wins most, and what it loses is subtracted. */
UNIT_TEST_BETWEEN(most_talk_wins, set_up, tear_down)
{
    run(ONE, 2, 0.1);
    run(TWO, 1, 0.1);
    run(THREE, 1, 0.1);
    picture.tasks[1].resting = picture.tasks[2].resting = picture.tasks[3].resting = true;
    talk(0, 1, 250);
    talk(0, 2, 300);
    talk(0, 3, 400);
    assert_int_equal(wished("together"), 1);
    assert_int_equal(picture.tasks[0].host, THREE);
    assert_string_equal(plan.moves[0].reason,
                        "150 frames a second more go between tasks of three then");
}

UNIT_TEST_BETWEEN(talk_is_no_reason_to_wait_for_a_processor, set_up, tear_down)
{
    picture.hosts[2].known = false;
    run(ONE, 2, 1);
    run(TWO, 2, 1);
    talk(0, 2, 5000);
    assert_int_equal(wished("together"), 0);
    run(ONE, 2, 1);
    assert_int_equal(wished("together"), 1);
    assert_int_equal(on(TWO), 3);
    assert_int_equal(wished("together,balance"), 0);
}

UNIT_TEST_BETWEEN(talk_with_a_task_that_cannot_move, set_up, tear_down)
{
    run(ONE, 1, 0.1);
    picture.fixed[picture.fixed_count++] = (struct fixed){THREE + 99, THREE};
    talk(0, 0, 200);
    picture.talks[0].one = THREE + 99;
    assert_int_equal(wished("together"), 1);
    assert_int_equal(on(THREE), 1);
}

UNIT_TEST_BETWEEN(talk_with_a_host_that_is_closed_or_unknown, set_up, tear_down)
{
    run(ONE, 1, 0.1);
    run(TWO, 1, 0.1);
    talk(0, 1, 200);
    picture.hosts[1].known = false;
    assert_int_equal(wished("together"), 0);
    picture.hosts[1].known = true;
    settings.drain = "two";
    assert_int_equal(wished("drain,together"), 2);
    assert_int_equal(on(THREE), 2);
}

/* Both ways count as one talk. What is on one host is remembered for a while, what is silent is not. */
UNIT_TEST_BETWEEN(talk_is_remembered_where_it_is_not_seen, set_up, tear_down)
{
    run(ONE, 1, 0.1);
    run(TWO, 1, 0.1);
    talk(0, 1, 200);
    talk(1, 0, 100);
    talks_keep(&talks, &picture);
    assert_int_equal(picture.talk_count, 1);
    assert_true(picture.talks[0].rate == 300);
    picture.tasks[0].host = TWO;
    picture.talk_count = 0;
    talks_keep(&talks, &picture);
    assert_true(picture.talks[0].rate > 200 && picture.talks[0].rate < 300);
    picture.tasks[0].host = THREE;
    picture.talk_count = 0;
    talks_keep(&talks, &picture);
    assert_int_equal(picture.talk_count, 0);
    assert_int_equal(talks.count, 0);
}

/* The first policy that closes a host has it emptied, and none moves anything there. */
UNIT_TEST_BETWEEN(policies_together, set_up, tear_down)
{
    settings.drain = "two";
    picture.hosts[2].idle = 0;
    run(ONE, 6, 1);
    run(TWO, 1, 1);
    run(THREE, 1, 1);
    assert_int_equal(wished("drain,owner,balance"), 2);
    assert_int_equal(on(ONE), 8);
    assert_string_equal(plan.moves[0].policy, "drain");
    assert_string_equal(plan.moves[1].policy, "owner");
}

UNIT_TEST_BETWEEN(names_of_policies, set_up, tear_down)
{
    const struct policy *policy;
    size_t count = 0;
    for (; (policy = policy_at(count)); count++) {
        assert_ptr_equal(policy_named(policy->name), policy);
        assert_non_null(policy->wish);
    }
    assert_int_equal(count, 4);
    assert_null(policy_named("nosuch"));
}

/* New tasks. ----------------------------------------------------------------------------------- */

UNIT_TEST_BETWEEN(places_of_new_tasks, set_up, tear_down)
{
    int tids[PLACES_MOST];
    size_t counts[HOSTS + 1] = {0};
    run(ONE, 8, 1);
    picture.hosts[2].closed = "drain";
    picture_sum(&picture);
    assert_true(places_find(&picture, tids));
    for (int i = 0; i < PLACES_MOST; i++) {
        counts[tids[i] >> 18]++;
        assert_true(tids[i] == TWO || i >= 8);
    }
    assert_int_equal(counts[1], (PLACES_MOST - 8) / 2);
    assert_int_equal(counts[3], 0);
}

UNIT_TEST_BETWEEN(no_place_for_new_tasks, set_up, tear_down)
{
    int tids[PLACES_MOST];
    for (size_t i = 0; i < HOSTS; i++)
        picture.hosts[i].known = false;
    assert_false(places_find(&picture, tids));
}

/* What tasks want. ----------------------------------------------------------------------------- */

static void want(int host, double wanted)
{
    picture.holders[(host >> 18) - 1].wanted = wanted;
}

UNIT_TEST_BETWEEN(what_is_used_is_shared, set_up, tear_down)
{
    run(ONE, 4, 0);
    want(ONE, 1);
    estimate_loads(&picture);
    for (size_t i = 0; i < 4; i++)
        assert_true(picture.tasks[i].load == 0.25);
}

/* More tasks than threads: those of the process have all run all the time. */
UNIT_TEST_BETWEEN(tasks_that_wait_for_a_thread, set_up, tear_down)
{
    run(ONE, 4, 0);
    want(ONE, 1.9);
    estimate_loads(&picture);
    for (size_t i = 0; i < 4; i++)
        assert_true(picture.tasks[i].load == 1);
}

/* Those on a fast host wait for the others in between. */
UNIT_TEST_BETWEEN(tasks_of_a_program_are_alike, set_up, tear_down)
{
    run(ONE, 4, 0);
    run(TWO, 4, 0);
    want(ONE, 2);
    want(TWO, 0.4);
    run(THREE, 2, 0);
    strcpy(picture.tasks[9].program, "other");
    want(THREE, 0.2);
    estimate_loads(&picture);
    for (size_t i = 0; i < 9; i++)
        assert_true(picture.tasks[i].load == 1);
    assert_true(picture.tasks[9].load == 0.1);
}

UNIT_TEST_BETWEEN(nothing_is_known_of_a_silent_host, set_up, tear_down)
{
    picture.hosts[0] = (struct host){.tid = ONE};
    run(ONE, 1, 1);
    estimate_loads(&picture);
    assert_true(picture.tasks[0].load == 0);
}

/*
 * What the holders want when all tasks wait for each other after each step: the slowest host says
 * how long a step takes, and the others want nothing for the rest of it.
 */
static void want_in_steps(void)
{
    double step = 0;
    picture_sum(&picture);
    for (size_t i = 0; i < HOSTS; i++) {
        double time = (double)on(picture.hosts[i].tid) / host_capacity(&picture.hosts[i]);
        step = time > step ? time : step;
    }
    for (size_t i = 0; i < HOSTS; i++) {
        size_t count = picture.holders[i].count = on(picture.hosts[i].tid);
        double threads = count < 2 ? (double)count : 2;
        want(picture.hosts[i].tid,
             threads * (double)count / host_capacity(&picture.hosts[i]) / step);
    }
    for (size_t i = 0; i < picture.task_count; i++)
        picture.tasks[i].holder = (size_t)(picture.tasks[i].host >> 18) - 1;
}

/* Two processors beside four processes of others are worth two thirds of one. */
UNIT_TEST_BETWEEN(tasks_that_wait_for_each_other, set_up, tear_down)
{
    size_t moves = 0;
    picture.hosts[0].others = 4;
    run(ONE, 4, 0);
    run(TWO, 4, 0);
    run(THREE, 4, 0);
    for (int round = 0; round < 10; round++) {
        want_in_steps();
        estimate_loads(&picture);
        for (size_t i = 0; i < picture.task_count; i++)
            picture.tasks[i].resting = picture.tasks[i].refused = false;
        moves += wished("balance");
    }
    assert_int_equal(moves, 2);
    assert_int_equal(on(ONE), 2);
    assert_int_equal(on(TWO), 5);
    assert_int_equal(on(THREE), 5);
}

/* To and fro. ---------------------------------------------------------------------------------- */

/*
 * Looks at the machine at a time, on which processes of others are on one host or on the other, and
 * makes the moves. Returns how many.
 */
static size_t look(double now, bool left, const char *policy)
{
    for (size_t i = 0; i < picture.task_count; i++)
        picture.tasks[i].resting = picture.tasks[i].refused = false;
    for (size_t i = 0; i < HOSTS; i++)
        picture.hosts[i].closed = NULL;
    picture.hosts[0].others = left ? 8 : 0;
    picture.hosts[1].others = left ? 0 : 8;
    history_mark(&history, &picture, now);
    size_t count = wished(policy);
    for (size_t i = 0; i < count; i++)
        history_moved(&history, &settings, &plan.moves[i], now);
    return count;
}

/*
 * Loads that change sides every 10 seconds, for 3 hours: each rest is twice the one before. Moves of a
 * task are at 0, 60, 180, 420, ... seconds, or up to 10 later: 9 of them.
 */
static void change_sides(const char *policy)
{
    size_t moves = 0;
    picture.hosts[2].known = false;
    run(ONE, 4, 1);
    run(TWO, 4, 1);
    for (int round = 0; round < 3 * 60 * 6; round++)
        moves += look(10 * round, round % 2, policy);
    assert_in_range(moves, 1, 9 * picture.task_count);
}

UNIT_TEST_BETWEEN(loads_that_change_sides, set_up, tear_down)
{
    change_sides("balance");
}

UNIT_TEST_BETWEEN(owners_that_come_and_go, set_up, tear_down)
{
    change_sides("owner,balance");
}

/* The same picture again has nothing moved again. */
UNIT_TEST_BETWEEN(what_has_been_decided_stays, set_up, tear_down)
{
    run(ONE, 11, 1);
    assert_true(look(0, false, "balance") > 0);
    for (int round = 1; round < 100; round++)
        assert_int_equal(look(1000 * round, false, "balance"), 0);
}

UNIT_TEST_BETWEEN(rests_grow_only_when_soon_back, set_up, tear_down)
{
    struct move there = {.tid = 7, .from = ONE, .to = TWO};
    struct move back = {.tid = 7, .from = TWO, .to = ONE};
    history_moved(&history, &settings, &there, 0);
    assert_true(history.pasts->rests_until == 60);
    history_moved(&history, &settings, &back, 100);
    assert_true(history.pasts->rests_until == 220);
    history_moved(&history, &settings, &there, 400);
    assert_true(history.pasts->rests_until == 460);
}

UNIT_TEST_BETWEEN(a_refused_task_is_left_alone, set_up, tear_down)
{
    run(ONE, 1, 1);
    settings.drain = "one";
    assert_int_equal(wished("drain"), 1);
    history_refused(&history, &settings, &plan.moves[0], 0);
    picture.tasks[0].host = ONE;
    picture.tasks[0].resting = picture.tasks[0].refused = false;
    history_mark(&history, &picture, 299);
    assert_int_equal(wished("drain"), 0);
    picture.tasks[0].refused = false;
    history_mark(&history, &picture, 300);
    assert_int_equal(wished("drain"), 1);
}

/* Whoever moved lately leaves a host that is to be empty all the same, but not for its owner. */
UNIT_TEST_BETWEEN(who_rests, set_up, tear_down)
{
    run(ONE, 1, 1);
    picture.tasks[0].resting = true;
    picture.hosts[0].idle = 0;
    settings.drain = "one";
    assert_int_equal(wished("owner"), 0);
    picture.hosts[0].closed = NULL;
    assert_int_equal(wished("drain"), 1);
}

/* More tasks than the table has room for at first. */
UNIT_TEST_BETWEEN(tasks_that_are_over_are_forgotten, set_up, tear_down)
{
    run(ONE, 2, 1);
    for (int i = 0; i < 40; i++) {
        struct move move = {.tid = ONE + 1 + i, .from = TWO, .to = ONE};
        history_moved(&history, &settings, &move, 0);
    }
    assert_int_equal(history.count, 40);
    history_mark(&history, &picture, 1);
    assert_int_equal(history.count, 2);
    assert_true(picture.tasks[0].resting && picture.tasks[1].resting);
}
