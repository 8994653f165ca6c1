/*
 * test_wait.c - one thread leads, the others follow, each is woken when it is its turn, and nobody
 * looks for nothing.
 *
 * Threads are observed, under the lock, until they are in the state that a step needs; no step
 * rests on time.
 */
#include "ck/wait/wait.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "ck/base/doorbell.h"

#include "unit.h"

#define THREADS 5

static struct waiting waiting;
static struct party party;
static unsigned looks;       /* of all threads */
static bool looking_now;     /* looks must not overlap */
static bool (*looked)(void); /* what a look does and returns; NULL: it finds nothing */
static atomic_uint glances;  /* likewise */
static bool (*glanced)(void);
static bool kept; /* a glance has found what ends the wait of `alone` once it is delivered */
static unsigned errands;
static unsigned idle_tidies;
static bool untidy;
static _Atomic(enum nap) napping; /* what a leader that sleeps is woken for */
static atomic_bool urgent; /* there is something urgent when it goes to sleep until there is */
static struct waiter alone;
static void (*on_errand)(void);

struct sleeper {
    struct waiter waiter;
    struct party *party; /* NULL: `party` */
    pthread_t thread;
    bool returned;
    int result;
};

static struct sleeper sleepers[THREADS];

/* Calls in which a leader sleeps, though it may find that there is something already. */
static atomic_uint sleeps;
int __real_epoll_wait(int epoll, struct epoll_event *events, int most, int timeout);
int __wrap_epoll_wait(int epoll, struct epoll_event *events, int most, int timeout);

int __wrap_epoll_wait(int epoll, struct epoll_event *events, int most, int timeout)
{
    atomic_fetch_add(&sleeps, timeout != 0);
    return __real_epoll_wait(epoll, events, most, timeout);
}

/* What is done for the waiting threads --------------------------------------------------------- */

static bool look(void *owner)
{
    assert_ptr_equal(owner, &waiting);
    lock_acquire(&waiting.lock);
    assert_false(looking_now);
    looking_now = true;
    looks++;
    bool (*found)(void) = looked;
    lock_release(&waiting.lock);
    bool happened = found && found();
    lock_acquire(&waiting.lock);
    looking_now = false;
    lock_release(&waiting.lock);
    return happened;
}

static bool glance(void *owner)
{
    assert_ptr_equal(owner, &waiting);
    lock_acquire(&waiting.lock);
    assert_false(looking_now);
    bool (*found)(void) = glanced;
    lock_release(&waiting.lock);
    atomic_fetch_add(&glances, 1);
    return found && found();
}

static void deliver(void *owner)
{
    assert_ptr_equal(owner, &waiting);
    alone.done |= kept;
    kept = false;
}

static void errand(void *owner)
{
    assert_ptr_equal(owner, &party);
    lock_acquire(&waiting.lock);
    errands++;
    lock_release(&waiting.lock);
    if (on_errand)
        on_errand();
}

/* Says that there is more until called in an idle sleep; that ends the wait of `alone`. */
static bool tidy(void *owner, bool idle)
{
    assert_ptr_equal(owner, &waiting);
    if (idle) {
        assert_true(untidy);
        idle_tidies++;
        lock_acquire(&waiting.lock);
        alone.done = true;
        waiting_wake(&waiting, &alone);
        lock_release(&waiting.lock);
    }
    return untidy;
}

static bool sleeping(void *owner, enum nap nap)
{
    assert_ptr_equal(owner, &waiting);
    bool more = urgent && nap == NAP_UNTIL_URGENT;
    napping = nap;
    if (more)
        urgent = false;
    return more;
}

UNIT_STEP(start)
{
    const struct waiting_work work = {.look = look,
                                      .glance = glance,
                                      .deliver = deliver,
                                      .sleeping = sleeping,
                                      .tidy = tidy,
                                      .owner = &waiting};
    napping = NAP_NONE;
    urgent = false;
    looks = errands = idle_tidies = 0;
    untidy = kept = false;
    atomic_store(&sleeps, 0);
    atomic_store(&glances, 0);
    glanced = NULL;
    looking_now = false;
    looked = NULL;
    on_errand = NULL;
    memset(sleepers, 0, sizeof sleepers);
    party_start(&party, &waiting, errand, &party);
    return waiting_init(&waiting, &work);
}

UNIT_STEP(finish)
{
    assert_null(waiting.first);
    assert_null(waiting.leader);
    waiting_destroy(&waiting);
    party_finish(&party);
    return 0;
}

/* Threads -------------------------------------------------------------------------------------- */

static void *sleep_until_done(void *argument)
{
    struct sleeper *sleeper = argument;
    lock_acquire(&waiting.lock);
    sleeper->result =
        waiting_wait(sleeper->party ? sleeper->party : &party, &sleeper->waiter, NULL);
    sleeper->returned = true;
    lock_release(&waiting.lock);
    return NULL;
}

static bool is_true(bool (*holds)(size_t i), size_t i)
{
    lock_acquire(&waiting.lock);
    bool yes = holds(i);
    lock_release(&waiting.lock);
    return yes;
}

static void await(bool (*holds)(size_t i), size_t i)
{
    while (!is_true(holds, i))
        sched_yield();
}

static bool has_returned(size_t i)
{
    return sleepers[i].returned;
}

static bool is_leading_asleep(size_t i)
{
    return waiting.leader == &sleepers[i].waiter && waiting.asleep;
}

static bool is_following(size_t i)
{
    return sleepers[i].waiter.following;
}

static bool errand_has_run(size_t i)
{
    return errands == i;
}

static void begin(size_t i, bool interruptible)
{
    sleepers[i].waiter.interruptible = interruptible;
    assert_int_equal(pthread_create(&sleepers[i].thread, NULL, sleep_until_done, &sleepers[i]), 0);
}

