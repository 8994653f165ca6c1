/* Which active buffers do threads find?
 *
 * usage: turns AREA THREADS ROUNDS SEED
 *   hop      each call is made by one of THREADS threads, one call after the other, as runtimes do
 *            that move work between threads: one pair of active buffers, as with 3.4.6. A thread
 *            makes about STAY calls before another one goes on, where SEED is STAY * 1000 + seed
 *   queued   THREADS threads receive what was sent before they began, each its own ROUNDS messages,
 *            and unpack them piece by piece: each from its own buffer
 *   packing  THREADS threads pack and send, piece by piece, none receives
 *   asked    a program that has called pvm_threadsafe has no buffer of another thread
 *   ended    what a thread received that has ended since is unpacked by another one
 *   bcast    one thread packs, another one, which has sent before, broadcasts ROUNDS times to the
 *            group "g", of which one other task is a member
 * Prints "checked N" at the end; what is wrong is printed instead and the exit status is 1.
 */
#include <pthread.h>
#include <pvm3.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

enum { MOST_THREADS = 32, MOST_ITEMS = 8, TAG = 7, FIRST_TAG = 1000 };

static int thread_count, rounds, self;
static unsigned seed;
static long checked;
static atomic_long checked_by_threads;

#pragma weak pvm_threadsafe
int pvm_threadsafe(void);

static int draw(int limit)
{
    seed = seed * 1103515245 + 12345;
    return (int)(seed >> 16) % limit;
}

/* ---- hop: a pool of threads that make one call at a time ---- */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int turn; /* which thread makes the call, -1: none */
    void (*call)(void);
    int stay;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER, .turn = -1};

static int argument, result;

static void *take_turns(void *number)
{
    int me = *(int *)number;
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        while (pool.turn != me)
            pthread_cond_wait(&pool.changed, &pool.lock);
        if (!pool.call)
            break;
        pool.call();
        pool.turn = -1;
        pthread_cond_broadcast(&pool.changed);
    }
    pool.turn = -1;
    pthread_cond_broadcast(&pool.changed);
    pthread_mutex_unlock(&pool.lock);
    return NULL;
}

static int on_thread(int thread, void (*call)(void), int value)
{
    pthread_mutex_lock(&pool.lock);
    argument = value;
    pool.call = call;
    pool.turn = thread;
    pthread_cond_broadcast(&pool.changed);
    while (pool.turn != -1)
        pthread_cond_wait(&pool.changed, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
    return result;
}

static int hop(void (*call)(void), int value)
{
    static int thread;
    if (draw(pool.stay) == 0)
        thread = draw(thread_count);
    return on_thread(thread, call, value);
}

static void call_initsend(void)
{
    result = pvm_initsend(argument);
}

static void call_pack(void)
{
    result = pvm_pkint(&argument, 1, 1);
}

static void call_send(void)
{
    result = pvm_send(self, argument);
}

static void call_receive(void)
{
    result = pvm_recv(-1, argument);
}

static void call_unpack(void)
{
    int value = -1;
    result = pvm_upkint(&value, 1, 1) < 0 ? -1 : value;
}

static void call_getsbuf(void)
{
    result = pvm_getsbuf();
}

static void call_getrbuf(void)
{
    result = pvm_getrbuf();
}

static void call_setsbuf(void)
{
    result = pvm_setsbuf(argument);
}

static void call_freebuf(void)
{
    result = pvm_freebuf(argument);
}

/* Messages to itself that are begun, sent once or more often, received and unpacked in part. */
static void hop_round(bool ask)
{
    static int next;
    int items = 1 + draw(MOST_ITEMS), copies = 1 + draw(3), first = next;
    if (ask && draw(6) == 0) { /* a message that is begun and never sent */
        hop(call_initsend, PvmDataRaw);
        hop(call_pack, -7);
    }
    int id = hop(call_initsend, PvmDataDefault);
    for (int i = 0; i < items; i++)
        expect("pack", hop(call_pack, next++), 0);
    if (ask && draw(4) == 0)
        expect("the active send buffer", hop(call_getsbuf, 0), id);
    if (ask && draw(4) == 0) { /* as libraries do that send something of their own */
        int before = hop(call_setsbuf, 0);
        expect("the send buffer before", before, id);
        hop(call_initsend, PvmDataRaw);
        expect("pack", hop(call_pack, -8), 0);
        expect("send", hop(call_send, TAG + 1), 0);
        hop(call_freebuf, hop(call_setsbuf, before));
    }
    for (int i = 0; i < copies; i++)
        expect("send", hop(call_send, TAG), 0);
    for (int i = 0; i < copies; i++) {
        id = hop(call_receive, TAG);
        if (ask && draw(4) == 0)
            expect("the active receive buffer", hop(call_getrbuf, 0), id);
        int taken = draw(items + 1);
        for (int item = 0; item < taken; item++, checked++)
            expect("an item", hop(call_unpack, 0), first + item);
    }
}

static void test_hop(void)
{
    static int numbers[MOST_THREADS];
    pthread_t threads[MOST_THREADS];
    pool.stay = (int)seed / 1000 + 1;
    for (int i = 0; i < thread_count; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, take_turns, &numbers[i]);
    }
    for (int i = 0; i < rounds; i++)
        hop_round(i >= rounds / 2); /* ids alone are no sign */
    for (int i = 0; i < thread_count; i++) {
        on_thread(i, NULL, 0);
        pthread_join(threads[i], NULL);
    }
}

