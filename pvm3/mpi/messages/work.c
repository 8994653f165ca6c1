/* work.c - who lets work go on, and how threads wait meanwhile. */
#include "mpi/messages/work.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "lib/calls/kernel.h"
#include "mpi/messages/messages.h"

/* A thread that waits: others wake it by its event. */
struct sleeper {
    struct kernel_post *event;
    bool woken;
    struct sleeper *next;
};

/* The lock guards what follows; `count` is read without it, too. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct work *first;
static struct work *last;
static atomic_int count;
static bool advancing; /* a thread has the role to let all work go on */
static bool recalled;  /* threads do not wait but as below, since there is work */
static struct sleeper *sleepers;

void awaited_add_post(struct awaited *awaited, struct kernel_post *post)
{
    if (awaited->count == awaited->room) {
        int room = 2 * awaited->room + 8;
        struct kernel_post **more = realloc(awaited->posts, (size_t)room * sizeof(*more));
        if (!more)
            return;
        awaited->posts = more;
        awaited->room = room;
    }
    awaited->posts[awaited->count++] = post;
}

void awaited_add(struct awaited *awaited, const struct posted *posted)
{
    if (posted->post)
        awaited_add_post(awaited, posted->post);
}

bool work_exists(void)
{
    return atomic_load_explicit(&count, memory_order_acquire) > 0;
}

/* With the lock. */
static void work_wake_all(void)
{
    for (struct sleeper *sleeper = sleepers; sleeper; sleeper = sleeper->next) {
        if (!sleeper->woken)
            kernel_raise(sleeper->event);
        sleeper->woken = true;
    }
}

void work_recheck(void)
{
    pthread_mutex_lock(&lock);
    work_wake_all();
    pthread_mutex_unlock(&lock);
}

/*
 * Threads that have begun to wait while there was no work wait as all do, from now on; or may do
 * without, when there is no work any more. With the lock.
 */
static void work_recall(void)
{
    if (recalled != (first != NULL))
        kernel_recall(first != NULL);
    recalled = first != NULL;
}

/* The role. Who has it is the only one to call functions of work. ------------------------------- */

static bool work_take_role(void)
{
    pthread_mutex_lock(&lock);
    bool taken = !advancing;
    advancing = true;
    pthread_mutex_unlock(&lock);
    return taken;
}

/* Work that is left goes on by another thread that waits. */
static void work_give_role(void)
{
    pthread_mutex_lock(&lock);
    advancing = false;
    if (first)
        work_wake_all();
    pthread_mutex_unlock(&lock);
}

static void work_end(struct work *work)
{
    pthread_mutex_lock(&lock);
    *(work->previous ? &work->previous->next : &first) = work->next;
    *(work->next ? &work->next->previous : &last) = work->previous;
    atomic_fetch_sub_explicit(&count, 1, memory_order_release);
    work->done = true;
    void (*over)(struct work * work) = work->over;
    work_recall();
    work_wake_all();
    pthread_mutex_unlock(&lock);
    if (over)
        over(work);
}

bool work_orphan(struct work *work, void (*over)(struct work *work))
{
    pthread_mutex_lock(&lock);
    bool going = !work->done;
    if (going)
        work->over = over;
    pthread_mutex_unlock(&lock);
    return going;
}

static struct work *work_first(void)
{
    pthread_mutex_lock(&lock);
    struct work *work = first;
    pthread_mutex_unlock(&lock);
    return work;
}

/* Only who has the role takes work out: the next one stays. */
static struct work *work_next(const struct work *work)
{
    pthread_mutex_lock(&lock);
    struct work *next = work->next;
    pthread_mutex_unlock(&lock);
    return next;
}

/* With the role. What is over may be freed by its owner at once. */
static void work_advance_all(void)
{
    struct work *next;
    for (struct work *work = work_first(); work; work = next) {
        bool over = work->steps->advance(work);
        next = work_next(work);
        if (over)
            work_end(work);
    }
}

static void work_list_all(struct awaited *awaited)
{
    for (struct work *work = work_first(); work; work = work_next(work))
        work->steps->pending(work, awaited);
}

void work_look(void)
{
    if (!work_exists() || !work_take_role())
        return;
    work_advance_all();
    work_give_role();
}

void work_begin(struct work *work, const struct work_steps *steps)
{
    work->steps = steps;
    work->done = false;
    work->over = NULL;
    pthread_mutex_lock(&lock);
    work->next = NULL;
    work->previous = last;
    *(last ? &last->next : &first) = work;
    last = work;
    atomic_fetch_add_explicit(&count, 1, memory_order_release);
    bool others = advancing;
    if (others)
        work_wake_all(); /* the thread with the role sees to the new work, too */
    pthread_mutex_unlock(&lock);
    if (!others)
        work_look();
    pthread_mutex_lock(&lock);
    work_recall();
    pthread_mutex_unlock(&lock);
}

static bool work_is_done(void *owner)
{
    const struct work *work = owner;
    pthread_mutex_lock(&lock);
    bool done = work->done;
    pthread_mutex_unlock(&lock);
    return done;
}

bool work_test(struct work *work)
{
    work_look();
    return work_is_done(work);
}

/* Waiting. ------------------------------------------------------------------------------------- */

/* From now on others can wake the thread. False when the virtual machine is gone. */
static bool sleeper_begin(struct sleeper *sleeper)
{
    if (kernel_post_event(&sleeper->event) < 0)
        return false;
    sleeper->woken = false;
    pthread_mutex_lock(&lock);
    sleeper->next = sleepers;
    sleepers = sleeper;
    pthread_mutex_unlock(&lock);
    return true;
}

static void sleeper_end(struct sleeper *sleeper)
{
    pthread_mutex_lock(&lock);
    struct sleeper **place = &sleepers;
    while (*place != sleeper)
        place = &(*place)->next;
    *place = sleeper->next;
    pthread_mutex_unlock(&lock);
    kernel_finish(sleeper->event, NULL, NULL);
}

/*
 * Sleeps until what is wanted may be there, or work can go on. Whoever changes what this asks for
 * wakes the sleeper, which began before it asked. True when it is there.
 */
static bool work_sleep(const struct wanted *wanted, const struct sleeper *sleeper, bool role)
{
    struct awaited awaited = {NULL, 0, 0};
    if (role)
        work_advance_all();
    if (wanted->done(wanted->owner))
        return true;
    awaited_add_post(&awaited, sleeper->event);
    if (wanted->list)
        wanted->list(wanted->owner, &awaited);
    if (role)
        work_list_all(&awaited);
    if (awaited.count > 0)
        kernel_wait_any(awaited.posts, awaited.count);
    free(awaited.posts);
    return false;
}

bool work_wait_until(const struct wanted *wanted)
{
    struct sleeper sleeper;
    bool role = false, there = false;
    while (!there && sleeper_begin(&sleeper)) {
        role = role || work_take_role();
        there = work_sleep(wanted, &sleeper, role);
        sleeper_end(&sleeper);
    }
    if (role)
        work_give_role();
    return there || wanted->done(wanted->owner);
}

bool work_wait(struct work *work)
{
    const struct wanted wanted = {work_is_done, NULL, work};
    return work_wait_until(&wanted);
}

static bool work_is_none(void *owner)
{
    (void)owner;
    return !work_exists();
}

void work_drain(void)
{
    const struct wanted wanted = {work_is_none, NULL, NULL};
    if (work_exists())
        work_wait_until(&wanted);
}