/* Starts `count` threads in order: the first leads, the others follow. */
static void begin_all(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        begin(i, true);
        await(i == 0 ? is_leading_asleep : is_following, i);
    }
}

static void finish_one(size_t i)
{
    lock_acquire(&waiting.lock);
    sleepers[i].waiter.done = true;
    waiting_wake(&waiting, &sleepers[i].waiter);
    lock_release(&waiting.lock);
}

static void join(size_t i)
{
    assert_int_equal(pthread_join(sleepers[i].thread, NULL), 0);
    assert_int_equal(sleepers[i].result, 0);
}

static unsigned looks_so_far(void)
{
    lock_acquire(&waiting.lock);
    unsigned count = looks;
    lock_release(&waiting.lock);
    return count;
}

static const struct timespec past = {0, 1};

/* This thread waits. 0, or ETIMEDOUT. */
static int wait_alone(const struct timespec *deadline)
{
    alone = (struct waiter){.interruptible = true};
    lock_acquire(&waiting.lock);
    int result = waiting_wait(&party, &alone, deadline);
    lock_release(&waiting.lock);
    return result;
}

/* This thread looks, without waiting. */
static bool look_once(void)
{
    lock_acquire(&waiting.lock);
    bool happened = waiting_look(&party);
    lock_release(&waiting.lock);
    return happened;
}

/* The thread is done, and returns. */
static void end(size_t i)
{
    finish_one(i);
    join(i);
}

/* Without others ------------------------------------------------------------------------------- */

static bool look_until_third(void)
{
    lock_acquire(&waiting.lock);
    bool third = looks == 3;
    alone.done = third;
    lock_release(&waiting.lock);
    return true;
}

#define TEST(name) UNIT_TEST_BETWEEN(name, start, finish)

TEST(lone_thread_looks_for_itself)
{
    looked = look_until_third;
    assert_int_equal(wait_alone(NULL), 0);
    assert_int_equal(looks, 3);
}

TEST(who_is_done_already_does_not_look)
{
    alone = (struct waiter){.done = true};
    lock_acquire(&waiting.lock);
    assert_int_equal(waiting_wait(&party, &alone, NULL), 0);
    lock_release(&waiting.lock);
    assert_int_equal(looks, 0);
}

TEST(what_is_left_is_tidied_in_a_long_sleep)
{
    for (int i = 0; i < 2; i++) {
        untidy = i == 1;
        struct timespec deadline;
        clock_gettime(CLOCK_MONOTONIC, &deadline);
        deadline.tv_sec += untidy ? 100 : 2;
        assert_int_equal(wait_alone(&deadline), untidy ? 0 : ETIMEDOUT);
        assert_int_equal(idle_tidies, i);
    }
    assert_int_equal(wait_alone(&past), ETIMEDOUT);
    assert_int_equal(idle_tidies, 1);
}

TEST(a_look_may_be_had_without_waiting)
{
    assert_false(look_once());
    looked = look_until_third;
    assert_true(look_once());
    assert_int_equal(looks, 2);
}

/* Leader and followers ------------------------------------------------------------------------- */

TEST(followers_are_woken_one_by_one)
{
    begin_all(THREADS);
    unsigned before = looks_so_far();
    for (size_t i = THREADS - 1; i > 0; i--) {
        finish_one(i);
        join(i);
        for (size_t other = 0; other < i; other++)
            assert_false(is_true(has_returned, other));
    }
    assert_int_equal(looks_so_far(), before); /* the leader slept through it */
    end(0);
}

TEST(leader_that_is_done_passes_the_role_on)
{
    begin_all(THREADS);
    for (size_t i = 0; i + 1 < THREADS; i++) {
        finish_one(i);
        join(i);
        await(is_leading_asleep, i + 1); /* who has waited longest leads */
        for (size_t other = i + 2; other < THREADS; other++)
            assert_true(is_true(is_following, other));
    }
    finish_one(THREADS - 1);
    join(THREADS - 1);
}

TEST(who_looks_besides_a_leader_does_not)
{
    begin_all(1);
    unsigned before = looks_so_far();
    assert_false(look_once());
    assert_int_equal(looks_so_far(), before);
    end(0);
}

/* While the main thread looks, a thread begins to wait; then it leads. */
static bool look_and_let_one_begin(void)
{
    lock_acquire(&waiting.lock);
    looked = NULL;
    lock_release(&waiting.lock);
    begin(0, false);
    await(is_following, 0);
    return true;
}

TEST(who_waits_during_a_look_leads_after_it)
{
    looked = look_and_let_one_begin;
    assert_true(look_once());
    await(is_leading_asleep, 0);
    end(0);
}

static bool look_that_finishes_all(void)
{
    for (size_t i = 0; i < THREADS; i++)
        finish_one(i);
    lock_acquire(&waiting.lock);
    looked = NULL;
    lock_release(&waiting.lock);
    return true;
}

TEST(one_look_may_serve_all)
{
    begin_all(THREADS);
    lock_acquire(&waiting.lock);
    looked = look_that_finishes_all;
    waiting_wake(&waiting, waiting.leader); /* the bell makes it look again */
    lock_release(&waiting.lock);
    for (size_t i = 0; i < THREADS; i++)
        join(i);
}

TEST(many_threads_come_and_go)
{
    for (size_t round = 0; round < 300; round++) {
        for (size_t i = 0; i < THREADS; i++)
            begin(i, round % 2);
        for (size_t i = 0; i < THREADS; i++)
            finish_one((i * 3 + round) % THREADS);
        for (size_t i = 0; i < THREADS; i++)
            join(i);
        memset(sleepers, 0, sizeof sleepers);
    }
}

/* Looking on ----------------------------------------------------------------------------------- */

#define FOR_LONG 3600000000000 /* nanoseconds: nothing below lasts an hour */

