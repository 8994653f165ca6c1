/*
 * pairs.c - two threads of a task make one public call each against the other, many times; one call
 * against every call of the table from itself on.
 *
 * Half of the pairs are traced. Run under ThreadSanitizer; exits 0 when every call gave what it may
 * give. Before a pair its names are printed, so that the output of a run that ends badly says at
 * which.
 *
 * usage: pairs FUNCTION ROUNDS PEER   on a running pvmd; PEER is a task to send to
 *        pairs -n FUNCTION ROUNDS      the same against pvm_start_pvmd and pvm_halt alone, which
 *                                      start and end a pvmd each time
 *        pairs -o ROUNDS PEER          one thread makes most calls, one after the other, for tasks
 *                                      beside each other in a process
 *        pairs -p                      be a peer: print the own tid, receive until told to end
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pvm3.h>
#include <pvmtev.h>

#include "pairs_calls.h"

enum { CALLS_A_ROUND = 4 };

/* Of libgpvm3: how long a group call waits, NULL for ever. */
extern struct timeval *pvmgs_tmout;

/* A pair at work. */
struct pair {
    const struct call *calls[2];
    int rounds;
    int ending; /* one of the calls takes the pvmd from the other */
    pthread_barrier_t barrier;
    atomic_int ready;
};

struct thread {
    struct pair *pair;
    struct worker worker;
    pthread_t thread;
};

static void check(const struct pair *pair, const struct call *call, int result)
{
    if (result >= 0 || call->errors & ERROR_BIT(result) || (pair->ending && result == PvmSysErr))
        return;
    printf("pairs: %s gave %d\n", call->name, result);
    exit(EXIT_FAILURE);
}

/* A buffer with something in it of all that can be unpacked. */
static int fill(int buffer)
{
    static int numbers[64] = {4, 4, 4, 4};
    int before = pvm_setsbuf(buffer);
    pvm_pkstr("string");
    pvm_pkint(numbers, 64, 1);
    pvm_setsbuf(before);
    return buffer;
}

static void make_buffers(int round)
{
    shared_send = fill(pvm_mkbuf(round / 2 % 3));
    shared_receive = fill(pvm_mkbuf(round / 2 % 2));
}

static void free_active_buffers(void)
{
    pvm_freebuf(pvm_getsbuf());
    pvm_freebuf(pvm_getrbuf());
}

static void free_buffers(void)
{
    pvm_freebuf(shared_send);
    pvm_freebuf(shared_receive);
}

/* Both threads have the same buffers active, or each its own. */
static void prepare_buffers(struct worker *me, int round)
{
    int encoding = round / 2 % 3;
    if (round % 2) {
        pvm_setsbuf(shared_send);
        pvm_setrbuf(shared_receive);
        return;
    }
    pvm_setsbuf(0);
    fill(pvm_initsend(encoding));
    pvm_setrbuf(fill(pvm_mkbuf((encoding + me->number) % 2)));
    if (round % 4)
        pvm_pkmesg(shared_receive);
}

/* The threads begin together, as well as they can: the barrier wakes one before the other. */
static void begin_together(struct pair *pair)
{
    pthread_barrier_wait(&pair->barrier);
    atomic_fetch_add(&pair->ready, 1);
    for (int looks = 0; atomic_load(&pair->ready) % 2 && looks < 1000; looks++)
        if (looks % 100 == 99)
            sched_yield();
}

static void *work(void *argument)
{
    struct thread *thread = argument;
    struct pair *pair = thread->pair;
    struct worker *me = &thread->worker;
    const struct call *call = pair->calls[me->number];
    for (int round = 0; round < pair->rounds; round++) {
        if (me->number == 0)
            make_buffers(round);
        pthread_barrier_wait(&pair->barrier);
        prepare_buffers(me, round);
        begin_together(pair);
        for (int i = 0; i < CALLS_A_ROUND; i++, me->turn++)
            check(pair, call, call->make(me));
        pthread_barrier_wait(&pair->barrier);
        free_active_buffers();
        pthread_barrier_wait(&pair->barrier);
        if (me->number == 0)
            free_buffers();
    }
    return NULL;
}

static void take_left_over(void)
{
    while (pvm_nrecv(-1, -1) > 0)
        ;
    pvm_freebuf(pvm_getrbuf());
}

static void run_pair(const struct call *first, const struct call *second, int rounds, int ending)
{
    struct pair pair = {.calls = {first, second}, .rounds = rounds, .ending = ending};
    struct thread threads[2];
    pthread_barrier_init(&pair.barrier, NULL, 2);
    for (int i = 0; i < 2; i++) {
        threads[i] = (struct thread){&pair, {.number = i, .alone = first != second}, 0};
        if (pthread_create(&threads[i].thread, NULL, work, &threads[i]) != 0) {
            printf("pairs: no thread\n");
            exit(EXIT_FAILURE);
        }
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i].thread, NULL);
    pthread_barrier_destroy(&pair.barrier);
}

static int find(const char *name)
{
    int found = 0;
    while (found < call_count && strcmp(calls[found].name, name) != 0)
        found++;
    return found;
}

