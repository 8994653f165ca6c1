/* test_daemon_loop.c - in which order does a round do things, and each once? */
#include "daemon/base/loop.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "unit.h"

static struct loop loop;
static char seen[32]; /* a letter for everything that happened */

static void note(char what)
{
    size_t length = strlen(seen);
    assert_true(length + 1 < sizeof seen);
    seen[length] = what;
}

UNIT_STEP(start)
{
    memset(seen, 0, sizeof seen);
    return loop_start(&loop);
}

UNIT_STEP(finish)
{
    loop_finish(&loop);
    return 0;
}

/* An event source that closes another one when it is handled. */
struct bell {
    struct loop_source source;
    struct bell *closes;
};

static void bell_ring(struct loop_source *source, uint32_t events)
{
    struct bell *bell = LIST_OWNER(source, struct bell, source);
    assert_true(events & EPOLLIN);
    note('e');
    loop_close(&loop, &bell->closes->source);
    loop_close(&loop, source);
}

static void note_work(struct loop_work *work)
{
    (void)work;
    note('w');
    loop_end(&loop);
}

static void note_timer(struct loop_timer *timer)
{
    (void)timer;
    note('t');
}

static void bell_start(struct bell *bell, struct bell *closes)
{
    bell->closes = closes;
    loop_source_start(&bell->source, bell_ring);
    assert_int_equal(loop_watch(&loop, &bell->source, eventfd(1, EFD_CLOEXEC), EPOLLIN), 0);
}

#define TEST(name) UNIT_TEST_BETWEEN(name, start, finish)

TEST(closed_sources_are_not_handled_in_the_same_round)
{
    struct bell one, two;
    struct loop_work work;
    struct loop_timer timer;
    bell_start(&one, &two);
    bell_start(&two, &one);
    loop_work_start(&work, note_work);
    loop_timer_start(&timer, note_timer);
    loop_defer(&loop, &work);
    loop_defer(&loop, &work);
    loop_timer_set(&loop, &timer, 0);
    assert_int_equal(loop_run(&loop), 0);
    assert_string_equal(seen, "etw");
    assert_int_equal(one.source.fd, -1);
    assert_int_equal(two.source.fd, -1);
}

struct step {
    struct loop_timer timer;
    char letter;
};

static void step_take(struct loop_timer *timer)
{
    struct step *step = LIST_OWNER(timer, struct step, timer);
    note(step->letter);
    if (step->letter == 'z')
        loop_end(&loop);
}

/* A clock that stands still, however long the process does. */
static const struct timespec *standing;

int __real_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
    if (!standing)
        return __real_clock_gettime(clock, now);
    *now = *standing;
    return 0;
}

TEST(deadlines_pass_in_order)
{
    struct step steps[] = {{.letter = 'z'}, {.letter = 'a'}, {.letter = 'm'}, {.letter = 'x'}};
    const int after[] = {6, 0, 3, 4};
    struct timespec now;
    assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &now), 0);
    standing = &now;
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        loop_timer_start(&steps[i].timer, step_take);
        loop_timer_set(&loop, &steps[i].timer, after[i]);
    }
    standing = NULL;
    loop_timer_cancel(&steps[3].timer);
    assert_int_equal(loop_run(&loop), 0);
    assert_string_equal(seen, "amz");
}

static struct loop_work chained;

static void chain_work(struct loop_work *work)
{
    (void)work;
    note('c');
    loop_defer(&loop, &chained);
}

TEST(work_put_off_by_work_is_done_in_the_same_round)
{
    struct loop_work first, cancelled;
    loop_work_start(&first, chain_work);
    loop_work_start(&chained, note_work);
    loop_work_start(&cancelled, chain_work);
    loop_defer(&loop, &first);
    loop_defer(&loop, &cancelled);
    loop_work_cancel(&cancelled);
    struct bell bell;
    bell_start(&bell, &bell);
    assert_int_equal(loop_run(&loop), 0);
    assert_string_equal(seen, "ecw");
}