static bool look_until_thousandth(void)
{
    lock_acquire(&waiting.lock);
    bool found = looks == 1000;
    alone.done = found;
    lock_release(&waiting.lock);
    return found;
}

TEST(who_does_not_look_on_looks_once)
{
    begin_all(1);
    assert_int_equal(looks_so_far(), 1);
    end(0);
    assert_int_equal(atomic_load(&sleeps), 1);
}

TEST(who_looks_on_need_not_sleep)
{
    waiting_set_spin(&waiting, FOR_LONG, 2);
    looked = look_until_thousandth;
    assert_int_equal(wait_alone(NULL), 0);
    assert_int_equal(looks, 1000);
    assert_int_equal(atomic_load(&sleeps), 0);
}

TEST(who_looked_on_in_vain_sleeps)
{
    waiting_set_spin(&waiting, 1000, 2);
    begin_all(1);
    unsigned before = looks_so_far();
    assert_true(before > 1);
    end(0);
    assert_int_equal(atomic_load(&sleeps), 1);
}

static bool has_looked_on(size_t i)
{
    return looks > i;
}

TEST(who_looks_on_sees_that_it_is_done)
{
    waiting_set_spin(&waiting, FOR_LONG, 2);
    begin(0, true);
    await(has_looked_on, 10);
    begin(1, true);
    await(is_following, 1);
    end(0);
    unsigned before = looks_so_far();
    await(has_looked_on, before + 10); /* the other one leads now */
    end(1);
    assert_int_equal(atomic_load(&sleeps), 0);
}

TEST(errand_ends_looking_on)
{
    waiting_set_spin(&waiting, FOR_LONG, 2);
    begin(0, false);
    await(has_looked_on, 10);
    lock_acquire(&waiting.lock);
    waiting_request_errand(&party);
    lock_release(&waiting.lock);
    await(errand_has_run, 1);
    end(0);
    assert_int_equal(atomic_load(&sleeps), 0);
}

TEST(standing_still_ends_looking_on)
{
    waiting_set_spin(&waiting, FOR_LONG, 2);
    begin(0, false);
    await(has_looked_on, 10);
    lock_acquire(&waiting.lock);
    waiting_stand_still(&waiting);
    assert_true(waiting.stands);
    waiting_move_on(&waiting);
    sleepers[0].waiter.done = true;
    waiting_wake(&waiting, &sleepers[0].waiter);
    lock_release(&waiting.lock);
    join(0);
}

/* A deadline that no clock reaches is none. */
TEST(endless_deadline_never_comes)
{
    const struct timespec end = {(time_t)(INT64_MAX / 2), 0};
    waiting_set_spin(&waiting, FOR_LONG, 2);
    looked = look_until_thousandth;
    assert_int_equal(wait_alone(&end), 0);
    assert_int_equal(looks, 1000);
}

/* Near and far --------------------------------------------------------------------------------- */

static bool glance_that_finds(void)
{
    lock_acquire(&waiting.lock);
    alone.done = true;
    lock_release(&waiting.lock);
    return true;
}

static bool glance_until_thousandth(void)
{
    return atomic_load(&glances) >= 1000 && glance_that_finds();
}

/* Once something was near, whoever waits expects the next there. */
static void find_something_near(void)
{
    glanced = glance_that_finds;
    assert_int_equal(wait_alone(NULL), 0);
    assert_int_equal(looks, 0);
    glanced = NULL;
    atomic_store(&glances, 0);
}

TEST(what_is_near_is_found_without_a_look)
{
    find_something_near();
    find_something_near();
    assert_int_equal(atomic_load(&sleeps), 0);
}

TEST(who_looks_on_where_something_was_near_hardly_looks)
{
    waiting_set_spin(&waiting, FOR_LONG, 2);
    find_something_near();
    glanced = glance_until_thousandth;
    assert_int_equal(wait_alone(NULL), 0);
    assert_int_equal(atomic_load(&glances), 1000);
    assert_true(looks <= 1000 / 16);
    assert_int_equal(atomic_load(&sleeps), 0);
}

static bool has_glanced_on(size_t i)
{
    return atomic_load(&glances) > i;
}

TEST(who_looks_on_nearby_looks_from_time_to_time)
{
    waiting_set_spin(&waiting, FOR_LONG, 2);
    find_something_near();
    begin(0, true);
    await(has_looked_on, 10);
    end(0);
    assert_true(looks <= atomic_load(&glances) / 16);
}

TEST(what_was_found_far_away_is_looked_for_each_time)
{
    waiting_set_spin(&waiting, FOR_LONG, 2);
    find_something_near();
    looked = look_that_finishes_all;
    begin(0, true);
    join(0);
    unsigned before = looks_so_far();
    atomic_store(&glances, 0);
    memset(sleepers, 0, sizeof sleepers);
    begin(0, true);
    await(has_glanced_on, 100);
    end(0);
    assert_true(looks_so_far() - before >= 99);
}

TEST(who_is_done_by_another_thread_looks_nearby)
{
    waiting_set_spin(&waiting, FOR_LONG, 2);
    begin(0, true);
    await(has_looked_on, 10);
    end(0);
    unsigned before = looks_so_far();
    atomic_store(&glances, 0);
    memset(sleepers, 0, sizeof sleepers);
    begin(0, true);
    await(has_glanced_on, 1000);
    end(0);
    assert_true(looks_so_far() - before <= atomic_load(&glances) / 16);
}

static bool asks_for_way;

static bool look_that_asks_for_way(void)
{
    finish_one(0);
    asks_for_way = atomic_load(&waiting.wanted);
    return true;
}

