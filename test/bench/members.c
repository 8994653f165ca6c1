/*
 * members.c - what a call of all members of a group costs, for members.py.
 *
 * usage: members CALL MEMBERS CALLS BATCHES frozen|moving
 *
 * CALL is barrier, reduce, gather or allreduce. The first member has instance 0 and spawns the others
 * on its host. It takes the time of so many calls, in which it gets the result. Where there is no
 * pvm_allreduce, it is a pvm_reduce and a pvm_bcast. Prints a line
 *     @batch ns=TIME sleeps=NUMBER
 * for each batch but a first one, with the time of a call and how often the first member slept.
 */
#define _GNU_SOURCE
#include <pvm3.h>
#include <unistd.h>

#include "batch.h"

enum { MOST = 64, TAG = 1 };

static char group[] = "members";
static int members;

static void check(int result)
{
    if (result >= 0)
        return;
    pvm_perror("members");
    exit(1);
}

static void barrier(int self)
{
    (void)self;
    check(pvm_barrier(group, members));
}

static void reduce(int self)
{
    int value = self;
    check(pvm_reduce(PvmSum, &value, 1, PVM_INT, TAG, group, 0));
}

static void gather(int self)
{
    int values[MOST];
    check(pvm_gather(values, &self, 1, PVM_INT, TAG, group, 0));
}

static void allreduce(int self)
{
    int value = self;
#ifdef PVM_THREADSAFE
    check(pvm_allreduce(PvmSum, &value, 1, PVM_INT, TAG, group));
#else
    check(pvm_reduce(PvmSum, &value, 1, PVM_INT, TAG, group, 0));
    if (self == 0) {
        pvm_initsend(PvmDataDefault);
        pvm_pkint(&value, 1, 1);
        check(pvm_bcast(group, TAG));
        return;
    }
    check(pvm_recv(-1, TAG));
    pvm_upkint(&value, 1, 1);
#endif
    if (value != members * (members - 1) / 2)
        exit(3);
}

static const struct {
    const char *name;
    void (*run)(int self);
} calls[] = {
    {"barrier", barrier}, {"reduce", reduce}, {"gather", gather}, {"allreduce", allreduce}};

static void run_batch(void (*run)(int self), int self, int count, int told)
{
    check(pvm_barrier(group, members));
    int64_t begin = batch_now();
    long slept = batch_sleeps();
    for (int i = 0; i < count; i++)
        run(self);
    if (told)
        batch_tell(batch_now() - begin, batch_sleeps() - slept, count);
}

static int join(char **arguments)
{
    static char path[4096];
    int tids[MOST], first = pvm_parent() < 0, self = pvm_joingroup(group);
    check(self);
    if (first && readlink("/proc/self/exe", path, sizeof path - 1) < 0)
        exit(1);
    if (first && members > 1 &&
        pvm_spawn(path, arguments + 1, PvmTaskDefault, "", members - 1, tids) != members - 1)
        exit(1);
    check(strcmp(arguments[5], "frozen") == 0 ? pvm_freezegroup(group, members)
                                              : pvm_barrier(group, members));
    return self;
}

int main(int argc, char **argv)
{
    size_t call = 0, last = sizeof calls / sizeof *calls - 1;
    if (argc != 6)
        return 2;
    while (call < last && strcmp(argv[1], calls[call].name) != 0)
        call++;
    members = atoi(argv[2]);
    if (members < 1 || members > MOST || pvm_mytid() < 0)
        return 2;
    int self = join(argv), count = atoi(argv[3]), batches = atoi(argv[4]);
    for (int batch = 0; batch <= batches; batch++)
        run_batch(calls[call].run, self, count, self == 0 && batch > 0);
    check(pvm_barrier(group, members));
    pvm_exit();
    return 0;
}
