/*
 * preload_groups.c - do several threads of several tasks use the libgpvm3 of 3.4.6 at once?
 *
 * usage: preload_groups TASKS ROUNDS    as many of it as TASKS are to run at once
 *
 * In each task one thread works together with those of the other tasks in one group, which
 * barriers, reductions and broadcasts join; the others have a group each, in which every answer is
 * known, and exchange messages of their own meanwhile. A send buffer is not expected to outlive a
 * group call, as it does not with one thread either. Prints "done".
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <pvm3.h>

enum { THREADS = 3, TAG = 9, REDUCE_TAG, GATHER_TAG, WORD_TAG, MOST_TASKS = 8 };

static int tasks, rounds;
static char all[] = "all";

static void expect(int seen, int wanted, const char *call)
{
    if (seen == wanted)
        return;
    fprintf(stderr, "preload_groups: %s gave %d instead of %d\n", call, seen, wanted);
    exit(EXIT_FAILURE);
}

#define EXPECT(call, wanted) expect((call), (wanted), #call)

static void use_own(char *group, int value)
{
    int tid = pvm_mytid(), number = value, other = 0;
    EXPECT(pvm_joingroup(group), 0);
    EXPECT(pvm_joingroup(group), PvmDupGroup);
    EXPECT(pvm_gsize(group), 1);
    EXPECT(pvm_getinst(group, tid), 0);
    EXPECT(pvm_gettid(group, 0), tid);
    EXPECT(pvm_barrier(group, 1), 0);
    EXPECT(pvm_reduce(PvmSum, &number, 1, PVM_INT, TAG, group, 0), 0);
    EXPECT(number, value);
    EXPECT(pvm_gather(&other, &number, 1, PVM_INT, TAG, group, 0), 0);
    EXPECT(other, value);
    EXPECT(pvm_lvgroup(group), 0);
    EXPECT(pvm_gsize(group), PvmNoGroup);
}

static void *work_alone(void *argument)
{
    int thread = (int)(size_t)argument;
    char group[40];
    snprintf(group, sizeof group, "own%d.%d", pvm_mytid(), thread);
    pvm_setcontext(pvm_newcontext());
    for (int i = 0; i < rounds; i++) {
        int value = 1000 * thread + i, got = -1;
        use_own(group, value);
        pvm_initsend(PvmDataDefault);
        EXPECT(pvm_pkint(&value, 1, 1), 0);
        EXPECT(pvm_send(pvm_mytid(), TAG), 0);
        EXPECT(pvm_recv(-1, TAG) > 0, 1);
        EXPECT(pvm_upkint(&got, 1, 1), 0);
        EXPECT(got, value);
    }
    return NULL;
}

/* What all members know of a round. */
static void meet(int instance, int round)
{
    const int root = round % tasks;
    int sum = instance + round, gathered[MOST_TASKS], word = -1;
    EXPECT(pvm_barrier(all, tasks), 0);
    EXPECT(pvm_reduce(PvmSum, &sum, 1, PVM_INT, REDUCE_TAG, all, root), 0);
    if (instance == root)
        EXPECT(sum, tasks * (tasks - 1) / 2 + tasks * round);
    EXPECT(pvm_gather(gathered, &instance, 1, PVM_INT, GATHER_TAG, all, root), 0);
    for (int i = 0; instance == root && i < tasks; i++)
        EXPECT(gathered[i], i);
    if (instance == root) {
        pvm_initsend(PvmDataDefault);
        pvm_pkint(&round, 1, 1);
        EXPECT(pvm_bcast(all, WORD_TAG), 0);
        return;
    }
    EXPECT(pvm_recv(pvm_gettid(all, root), WORD_TAG) > 0, 1);
    EXPECT(pvm_upkint(&word, 1, 1), 0);
    EXPECT(word, round);
}

static void *work_together(void *unused)
{
    int instance = pvm_joingroup(all);
    EXPECT(instance >= 0 && instance < tasks, 1);
    EXPECT(pvm_barrier(all, tasks), 0);
    for (int round = 0; round < rounds; round++)
        meet(instance, round);
    EXPECT(pvm_barrier(all, tasks), 0);
    EXPECT(pvm_lvgroup(all), 0);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS], together;
    tasks = argc == 3 ? atoi(argv[1]) : 0;
    rounds = argc == 3 ? atoi(argv[2]) : 0;
    if (tasks < 1 || tasks > MOST_TASKS)
        return 2;
    pvm_setopt(PvmAutoErr, 0);
    EXPECT(pvm_mytid() > 0, 1);
    EXPECT(pthread_create(&together, NULL, work_together, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        EXPECT(pthread_create(&threads[i], NULL, work_alone, (void *)(size_t)i), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_join(together, NULL);
    pvm_exit();
    printf("done\n");
    return EXIT_SUCCESS;
}