/* Others make way only for a leader that looks on, and only until it has gone. */
TEST(who_never_looks_on_is_not_made_way_for)
{
    for (int setting = 0; setting <= 1; setting++) {
        waiting_set_spin(&waiting, setting ? FOR_LONG : 0, 2);
        looked = look_that_asks_for_way;
        memset(sleepers, 0, sizeof sleepers);
        begin(0, true);
        join(0);
        assert_int_equal(asks_for_way, setting);
        assert_false(atomic_load(&waiting.wanted));
    }
}

TEST(who_was_woken_by_the_bell_sleeps_without_a_look)
{
    find_something_near();
    begin_all(1);
    assert_int_equal(looks_so_far(), 0);
    end(0);
    memset(sleepers, 0, sizeof sleepers);
    begin_all(1);
    assert_int_equal(looks_so_far(), 0);
    end(0);
}

TEST(what_ends_a_sleep_from_far_away_is_looked_at)
{
    int bell = eventfd(1, EFD_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = &bell};
    find_something_near();
    assert_int_equal(epoll_ctl(waiting.epoll, EPOLL_CTL_ADD, bell, &event), 0);
    looked = look_that_finishes_all;
    begin(0, true);
    join(0);
    assert_int_equal(looks, 1);
    assert_int_equal(atomic_load(&sleeps), 1);
    close(bell);
}

TEST(time_that_is_up_leaves_one_look)
{
    for (int turn = 0; turn < 4; turn++) {
        waiting_set_spin(&waiting, turn % 2 ? FOR_LONG : 0, 2);
        looks = 0;
        if (turn >= 2)
            find_something_near();
        assert_int_equal(wait_alone(&past), ETIMEDOUT);
        assert_int_equal(looks, 1);
    }
}

TEST(a_look_that_is_had_without_waiting_begins_nearby)
{
    glanced = glance_that_finds;
    assert_true(look_once());
    assert_int_equal(looks, 0);
}

static bool glance_that_keeps(void)
{
    assert_false(kept);
    kept = true;
    return true;
}

TEST(what_is_kept_is_delivered_before_the_next_glance)
{
    glanced = glance_that_keeps;
    assert_int_equal(wait_alone(NULL), 0);
    assert_false(kept);
    assert_true(look_once());
    assert_false(kept);
}

/* Relief --------------------------------------------------------------------------------------- */

static unsigned departures;

static void depart(void *owner)
{
    assert_ptr_equal(owner, &party);
    departures++;
}

static void *sleep_until_relieved(void *argument)
{
    struct sleeper *sleeper = argument;
    lock_acquire(&waiting.lock);
    sleeper->result = waiting_wait(&party, &sleeper->waiter, NULL);
    if (sleeper->result != WAITING_RELIEVED)
        lock_release(&waiting.lock);
    return NULL;
}

/* Starts a thread that looks on where something was near, and waits until it does. */
static void begin_relievable(bool relievable)
{
    waiting_set_spin(&waiting, FOR_LONG, 2);
    looks = 0;
    find_something_near();
    waiter_start(&sleepers[0].waiter);
    sleepers[0].waiter.relievable = relievable;
    assert_int_equal(pthread_create(&sleepers[0].thread, NULL, sleep_until_relieved, &sleepers[0]),
                     0);
    await(has_glanced_on, 10);
}

/* Wakes the thread when it pauses. True when that has relieved it. With the lock. */
static bool wake_amid_pause(void)
{
    const unsigned before = departures;
    while (atomic_load(&sleepers[0].waiter.stay) != STAY_PAUSES) {
        lock_release(&waiting.lock);
        sched_yield();
        lock_acquire(&waiting.lock);
    }
    sleepers[0].waiter.done = true;
    waiting_wake(&waiting, &sleepers[0].waiter);
    assert_int_equal(departures - before, waiting.leader == NULL);
    return departures > before;
}

static void join_relievable(bool relieved)
{
    assert_int_equal(pthread_join(sleepers[0].thread, NULL), 0);
    assert_int_equal(sleepers[0].result, relieved ? WAITING_RELIEVED : 0);
}

static bool is_relieved(bool relievable)
{
    begin_relievable(relievable);
    lock_acquire(&waiting.lock);
    bool relieved = wake_amid_pause();
    if (relieved)
        assert_null(waiting.first);
    lock_release(&waiting.lock);
    join_relievable(relieved);
    return relieved;
}

/* It may begin a glance just when it is woken. */
TEST(who_looks_on_is_relieved_by_who_wakes_it)
{
    party.leave = depart;
    while (!is_relieved(true))
        continue;
    assert_int_equal(atomic_load(&sleeps), 0);
}

#define ROUNDS 20

TEST(only_who_may_is_relieved)
{
    for (int i = 0; i < ROUNDS; i++) {
        party.leave = depart;
        assert_false(is_relieved(false));
        party.leave = NULL;
        assert_false(is_relieved(true));
    }
}

/* Followers need a leader. */
TEST(leader_of_others_is_not_relieved)
{
    party.leave = depart;
    for (int i = 0; i < ROUNDS; i++) {
        begin_relievable(true);
        begin(1, true);
        await(is_following, 1);
        lock_acquire(&waiting.lock);
        assert_false(wake_amid_pause());
        lock_release(&waiting.lock);
        join_relievable(false);
        end(1);
        memset(sleepers, 0, sizeof sleepers);
    }
}

#ifndef __SANITIZE_THREAD__ /* which lets signals wait until a thread is within the system */

static sigjmp_buf before_wait;
static atomic_bool jumped;
static atomic_bool goes_on;
static unsigned abandoned;

static void jump(int signal)
{
    (void)signal;
    siglongjmp(before_wait, 1);
}

static void abandon(struct waiter *waiter)
{
    assert_true(waiter->done);
    abandoned += waiter_was_relieved(waiter);
}

static bool glance_without_lock(void *owner)
{
    assert_ptr_equal(owner, &waiting);
    atomic_fetch_add(&glances, 1);
    return false;
}

