/*
 * Groups: what each call gives for each kind of group, member and number, before and after it
 * froze.
 */
#include "observe.h"
#include <string.h>

extern int pvm_errno;

static int me, child;

static int known(int tid)
{
    return tid == me ? 1 : tid == child ? 2 : tid;
}

static void calls_see(char *group)
{
    static const int numbers[] = {0, 1, 2, -1, -2, 9, 11, 100};
    int tids[] = {me, child, 0, -1, 5, 0x40fff};

    printf("group '%s'\n", group ? group : "(null)");
    SEE(pvm_gsize(group));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        printf("gettid %d: %d\n", numbers[i], known(pvm_gettid(group, numbers[i])));
    for (size_t i = 0; i < sizeof tids / sizeof *tids; i++)
        printf("getinst %d: %d\n", known(tids[i]), pvm_getinst(group, tids[i]));
    pvm_errno = 0;
    SEE(pvm_gsize(group));
    SEE(pvm_errno);
}

static void sends_see(char *group)
{
    int value = 6, result = 7;

    SEE(pvm_setsbuf(0) >= 0);
    SEE(pvm_bcast(group, 3));
    SEE(pvm_initsend(PvmDataDefault) > 0);
    SEE(pvm_bcast(group, -3));
    SEE(pvm_bcast(group, 3));
    SEE(pvm_nrecv(-1, 3));
    SEE(pvm_reduce(PvmSum, &value, 1, PVM_INT, 4, group, 7));
    SEE(pvm_reduce(PvmSum, &value, 1, 99, 4, group, 0));
    SEE(pvm_reduce(PvmSum, &value, -1, PVM_INT, 4, group, 0));
    SEE(pvm_reduce(PvmSum, NULL, 1, PVM_INT, 4, group, 0));
    SEE(pvm_reduce(NULL, &value, 1, PVM_INT, 4, group, 0));
    SEE(pvm_gather(&result, &value, 1, PVM_INT, 5, group, 7));
    SEE(pvm_gather(&result, &value, 1, 99, 5, group, 0));
    SEE(pvm_gather(&result, &value, -1, PVM_INT, 5, group, 0));
    SEE(pvm_gather(NULL, &value, 1, PVM_INT, 5, group, 0));
    SEE(pvm_scatter(&result, &value, 1, PVM_INT, 6, group, 7));
    SEE(pvm_scatter(&result, &value, 1, 99, 6, group, 0));
    SEE(pvm_scatter(&result, &value, -1, PVM_INT, 6, group, 0));
    SEE(pvm_scatter(NULL, &value, 1, PVM_INT, 6, group, 0));
}

static void alone_see(char *group)
{
    int value = 6, result = 7;

    SEE(pvm_reduce(PvmSum, &value, 1, PVM_INT, 4, group, 0));
    SEE(value);
    SEE(pvm_gather(&result, &value, 1, PVM_INT, 5, group, 0));
    SEE(result);
    value = 8;
    SEE(pvm_scatter(&result, &value, 1, PVM_INT, 6, group, 0));
    SEE(result);
    SEE(pvm_reduce(PvmMax, &value, 0, PVM_INT, 4, group, 0));
    SEE(pvm_gather(&result, &value, 0, PVM_INT, 5, group, 0));
    SEE(pvm_scatter(&result, &value, 0, PVM_INT, 6, group, 0));
}

/* Two wrong at once: which is told. */
static void twice_wrong_see(char *group)
{
    int value = 6, result = 7;

    SEE(pvm_reduce(PvmSum, &value, 1, 99, 4, group, 7));
    SEE(pvm_reduce(NULL, &value, 1, PVM_INT, 4, group, 7));
    SEE(pvm_reduce(NULL, &value, 1, 99, 4, group, 0));
    SEE(pvm_reduce(PvmSum, &value, 0, PVM_INT, 4, group, 7));
    SEE(pvm_reduce(PvmSum, &value, 1, PVM_STR, 4, group, -1));
    SEE(pvm_gather(&result, &value, 1, PVM_STR, 4, group, 3));
    SEE(pvm_gather(NULL, &value, 1, PVM_INT, 4, group, 3));
    SEE(pvm_gather(NULL, NULL, 1, PVM_INT, 4, group, 0));
    SEE(pvm_gather(NULL, NULL, 1, PVM_INT, 4, group, 1));
    SEE(pvm_scatter(NULL, NULL, 1, PVM_INT, 4, group, 1));
    SEE(pvm_scatter(&result, NULL, 1, PVM_INT, 4, group, 0));
    SEE(pvm_scatter(&result, NULL, 1, PVM_INT, 4, group, 1));
}

