/*
 * traced_groups.c - a thread whose calls of libgpvm3 are traced, beside others whose sends are.
 *
 * Each thread tells a user event with its number and a count after each of its rounds; the tracer
 * must see every one, in order for each thread, and every call.
 *
 * usage: traced_groups THREADS ROUNDS    the first thread is the one that uses groups
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <pvm3.h>
#include <pvmtev.h>

enum { MOST_THREADS = 16, TAG = 100 };

static char group[] = "traced";
static int self, rounds;

static void expect(int seen, int wanted, const char *call)
{
    if (seen == wanted)
        return;
    fprintf(stderr, "traced_groups: %s gave %d instead of %d\n", call, seen, wanted);
    exit(EXIT_FAILURE);
}

#define EXPECT(call, wanted) expect((call), (wanted), #call)

static void use_groups(int number, int count)
{
    int value = count, gathered = -1;
    (void)number;
    EXPECT(pvm_joingroup(group), 0);
    EXPECT(pvm_gsize(group), 1);
    EXPECT(pvm_getinst(group, self), 0);
    EXPECT(pvm_gettid(group, 0), self);
    EXPECT(pvm_barrier(group, 1), 0);
    EXPECT(pvm_reduce(PvmSum, &value, 1, PVM_INT, TAG, group, 0), 0);
    EXPECT(pvm_gather(&gathered, &value, 1, PVM_INT, TAG, group, 0), 0);
    EXPECT(gathered, count);
    EXPECT(pvm_initsend(PvmDataDefault) > 0, 1);
    EXPECT(pvm_bcast(group, TAG), PvmNoInst); /* nobody else is a member */
    EXPECT(pvm_lvgroup(group), 0);
}

static void exchange(int number, int count)
{
    int value = -1;
    EXPECT(pvm_initsend(PvmDataDefault) > 0, 1);
    EXPECT(pvm_pkint(&count, 1, 1), 0);
    EXPECT(pvm_send(self, TAG + number), 0);
    EXPECT(pvm_recv(self, TAG + number) > 0, 1);
    EXPECT(pvm_upkint(&value, 1, 1), 0);
    EXPECT(value, count);
}

static void *work(void *argument)
{
    int number = (int)(size_t)argument;
    for (int count = 0; count < rounds; count++) {
        (number == 0 ? use_groups : exchange)(number, count);
        EXPECT(pvm_initsend(PvmDataTrace) > 0, 1);
        EXPECT(pvm_pkint(&number, 1, 1), 0);
        EXPECT(pvm_pkint(&count, 1, 1), 0);
        EXPECT(pvm_send(PVM_TRACE_TID, PVM_TRACE_CODE), 0);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[MOST_THREADS];
    int count = argc == 3 ? atoi(argv[1]) : 0;
    rounds = argc == 3 ? atoi(argv[2]) : 0;
    if (count < 1 || count > MOST_THREADS)
        return 2;
    self = pvm_mytid();
    for (int i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, work, (void *)(size_t)i) != 0)
            return EXIT_FAILURE;
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    EXPECT(pvm_exit(), 0);
    return EXIT_SUCCESS;
}