/* Leaves its wait by a jump, and makes another call later. */
static void *leave_by_jump(void *argument)
{
    struct sleeper *sleeper = argument;
    if (sigsetjmp(before_wait, 1) == 0) {
        lock_acquire(&waiting.lock);
        waiting_wait(&party, &sleeper->waiter, NULL);
        abort();
    }
    atomic_store(&jumped, true);
    while (!atomic_load(&goes_on))
        sched_yield();
    lock_acquire(&waiting.lock);
    waiting_heed_jump(&waiting);
    lock_release(&waiting.lock);
    return NULL;
}

/* True when the thread had jumped out of a pause, and was relieved. */
static bool is_relieved_after_jump(void)
{
    memset(sleepers, 0, sizeof sleepers);
    waiter_start(&sleepers[0].waiter);
    sleepers[0].waiter.relievable = true;
    sleepers[0].waiter.abandon = abandon;
    atomic_store(&jumped, false);
    atomic_store(&goes_on, false);
    atomic_store(&glances, 0);
    abandoned = 0;
    assert_int_equal(pthread_create(&sleepers[0].thread, NULL, leave_by_jump, &sleepers[0]), 0);
    await(has_glanced_on, 10);
    assert_int_equal(pthread_kill(sleepers[0].thread, SIGUSR1), 0);
    while (!atomic_load(&jumped))
        sched_yield();
    const unsigned before = departures;
    finish_one(0);
    const unsigned relieved = departures - before;
    atomic_store(&goes_on, true);
    assert_int_equal(pthread_join(sleepers[0].thread, NULL), 0);
    assert_int_equal(abandoned, relieved);
    assert_null(waiting.leader);
    return relieved == 1;
}

/* What it was relieved with is not lost. */
TEST(relieved_wait_that_was_left_by_a_jump_is_undone)
{
    const struct sigaction action = {.sa_handler = jump};
    assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
    party.leave = depart;
    waiting_set_spin(&waiting, FOR_LONG, 2);
    find_something_near();
    looked = NULL;
    waiting.work.glance = glance_without_lock;
    waiting.work.look = glance_without_lock;
    while (!is_relieved_after_jump())
        continue;
}

#endif

/* An errand that came before the message runs before the wait is over. */
TEST(leader_with_an_errand_is_not_relieved)
{
    party.leave = depart;
    for (unsigned i = 1; i <= ROUNDS; i++) {
        begin_relievable(true);
        lock_acquire(&waiting.lock);
        party.errand_wanted = true;
        assert_false(wake_amid_pause());
        lock_release(&waiting.lock);
        join_relievable(false);
        assert_int_equal(errands, i);
    }
}

/* Errands -------------------------------------------------------------------------------------- */

static void request_errand(void)
{
    lock_acquire(&waiting.lock);
    waiting_request_errand(&party);
    lock_release(&waiting.lock);
}

static bool look_that_wants_an_errand(void)
{
    request_errand();
    lock_acquire(&waiting.lock);
    looked = NULL;
    lock_release(&waiting.lock);
    return true;
}

TEST(errand_is_run_by_who_waits)
{
    looked = look_that_wants_an_errand;
    begin(0, false);
    await(errand_has_run, 1);
    await(is_leading_asleep, 0); /* and then it waits on */
    end(0);
    assert_int_equal(errands, 1);
}

static bool look_that_finishes_and_wants_an_errand(void)
{
    request_errand();
    lock_acquire(&waiting.lock);
    alone.done = true;
    lock_release(&waiting.lock);
    return true;
}

/*
 * A message for a handler came before the one that was waited for: its handler runs before the wait
 * returns.
 */
TEST(errand_is_run_before_the_wait_returns)
{
    looked = look_that_finishes_and_wants_an_errand;
    assert_int_equal(wait_alone(NULL), 0);
    assert_int_equal(errands, 1);
}

TEST(errand_is_run_after_a_look)
{
    looked = look_that_wants_an_errand;
    assert_true(look_once());
    assert_int_equal(errands, 1);
    assert_false(look_once());
    assert_int_equal(errands, 1);
}

/* An errand that waits itself leaves the others a leader, and no second errand runs beside it. */
static void errand_that_waits(void)
{
    if (errands > 1)
        return;
    struct sleeper *inner = &sleepers[THREADS - 1];
    request_errand();
    sleep_until_done(inner);
    assert_int_equal(errands, 1);
}

static bool is_waiting_within(size_t i)
{
    return is_following(i) || is_leading_asleep(i);
}

TEST(errand_may_wait_itself)
{
    on_errand = errand_that_waits;
    begin_all(2);
    lock_acquire(&waiting.lock);
    looked = look_that_wants_an_errand;
    waiting_wake(&waiting, waiting.leader);
    lock_release(&waiting.lock);
    await(is_waiting_within, THREADS - 1);
    finish_one(1);
    join(1); /* others come and go meanwhile */
    finish_one(THREADS - 1);
    await(errand_has_run, 2); /* the one that was wanted meanwhile */
    end(0);
}

/* Interrupts ----------------------------------------------------------------------------------- */

static struct waiter *pause_one(void)
{
    const bool cancelled = false;
    lock_acquire(&waiting.lock);
    struct waiter *paused = waiting_pause(&party, &cancelled);
    lock_release(&waiting.lock);
    return paused;
}

static void go_on(struct waiter *paused)
{
    lock_acquire(&waiting.lock);
    waiting_go_on(paused);
    lock_release(&waiting.lock);
}

