/*
 * group_threads.c - every call of the group library, made by several threads of one task at once.
 *
 * Each thread has a group of its own, in which every answer is known, and all share one, which the
 * task joins and leaves in any order; there an answer is one of a few. The buffers and the context
 * of a thread must survive each call.
 *
 * usage: group_threads THREADS ROUNDS
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <pvm3.h>

enum { MOST_THREADS = 16, TAG = 9 };

static int rounds;
static char shared[] = "shared";

static void expect(int seen, int wanted, const char *call)
{
    if (seen == wanted)
        return;
    fprintf(stderr, "group_threads: %s gave %d instead of %d\n", call, seen, wanted);
    exit(EXIT_FAILURE);
}

#define EXPECT(call, wanted) expect((call), (wanted), #call)

/* What a group that others join and leave may answer. */
static void allow(int seen, int error, const char *call)
{
    if (seen >= 0 || seen == PvmNoGroup || seen == error)
        return;
    fprintf(stderr, "group_threads: %s gave %d\n", call, seen);
    exit(EXIT_FAILURE);
}

#define ALLOW(call, error) allow((call), (error), #call)

static void use_own(char *group, int value)
{
    int tid = pvm_mytid(), number = value, other = 0;

    EXPECT(pvm_joingroup(group), 0);
    EXPECT(pvm_joingroup(group), PvmDupGroup);
    EXPECT(pvm_gsize(group), 1);
    EXPECT(pvm_getinst(group, tid), 0);
    EXPECT(pvm_gettid(group, 0), tid);
    EXPECT(pvm_barrier(group, 1), 0);
    EXPECT(pvm_bcast(group, TAG), PvmNoInst);
    EXPECT(pvm_reduce(PvmSum, &number, 1, PVM_INT, TAG, group, 0), 0);
    EXPECT(number, value);
    EXPECT(pvm_gather(&other, &number, 1, PVM_INT, TAG, group, 0), 0);
    EXPECT(other, value);
    EXPECT(pvm_scatter(&number, &other, 1, PVM_INT, TAG, group, 0), 0);
    EXPECT(pvm_freezegroup(group, 1), 1);
    EXPECT(pvm_gsize(group), 1);
    EXPECT(pvm_gettid(group, 0), tid);
    EXPECT(pvm_lvgroup(group), 0);
    EXPECT(pvm_gsize(group), PvmNoGroup);
}

static void use_shared(void)
{
    int number = 1;

    ALLOW(pvm_joingroup(shared), PvmDupGroup);
    ALLOW(pvm_gsize(shared), PvmNoGroup);
    ALLOW(pvm_getinst(shared, pvm_mytid()), PvmNotInGroup);
    ALLOW(pvm_gettid(shared, 0), PvmNoInst);
    ALLOW(pvm_barrier(shared, 1), PvmNotInGroup);
    ALLOW(pvm_bcast(shared, TAG), PvmNoInst);
    int result = pvm_reduce(PvmMax, &number, 1, PVM_INT, TAG, shared, 0);
    ALLOW(result, result == PvmNoInst ? PvmNoInst : PvmNotInGroup);
    ALLOW(pvm_lvgroup(shared), PvmNotInGroup);
}

static void *work(void *argument)
{
    int thread = (int)(size_t)argument, value;
    char group[32];

    snprintf(group, sizeof group, "own%d", thread);
    pvm_setcontext(thread + 1);
    for (int i = 0; i < rounds; i++) {
        int buffer = pvm_initsend(PvmDataDefault);
        value = 1000 * thread + i;
        EXPECT(pvm_pkint(&value, 1, 1), 0);
        use_own(group, value);
        use_shared();
        EXPECT(pvm_getsbuf(), buffer);
        EXPECT(pvm_getcontext(), thread + 1);
        EXPECT(pvm_send(pvm_mytid(), TAG), 0);
        value = -1;
        pvm_recv(-1, TAG);
        EXPECT(pvm_upkint(&value, 1, 1), 0);
        EXPECT(value, 1000 * thread + i);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[MOST_THREADS];
    int count = argc > 2 ? atoi(argv[1]) : 0;

    if (count < 1 || count > MOST_THREADS) {
        fprintf(stderr, "usage: group_threads THREADS ROUNDS\n");
        return EXIT_FAILURE;
    }
    rounds = atoi(argv[2]);
    pvm_setopt(PvmAutoErr, 0);
    for (int i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, work, (void *)(size_t)i) != 0)
            return EXIT_FAILURE;
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    pvm_exit();
    printf("done\n");
    return EXIT_SUCCESS;
}
