/* test_daemon_suspicion.c - the judgement of a silent host, tick by tick. */
#include "daemon/hosts/local_health.h"
#include "daemon/post/suspicion.h"

#include "unit.h"

#define PATIENCE 60

static const struct suspicion_limits with_others = {PATIENCE, 1, true};
static const struct suspicion_limits alone = {PATIENCE, 1, false};
static const uint32_t parts[] = {2, 3, 4};

/* Ticks in which nothing comes, until the verdict is another one than NONE. */
static unsigned ticks_until(struct suspicion *suspicion, const struct suspicion_limits *limits,
                            enum suspicion_verdict verdict)
{
    unsigned ticks = 0;
    enum suspicion_verdict found;
    do {
        suspicion_tick(suspicion, false, true);
        ticks++;
        found = suspicion_judge(suspicion, limits);
    } while (found == SUSPICION_NONE);
    assert_int_equal(found, verdict);
    return ticks;
}

/* A host that has been quiet, and has owed an answer until others are asked. */
static struct suspicion suspected(void)
{
    struct suspicion suspicion = {.age = 100};
    assert_int_equal(ticks_until(&suspicion, &with_others, SUSPICION_ASK_OTHERS), 2);
    return suspicion;
}

UNIT_TEST(a_quiet_host_is_asked)
{
    struct suspicion suspicion = {0};
    for (int i = 0; i < 3; i++) {
        suspicion_tick(&suspicion, false, false);
        assert_int_equal(suspicion_judge(&suspicion, &with_others), SUSPICION_NONE);
    }
    suspicion_tick(&suspicion, false, false);
    assert_int_equal(suspicion_judge(&suspicion, &with_others), SUSPICION_ASK);
    suspicion_tick(&suspicion, true, false);
    assert_int_equal(suspicion_judge(&suspicion, &with_others), SUSPICION_NONE);
}

UNIT_TEST(a_host_that_answers_is_never_suspected)
{
    struct suspicion suspicion = {.age = 100};
    for (int i = 0; i < 1000; i++) {
        suspicion_tick(&suspicion, i % 2 == 0, true);
        assert_int_equal(suspicion_judge(&suspicion, &with_others), SUSPICION_NONE);
    }
}

UNIT_TEST(two_witnesses_end_a_host)
{
    struct suspicion suspicion = suspected();
    int32_t round = suspicion_ask(&suspicion, parts, 3);
    suspicion_answer(&suspicion, 2, round, false);
    suspicion_answer(&suspicion, 2, round, false); /* counts once */
    for (int i = 0; i < 3; i++) {
        assert_int_equal(suspicion_judge(&suspicion, &with_others), SUSPICION_NONE);
        suspicion_tick(&suspicion, false, true);
    }
    assert_int_equal(suspicion_judge(&suspicion, &with_others), SUSPICION_NONE);
    suspicion_answer(&suspicion, 4, round, false);
    assert_int_equal(suspicion_judge(&suspicion, &with_others), SUSPICION_UNREACHABLE);
}

UNIT_TEST(the_only_witness_is_enough)
{
    struct suspicion suspicion = suspected();
    suspicion_answer(&suspicion, 2, suspicion_ask(&suspicion, parts, 1), false);
    assert_int_equal(ticks_until(&suspicion, &with_others, SUSPICION_UNREACHABLE), 3);
}

UNIT_TEST(early_answers_of_witnesses_end_nobody)
{
    struct suspicion suspicion = suspected();
    int32_t round = suspicion_ask(&suspicion, parts, 2);
    suspicion_answer(&suspicion, 2, round, false);
    suspicion_answer(&suspicion, 3, round, false);
    assert_int_equal(suspicion_judge(&suspicion, &with_others), SUSPICION_NONE);
}

UNIT_TEST(a_host_that_one_witness_reaches_is_never_gone)
{
    struct suspicion suspicion = suspected();
    for (unsigned ticks = 0; ticks < 3 * PATIENCE;) {
        int32_t round = suspicion_ask(&suspicion, parts, 3);
        suspicion_answer(&suspicion, 2, round, false);
        suspicion_answer(&suspicion, 3, round, true);
        suspicion_answer(&suspicion, 4, round, false);
        ticks += ticks_until(&suspicion, &with_others, SUSPICION_ASK_OTHERS);
    }
    suspicion_answer(&suspicion, 3, suspicion_ask(&suspicion, parts, 3), true);
    assert_int_equal(ticks_until(&suspicion, &alone, SUSPICION_SILENT), PATIENCE + 1);
}

UNIT_TEST(witnesses_that_do_not_answer_are_replaced)
{
    struct suspicion suspicion = suspected();
    suspicion_ask(&suspicion, parts, 2);
    assert_int_equal(ticks_until(&suspicion, &with_others, SUSPICION_ASK_OTHERS), 5);
}

UNIT_TEST(answers_to_earlier_questions_and_of_others_do_not_count)
{
    struct suspicion suspicion = suspected();
    int32_t round = suspicion_ask(&suspicion, parts, 1);
    suspicion_answer(&suspicion, 3, round, false);
    suspicion_answer(&suspicion, 2, round - 1, false);
    suspicion_tick(&suspicion, true, true); /* it lives, and falls silent again */
    suspicion_answer(&suspicion, 2, round, false);
    assert_int_equal(ticks_until(&suspicion, &with_others, SUSPICION_ASK_OTHERS), 4);
    suspicion_ask(&suspicion, parts, 1);
    assert_int_equal(ticks_until(&suspicion, &with_others, SUSPICION_ASK_OTHERS), 5);
}

UNIT_TEST(who_has_no_witness_has_the_whole_patience)
{
    struct suspicion suspicion = {.age = 100};
    assert_int_equal(ticks_until(&suspicion, &alone, SUSPICION_SILENT), PATIENCE + 1);
}

UNIT_TEST(bad_health_stretches_all_but_the_patience)
{
    const struct suspicion_limits stretched = {PATIENCE, 3, true};
    struct suspicion suspicion = suspected();
    suspicion_answer(&suspicion, 2, suspicion_ask(&suspicion, parts, 1), false);
    assert_int_equal(ticks_until(&suspicion, &stretched, SUSPICION_UNREACHABLE), 13);
    suspicion = suspected();
    suspicion_ask(&suspicion, parts, 1);
    assert_int_equal(ticks_until(&suspicion, &stretched, SUSPICION_ASK_OTHERS), 15);
    suspicion_ask(&suspicion, parts, 1);
    suspicion.owed = PATIENCE;
    assert_int_equal(ticks_until(&suspicion, &stretched, SUSPICION_SILENT), 1);
}

UNIT_TEST(lost_ticks_are_bad_health_for_a_while)
{
    struct local_health health = {0};
    local_health_tick(&health, 200, 500);
    assert_int_equal(local_health_stretch(&health), 1);
    local_health_tick(&health, 1100, 500);
    assert_int_equal(local_health_stretch(&health), 3);
    local_health_tick(&health, 10000000, 500);
    assert_int_equal(local_health_stretch(&health), 1 + LOCAL_HEALTH_WORST);
    for (int i = 0; i < LOCAL_HEALTH_WORST; i++)
        local_health_tick(&health, 0, 500);
    assert_int_equal(local_health_stretch(&health), 1);
}