TEST(paused_thread_does_not_return)
{
    begin_all(2);
    assert_ptr_equal(pause_one(), &sleepers[0].waiter); /* who has waited longest */
    finish_one(0);
    finish_one(1); /* the other is not concerned */
    join(1);
    await(is_leading_asleep, 0); /* the paused one may still lead */
    assert_false(is_true(has_returned, 0));
    lock_acquire(&waiting.lock);
    assert_ptr_equal(waiting_paused(&party), &sleepers[0].waiter);
    lock_release(&waiting.lock);
    go_on(&sleepers[0].waiter);
    join(0);
    assert_null(waiting_paused(&party));
}

TEST(thread_that_goes_on_waits_on)
{
    begin_all(1);
    go_on(pause_one());
    await(is_leading_asleep, 0);
    assert_false(is_true(has_returned, 0));
    end(0);
}

static void *pause_in_a_thread(void *argument)
{
    *(struct waiter **)argument = pause_one();
    return NULL;
}

TEST(interrupter_waits_for_somebody_to_stop)
{
    pthread_t interrupter;
    struct waiter *paused = NULL;
    assert_int_equal(pthread_create(&interrupter, NULL, pause_in_a_thread, &paused), 0);
    begin(0, false); /* not interruptible */
    await(is_waiting_within, 0);
    begin(1, true);
    assert_int_equal(pthread_join(interrupter, NULL), 0);
    assert_ptr_equal(paused, &sleepers[1].waiter);
    end(0);
    go_on(paused);
    end(1);
}

TEST(two_are_paused_in_turn)
{
    begin_all(2);
    assert_ptr_equal(pause_one(), &sleepers[0].waiter);
    assert_ptr_equal(pause_one(), &sleepers[1].waiter);
    finish_one(1);
    finish_one(0);
    go_on(&sleepers[1].waiter);
    join(1);
    assert_false(is_true(has_returned, 0));
    go_on(&sleepers[0].waiter);
    join(0);
}

TEST(cancelled_interrupt_returns_nobody)
{
    const bool cancelled = true;
    begin_all(1);
    lock_acquire(&waiting.lock);
    assert_null(waiting_pause(&party, &cancelled));
    lock_release(&waiting.lock);
    end(0);
}

/* Time that is up while a thread is paused counts when it goes on. */
static void *sleep_with_deadline(void *argument)
{
    struct sleeper *sleeper = argument;
    lock_acquire(&waiting.lock);
    sleeper->waiter.paused = true;
    sleeper->result = waiting_wait(&party, &sleeper->waiter, &past);
    sleeper->returned = true;
    lock_release(&waiting.lock);
    return NULL;
}

TEST(paused_thread_does_not_run_out_of_time)
{
    sleepers[0].waiter.interruptible = true;
    assert_int_equal(pthread_create(&sleepers[0].thread, NULL, sleep_with_deadline, &sleepers[0]),
                     0);
    await(is_leading_asleep, 0);
    go_on(&sleepers[0].waiter);
    assert_int_equal(pthread_join(sleepers[0].thread, NULL), 0);
    assert_int_equal(sleepers[0].result, ETIMEDOUT);
}

TEST(errand_is_left_to_who_is_not_paused)
{
    begin_all(2);
    assert_ptr_equal(pause_one(), &sleepers[0].waiter);
    request_errand(); /* the leader is paused */
    await(errand_has_run, 1);
    go_on(&sleepers[0].waiter);
    finish_one(0);
    finish_one(1);
    join(0);
    join(1);
    assert_int_equal(errands, 1);
}

/* Standing still ------------------------------------------------------------------------------- */

static void stand_still(void)
{
    lock_acquire(&waiting.lock);
    waiting_stand_still(&waiting);
    lock_release(&waiting.lock);
}

static void move_on(void)
{
    lock_acquire(&waiting.lock);
    waiting_move_on(&waiting);
    lock_release(&waiting.lock);
}

static bool stands_still;

static void *stand_still_next(void *argument)
{
    (void)argument;
    stand_still();
    stands_still = true;
    move_on();
    return NULL;
}

static void *look_aside(void *argument)
{
    (void)argument;
    look_once();
    return NULL;
}

/* The leader sleeps, others follow, and one would look: none of them does, until all may. */
TEST(nobody_looks_while_all_stand_still)
{
    pthread_t other, next;
    stands_still = false;
    begin_all(2);
    stand_still();
    unsigned before = looks_so_far();
    assert_true(waiting.stands || atomic_load(&waiting.dormant));
    assert_int_equal(pthread_create(&other, NULL, look_aside, NULL), 0);
    assert_int_equal(pthread_create(&next, NULL, stand_still_next, NULL), 0);
    finish_one(1);
    join(1);
    assert_int_equal(looks_so_far(), before);
    assert_false(stands_still);
    move_on();
    assert_int_equal(pthread_join(other, NULL), 0);
    assert_int_equal(pthread_join(next, NULL), 0);
    assert_true(stands_still);
    assert_int_equal(looks_so_far(), before); /* who leads looks */
    finish_one(0);
    join(0);
}

static bool is_dormant(size_t i)
{
    return waiting.leader == &sleepers[i].waiter && atomic_load(&waiting.dormant);
}

static bool stands(size_t i)
{
    return waiting.leader == &sleepers[i].waiter && waiting.stands;
}

/* A leader that sleeps in the system is not woken; should it wake up, it stands before it looks. */
TEST(dormant_leader_is_left_asleep)
{
    begin_all(1);
    await(is_dormant, 0);
    stand_still();
    unsigned slept = atomic_load(&sleeps);
    unsigned before = looks_so_far();
    assert_true(is_true(is_dormant, 0));
    move_on();
    assert_true(is_true(is_dormant, 0));
    stand_still();
    doorbell_ring(waiting.doorbell);
    await(stands, 0);
    assert_int_equal(looks_so_far(), before);
    move_on();
    await(is_dormant, 0);
    assert_true(looks_so_far() > before);
    assert_int_equal(atomic_load(&sleeps), slept + 1);
    finish_one(0);
    join(0);
}