/* Sends word of every call to a task, or with 0 to none. */
static void trace(int tid)
{
    Pvmtmask mask;
    TEV_MASK_INIT(mask);
    memset(mask, 'O', TEV_MASK_LENGTH - 1); /* all bits of every event */
    pvm_setopt(PvmSelfTraceTid, tid);
    pvm_setopt(PvmSelfTraceCode, TAG_LEFT);
    pvm_settmask(PvmTaskSelf, mask);
}

/* These ask another task each time, which takes long: fewer rounds must do against all others. */
static int of_groups(int row)
{
    return row >= find("pvm_joingroup") && row <= find("pvm_reduce");
}

/* The calls that end things stand at the end of the table: pvm_exit, then pvm_halt. */
static void run_row(int row, int rounds)
{
    static struct timeval soon = {.tv_usec = 200000};
    int leave = find("pvm_exit"), contexts = find("pvm_setcontext");
    for (int column = row; column <= leave; column++) {
        printf("%s %s\n", calls[row].name, calls[column].name);
        if (column == leave)
            pvm_catchout(NULL); /* nobody starts the tasks that a tasker of the pairs was given */
        /*
         * These threads share buffers: so they may be taken for threads that take turns, and those
         * have one context. Then a receive would ask for messages in the context of the other one.
         */
        if (row == contexts || column == contexts)
            pvm_threadsafe();
        trace(column % 2 ? peer_tid : 0);
        /* Who leaves in the middle of a group call never gets the answer. */
        pvmgs_tmout = column == leave ? &soon : NULL;
        int fewer = of_groups(column) && !of_groups(row);
        run_pair(&calls[row], &calls[column], fewer ? (rounds + 9) / 10 : rounds, column == leave);
        take_left_over();
    }
}

/* Each round starts a pvmd and ends it, while the other thread makes its call. */
static void run_without_pvmd(int row, int rounds)
{
    for (int round = 0; round < rounds; round++) {
        unsetenv("PVMSOCK");
        printf("%s pvm_start_pvmd\n", calls[row].name);
        run_pair(&calls[row], &calls[find("pvm_start_pvmd")], 1, 1);
        printf("%s pvm_halt\n", calls[row].name);
        run_pair(&calls[row], &calls[find("pvm_halt")], 1, 1);
        unsetenv("PVMSOCK");
        pvm_exit(); /* else the tid stays, though the pvmd is gone */
        while (pvm_mytid() > 0) {
            pvm_halt();
            pvm_exit();
        }
    }
}

/*
 * Without a partner. Tasks that run this beside each other begin at different places of the table.
 * It leaves out what ends a task, and roles and groups, in which tasks wait for each other.
 */
static void run_alone(int rounds)
{
    static const struct pair nobody;
    struct worker me = {.alone = 1};
    int kill = find("pvm_kill"), count = find("pvm_reg_tracer"), first = pvm_mytid() % 8;
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < count; i++) {
            int row = (first * count / 8 + i) % count;
            if (row == kill)
                continue;
            make_buffers(round);
            prepare_buffers(&me, round);
            for (int turn = 0; turn < CALLS_A_ROUND; turn++, me.turn++)
                check(&nobody, &calls[row], calls[row].make(&me));
            free_active_buffers();
            free_buffers();
            take_left_over();
        }
        pvm_exit();
    }
}

static int be_peer(void)
{
    int tag = 0;
    pvm_joingroup(GROUP_OF_PEER);
    printf("%d\n", pvm_mytid());
    fflush(stdout);
    while (tag != TAG_END && pvm_recv(-1, -1) > 0)
        pvm_bufinfo(pvm_getrbuf(), NULL, &tag, NULL);
    pvm_exit();
    return tag == TAG_END ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "-p") == 0)
        return be_peer();
    int without_pvmd = argc > 1 && strcmp(argv[1], "-n") == 0;
    int alone = argc == 4 && strcmp(argv[1], "-o") == 0;
    char **arguments = argv + 1 + without_pvmd;
    int count = argc - 1 - without_pvmd;
    int row = count >= 2 ? find(arguments[0]) : call_count;
    if (row == call_count && !alone) {
        fprintf(stderr, "usage: pairs FUNCTION ROUNDS PEER, pairs -n FUNCTION ROUNDS, pairs -o "
                        "ROUNDS PEER or pairs -p\n");
        return EXIT_FAILURE;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    calls_begin();
    pvm_setopt(PvmAutoErr, 0);
    pvm_setopt(PvmRoute, PvmRouteDirect);
    peer_tid = count > 2 ? atoi(arguments[2]) : 0;
    if (alone)
        run_alone(atoi(arguments[1]));
    else if (without_pvmd)
        run_without_pvmd(row, atoi(arguments[1]));
    else
        run_row(row, atoi(arguments[1]));
    if (peer_tid && !alone)
        pvm_psend(peer_tid, TAG_END, NULL, 0, PVM_INT);
    pvm_exit();
    printf("done\n");
    return EXIT_SUCCESS;
}