/* ---- queued, packing: threads that know of no turns ---- */

static void send_numbers(int tag, int first)
{
    pvm_initsend(PvmDataRaw);
    for (int item = 0; item < MOST_ITEMS; item++) {
        int value = first + item;
        expect("pack", pvm_pkint(&value, 1, 1), 0);
    }
    expect("send", pvm_send(self, tag), 0);
}

static void receive_numbers(int tag, int first)
{
    if (pvm_recv(-1, tag) <= 0)
        fail("receive fails");
    for (int item = 0; item < MOST_ITEMS; item++) {
        int value = -1;
        expect("unpack", pvm_upkint(&value, 1, 1), 0);
        expect("an item", value, first + item);
        atomic_fetch_add(&checked_by_threads, 1);
    }
}

static void *receive_all(void *number)
{
    int me = *(int *)number;
    for (int i = 0; i < rounds; i++)
        receive_numbers(FIRST_TAG + me, me * 1000000 + i * 100);
    return NULL;
}

static void *send_all(void *number)
{
    int me = *(int *)number;
    for (int i = 0; i < rounds; i++)
        send_numbers(FIRST_TAG + me, me * 1000000 + i * 100);
    return NULL;
}

static void run_all(void *(*body)(void *))
{
    static int numbers[MOST_THREADS];
    pthread_t threads[MOST_THREADS];
    for (int i = 0; i < thread_count; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, body, &numbers[i]);
    }
    for (int i = 0; i < thread_count; i++)
        pthread_join(threads[i], NULL);
}

static void test_queued(void)
{
    for (int i = 0; i < rounds; i++)
        for (int thread = 0; thread < thread_count; thread++)
            send_numbers(FIRST_TAG + thread, thread * 1000000 + i * 100);
    run_all(receive_all);
}

static void test_packing(void)
{
    run_all(send_all);
    for (int thread = 0; thread < thread_count; thread++)
        receive_all(&(int){thread});
}

/* ---- asked, ended ---- */

static void *send_others(void *unused)
{
    (void)unused;
    result = pvm_send(self, TAG);
    return NULL;
}

static void *receive_one(void *unused)
{
    (void)unused;
    if (pvm_recv(-1, TAG) <= 0)
        fail("receive fails");
    return NULL;
}

static void run_one(void *(*body)(void *))
{
    pthread_t thread;
    pthread_create(&thread, NULL, body, NULL);
    pthread_join(thread, NULL);
}

static void test_asked(void)
{
    expect("pvm_threadsafe", pvm_threadsafe(), 1);
    pvm_setopt(PvmAutoErr, 0);
    pvm_initsend(PvmDataRaw);
    run_one(send_others);
    expect("send", result, PvmNoBuf);
    checked++;
}

static void test_ended(void)
{
    int value = 42;
    for (int i = 0; i < rounds; i++) {
        pvm_initsend(PvmDataRaw);
        pvm_pkint(&value, 1, 1);
        run_one(send_others);
        expect("send", result, 0);
        run_one(receive_one);
        value = -1;
        expect("unpack", pvm_upkint(&value, 1, 1), 0);
        expect("an item", value, 42);
        checked++;
    }
}

/* ---- bcast: the group library makes calls of its own ---- */

static void call_bcast(void)
{
    result = pvm_bcast("g", TAG);
}

static void pack_on(int thread, int value)
{
    on_thread(thread, call_initsend, PvmDataRaw);
    expect("pack", on_thread(thread, call_pack, value), 0);
}

static void test_bcast(void)
{
    static int numbers[] = {0, 1};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, take_turns, &numbers[i]);
    pack_on(0, -1);
    expect("send", on_thread(0, call_send, TAG), 0);
    for (int i = 0; i < rounds; i++, checked++) {
        pack_on(1, i);
        expect("broadcast", on_thread(0, call_bcast, 0), 0);
    }
    for (int i = 0; i < 2; i++) {
        on_thread(i, NULL, 0);
        pthread_join(threads[i], NULL);
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } areas[] = {{"hop", test_hop},
                 {"queued", test_queued},
                 {"packing", test_packing},
                 {"asked", test_asked},
                 {"ended", test_ended},
                 {"bcast", test_bcast}};
    if (argc < 5)
        return 2;
    thread_count = atoi(argv[2]);
    rounds = atoi(argv[3]);
    seed = (unsigned)atoi(argv[4]);
    self = pvm_mytid();
    for (size_t i = 0; i < sizeof areas / sizeof *areas; i++)
        if (strcmp(argv[1], areas[i].name) == 0)
            areas[i].run();
    printf("checked %ld\n", checked + atomic_load(&checked_by_threads));
    pvm_exit();
    return 0;
}