static bool done_meanwhile;

static void *do_in_turn(void *argument)
{
    (void)argument;
    lock_acquire(&waiting.lock);
    bool still = waiting_stand_still_unless(&waiting, &done_meanwhile);
    lock_release(&waiting.lock);
    assert_false(still);
    return NULL;
}

/* Who waits to make all stand still goes on when another thread has done what was to be done. */
TEST(one_stands_for_all)
{
    pthread_t others[3];
    done_meanwhile = false;
    stand_still();
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&others[i], NULL, do_in_turn, NULL), 0);
    lock_acquire(&waiting.lock);
    done_meanwhile = true;
    waiting_move_on(&waiting);
    lock_release(&waiting.lock);
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_join(others[i], NULL), 0);
    assert_false(waiting.still);
}

/* A leader whose own wait is over need not stand; who leads then does. */
TEST(leader_returns_instead_of_standing)
{
    waiting_set_spin(&waiting, FOR_LONG, 2);
    begin(0, false);
    await(has_looked_on, 10);
    begin(1, false);
    await(is_following, 1);
    lock_acquire(&waiting.lock);
    sleepers[0].waiter.done = true; /* and nobody wakes it */
    waiting_stand_still(&waiting);
    unsigned before = looks;
    assert_true(waiting.leader != &sleepers[0].waiter);
    lock_release(&waiting.lock);
    join(0);
    assert_int_equal(looks_so_far(), before);
    move_on();
    finish_one(1);
    join(1);
}

/* Two parties ---------------------------------------------------------------------------------- */

static struct party guests;
static unsigned guest_errands;

static void guest_errand(void *owner)
{
    assert_ptr_equal(owner, &guests);
    lock_acquire(&waiting.lock);
    guest_errands++;
    lock_release(&waiting.lock);
}

/* The first thread leads, for a thread of the other party, too. */
static void begin_with_guest(void)
{
    guest_errands = 0;
    party_start(&guests, &waiting, guest_errand, &guests);
    begin_all(1);
    sleepers[1].party = &guests;
    begin(1, true);
    await(is_following, 1);
}

static void end_with_guest(void)
{
    for (size_t i = 0; i < 2; i++) {
        finish_one(i);
        join(i);
    }
    party_finish(&guests);
}

static bool guest_errand_has_run(size_t i)
{
    return guest_errands == i;
}

TEST(errand_is_run_by_its_party)
{
    begin_with_guest();
    lock_acquire(&waiting.lock);
    waiting_request_errand(&guests);
    lock_release(&waiting.lock);
    await(guest_errand_has_run, 1);
    assert_int_equal(errands, 0);
    finish_one(0);
    join(0);
    await(is_leading_asleep, 1);
    request_errand(); /* nobody of its party is there */
    finish_one(1);
    join(1);
    assert_int_equal(errands, 0);
    begin(2, false);
    await(errand_has_run, 1);
    finish_one(2);
    join(2);
    party_finish(&guests);
}

/* Amid it a thread of each party begins to wait, and something comes for the other party. */
static bool look_amid_which_guests_come(void)
{
    looked = NULL;
    begin(0, true);
    await(is_following, 0);
    sleepers[1].party = &guests;
    begin(1, true);
    await(is_following, 1);
    lock_acquire(&waiting.lock);
    waiting_request_errand(&guests);
    lock_release(&waiting.lock);
    return true;
}

TEST(errand_is_run_though_another_party_leads_next)
{
    guest_errands = 0;
    party_start(&guests, &waiting, guest_errand, &guests);
    looked = look_amid_which_guests_come;
    assert_true(look_once());
    await(guest_errand_has_run, 1);
    end_with_guest();
}

TEST(pause_concerns_one_party)
{
    const bool cancelled = false;
    begin_with_guest();
    lock_acquire(&waiting.lock);
    assert_ptr_equal(waiting_pause(&guests, &cancelled), &sleepers[1].waiter);
    assert_null(waiting_paused(&party));
    assert_ptr_equal(waiting_paused(&guests), &sleepers[1].waiter);
    waiting_go_on(&sleepers[1].waiter);
    lock_release(&waiting.lock);
    end_with_guest();
}

static bool look_that_finds_once(void)
{
    lock_acquire(&waiting.lock);
    looked = NULL;
    lock_release(&waiting.lock);
    return true;
}

/* The leader, of another party, sleeps: it looks, and tells what it has found. */
TEST(leader_of_others_looks_for_who_asks)
{
    party_start(&guests, &waiting, guest_errand, &guests);
    begin_all(1);
    lock_acquire(&waiting.lock);
    looked = look_that_finds_once;
    unsigned before = looks;
    assert_true(waiting_look(&guests));
    assert_true(looks > before);
    assert_null(looked);
    before = looks;
    assert_false(waiting_look(&guests));
    assert_true(looks > before);
    before = looks;
    looked = look_that_finds_once;
    assert_true(waiting_catch_up(&guests));
    assert_true(looks > before);
    before = looks;
    assert_false(waiting_take_in(&guests)); /* a leader may as well find it later */
    assert_false(waiting_look(&party));     /* its own leader looks anyway */
    assert_int_equal(looks, before);
    lock_release(&waiting.lock);
    finish_one(0);
    join(0);
    party_finish(&guests);
}

/* Standing by ---------------------------------------------------------------------------------- */

/* The first thread stands by, and sleeps. How many looks there were. */
static unsigned begin_standing_by(void)
{
    sleepers[0].waiter.stands_by = true;
    begin(0, false);
    await(is_dormant, 0);
    return looks_so_far();
}

static bool is_displaced(size_t i)
{
    return waiting.displaced == &sleepers[i].waiter;
}