static void start_child(void)
{
    char *arguments[] = {"end", "exit", NULL};
    pvm_spawn("child", arguments, PvmTaskDefault, "", 1, &child);
    pvm_recv(child, 5);
}

static void end_child(void)
{
    for (int i = 0; i < 2; i++) {
        pvm_initsend(PvmDataDefault);
        pvm_send(child, 6);
    }
    pvm_notify(PvmTaskExit, 60, 1, &child);
    pvm_recv(-1, 60);
    while (pvm_nrecv(child, -1) > 0)
        continue;
    while (pvm_gsize("ends") == 2)
        continue;
}

int main(void)
{
    static char long_name[300];

    observe();
    me = pvm_mytid();
    memset(long_name, 'n', sizeof long_name - 1);
    AREA("no group");
    calls_see("none");
    calls_see("");
    calls_see(NULL);
    calls_see(long_name);
    sends_see("none");
    sends_see("");
    twice_wrong_see("");
    sends_see(NULL);
    SEE(pvm_joingroup(""));
    SEE(pvm_joingroup(NULL));
    SEE(pvm_lvgroup(""));
    SEE(pvm_lvgroup(NULL));
    SEE(pvm_lvgroup("none"));
    SEE(pvm_barrier("none", 1));
    SEE(pvm_barrier("", 1));
    SEE(pvm_barrier(NULL, 1));
    SEE(pvm_freezegroup("none", 1));
    SEE(pvm_freezegroup("", 1));
    SEE(pvm_freezegroup(NULL, 1));
    AREA("alone in a group");
    SEE(pvm_joingroup("one"));
    SEE(pvm_joingroup("one"));
    calls_see("one");
    sends_see("one");
    twice_wrong_see("one");
    alone_see("one");
    SEE(pvm_reduce(NULL, (int[]){1}, 1, PVM_INT, 4, "one", 0));
    SEE(pvm_barrier("one", 1));
    SEE(pvm_barrier("one", -1));
    SEE(pvm_barrier("one", 1));
    SEE(pvm_joingroup(long_name));
    calls_see(long_name);
    SEE(pvm_lvgroup(long_name));
    AREA("frozen");
    SEE(pvm_freezegroup("one", 1));
    SEE(pvm_freezegroup("one", 1));
    SEE(pvm_freezegroup("one", -1));
    calls_see("one");
    sends_see("one");
    alone_see("one");
    SEE(pvm_barrier("one", 1));
    SEE(pvm_joingroup("one"));
    SEE(pvm_lvgroup("one"));
    SEE(pvm_lvgroup("one"));
    SEE(pvm_joingroup("one"));
    calls_see("one");
    AREA("two");
    SEE(pvm_joingroup("ends"));
    start_child();
    calls_see("ends");
    end_child();
    AREA("after one of two has ended");
    calls_see("ends");
    alone_see("ends");
    start_child();
    SEE(pvm_lvgroup("ends"));
    calls_see("ends");
    sends_see("ends");
    twice_wrong_see("ends");
    SEE(pvm_barrier("ends", 1));
    SEE(pvm_freezegroup("ends", 1));
    SEE(pvm_joingroup("ends"));
    end_child();
    calls_see("ends");
    pvm_exit();
    AREA("after leaving the machine");
    SEE((me = pvm_mytid()) > 0);
    calls_see("ends");
    calls_see("one");
    SEE(pvm_joingroup("one"));
    pvm_exit();
    return 0;
}