TEST(who_stands_by_sleeps_until_something_is_urgent)
{
    waiting_set_spin(&waiting, FOR_LONG, 2);
    unsigned before = begin_standing_by();
    assert_int_equal(napping, NAP_UNTIL_URGENT);
    doorbell_ring(waiting.doorbell);
    await(has_looked_on, before);
    await(is_dormant, 0);
    assert_int_equal(napping, NAP_UNTIL_URGENT);
    end(0);
}

/* It neither wakes up nor looks, whatever others do. */
TEST(who_waits_takes_the_place_of_one_that_stands_by_and_gives_it_back)
{
    unsigned before = begin_standing_by();
    for (int i = 0; i < 3; i++) {
        looks = 0;
        looked = look_until_third;
        assert_int_equal(wait_alone(NULL), 0);
        looked = NULL;
        assert_true(is_true(is_dormant, 0));
        assert_int_equal(napping, NAP_UNTIL_URGENT);
    }
    assert_int_equal(looks, 3);
    assert_int_equal(before, 1);
    assert_int_equal(atomic_load(&sleeps), 1);
    end(0);
}

TEST(a_look_is_had_in_place_of_one_that_stands_by)
{
    unsigned before = begin_standing_by();
    assert_false(look_once());
    assert_int_equal(looks_so_far(), before + 1);
    assert_true(is_true(is_dormant, 0));
    assert_int_equal(napping, NAP_UNTIL_URGENT);
    assert_int_equal(atomic_load(&sleeps), 1);
    end(0);
}

TEST(who_sleeps_in_its_place_is_woken_for_anything)
{
    begin_standing_by();
    begin(1, false);
    await(is_dormant, 1);
    assert_true(is_true(is_displaced, 0));
    assert_int_equal(napping, NAP_UNTIL_ANYTHING);
    unsigned before = looks_so_far();
    doorbell_ring(waiting.doorbell); /* whichever it wakes */
    await(has_looked_on, before);
    await(is_dormant, 1);
    end(1);
    await(is_dormant, 0);
    assert_int_equal(napping, NAP_UNTIL_URGENT);
    end(0);
}

TEST(what_is_urgent_wakes_it_when_it_has_its_place_back)
{
    unsigned before = begin_standing_by();
    urgent = true;
    assert_int_equal(wait_alone(&past), ETIMEDOUT);
    await(has_looked_on, before);
    await(is_dormant, 0);
    assert_false(urgent);
    end(0);
}

TEST(who_stands_by_and_is_done_returns_though_another_leads)
{
    for (int spins = 0; spins < 2; spins++) {
        waiting_set_spin(&waiting, spins ? FOR_LONG : 0, 2);
        begin_standing_by();
        begin(1, false);
        await(is_displaced, 0);
        end(0);
        assert_false(is_true(has_returned, 1));
        end(1);
        memset(sleepers, 0, sizeof sleepers);
    }
}

static bool look_amid_which_another_comes(void)
{
    looked = NULL;
    begin(1, false);
    await(is_following, 1);
    return false;
}

TEST(who_stands_by_and_is_awake_steps_down)
{
    looked = look_amid_which_another_comes;
    sleepers[0].waiter.stands_by = true;
    begin(0, false);
    await(is_dormant, 1);
    assert_true(is_true(is_following, 0));
    end(1);
    await(is_dormant, 0);
    end(0);
}

TEST(errand_is_run_while_one_is_displaced)
{
    begin_standing_by();
    begin(1, false);
    await(is_dormant, 1);
    request_errand();
    await(errand_has_run, 1);
    end(1);
    await(is_dormant, 0);
    request_errand();
    await(errand_has_run, 2);
    end(0);
}

/* It cannot be woken alone for its party's errands: so it does not sleep beside them. */
TEST(who_stands_by_follows_another_party)
{
    party_start(&guests, &waiting, guest_errand, &guests);
    begin_standing_by();
    sleepers[1].party = &guests;
    begin(1, false);
    await(is_dormant, 1);
    assert_true(is_true(is_following, 0));
    request_errand();
    await(errand_has_run, 1);
    end(1);
    await(is_dormant, 0);
    end(0);
    party_finish(&guests);
}

/* Two of a party and one of another, which follows: the party keeps the lead, for all of them. */
TEST(who_was_displaced_leads_for_another_party)
{
    party_start(&guests, &waiting, guest_errand, &guests);
    begin_standing_by();
    begin(1, false);
    await(is_dormant, 1);
    sleepers[2].party = &guests;
    begin(2, false);
    await(is_following, 2);
    end(1);
    await(is_dormant, 0);
    assert_int_equal(napping, NAP_UNTIL_ANYTHING);
    end(2);
    end(0);
    party_finish(&guests);
}

TEST(nobody_has_its_place_back_while_all_stand_still)
{
    begin_standing_by();
    begin(1, false);
    await(is_dormant, 1);
    stand_still();
    end(1);
    assert_true(is_true(is_displaced, 0));
    move_on();
    assert_true(is_true(is_dormant, 0));
    end(0);
}

/* Any number of threads, which lead, follow and look in any order, beside one that stands by. */
static void *come_and_go(void *argument)
{
    for (int i = 0; i < 300; i++) {
        struct waiter waiter;
        waiter_start(&waiter);
        lock_acquire(&waiting.lock);
        assert_int_equal(waiting_wait(&party, &waiter, &past), ETIMEDOUT);
        waiting_take_in(&party);
        lock_release(&waiting.lock);
        doorbell_ring(waiting.doorbell);
    }
    return argument;
}

TEST(many_come_and_go_beside_one_that_stands_by)
{
    pthread_t threads[THREADS];
    begin_standing_by();
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, come_and_go, NULL), 0);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    await(is_dormant, 0);
    request_errand();
    await(errand_has_run, 1);
    await(is_dormant, 0);
    end(0);
}
