/* Calls with each kind of task id, name and number, also such as make no sense; and all options. */
#include "observe.h"
#include <limits.h>
#include <string.h>

extern int pvm_errno;

static int me;

/* The result, and what is noted of an error. */
#define TRY(what, expression)                                                                      \
    do {                                                                                           \
        pvm_errno = 0;                                                                             \
        int result_ = (expression);                                                                \
        printf("  %s: %d, %d\n", what, result_, result_ < 0 ? pvm_errno : 0);                      \
    } while (0)

static int tasks_of(int where)
{
    struct pvmtaskinfo *tasks;
    int count = -7, result = pvm_tasks(where, &count, &tasks);

    return result < 0 ? result : count;
}

static int sent_to(int tid)
{
    pvm_initsend(PvmDataDefault);
    return pvm_send(tid, 1);
}

static int sent_to_two(int tid)
{
    int tids[2] = {tid, tid};

    pvm_initsend(PvmDataDefault);
    return pvm_mcast(tids, 2, 1);
}

static int synchronised(int host)
{
    struct timeval clock = {0, 0}, difference = {0, 0};

    return pvm_hostsync(host, &clock, &difference);
}

static int names_of(int what, int tid)
{
    int tids[1] = {tid};

    return pvm_notify(what, 50, 1, tids);
}

static void tids_see(void)
{
    static const unsigned tids[] = {0,          1,          0x3ffff,    0x40000,    0x40fff,
                                    0x80000,    0x80001,    0x80000000, 0x80040000, 0x80040001,
                                    0x80080000, 0x40000000, 0x40040001, 0x7fffffff, 0xffffffff,
                                    0xfffffffe, 0xc0000000, 0x20040001};

    AREA("task ids");
    for (size_t i = 0; i < sizeof tids / sizeof *tids; i++) {
        int tid = (int)tids[i];
        printf("%x\n", tids[i]);
        TRY("pstat", pvm_pstat(tid));
        TRY("tidtohost", pvm_tidtohost(tid));
        TRY("tasks", tasks_of(tid));
        TRY("kill", pvm_kill(tid));
        TRY("sendsig", pvm_sendsig(tid, 0));
        TRY("send", sent_to(tid));
        TRY("mcast", sent_to_two(tid));
        TRY("psend", pvm_psend(tid, 1, &me, 1, PVM_INT));
        TRY("nrecv", pvm_nrecv(tid, 7));
        TRY("probe", pvm_probe(tid, 7));
        TRY("hostsync", synchronised(tid));
        TRY("notify of a task", names_of(PvmTaskExit, tid));
        TRY("notify of a host", names_of(PvmHostDelete, tid));
        TRY("cancel of a task", names_of(PvmTaskExit | PvmNotifyCancel, tid));
        TRY("cancel of a host", names_of(PvmHostDelete | PvmNotifyCancel, tid));
        TRY("output to", pvm_setopt(PvmOutputTid, tid));
        TRY("output to", pvm_getopt(PvmOutputTid));
        pvm_setopt(PvmOutputTid, 0);
        TRY("trace to", pvm_setopt(PvmTraceTid, tid));
        TRY("trace to", pvm_getopt(PvmTraceTid));
        pvm_setopt(PvmTraceTid, 0);
        while (pvm_nrecv(-1, -1) > 0)
            continue;
    }
}

static void names_see(void)
{
    static char *const names[] = {"",          ".",            "*",  "localhost",
                                  "127.0.0.1", "no.such.host", "vm", " "};
    int info[1] = {7};

    AREA("names of hosts");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *list[] = {names[i]};
        printf("'%s'\n", names[i]);
        if (strcmp(names[i], "localhost") != 0 && strcmp(names[i], "vm") != 0)
            TRY("mstat", pvm_mstat(names[i]));
        if (i < 3)
            continue;
        TRY("no hosts to delete", pvm_delhosts(list, 0, info));
        TRY("told", info[0]);
    }
    TRY("mstat of null", pvm_mstat(NULL));
}

static void options_see(void)
{
    static const int values[] = {-2, -1, 0, 1, 2, 3, 4, 5, 100, 5000, 1 << 20, INT_MAX, INT_MIN};

    AREA("options");
    for (int option = -1; option <= 20; option++)
        for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
            int before = pvm_getopt(option);
            pvm_errno = 0;
            int result = pvm_setopt(option, values[i]), noted = pvm_errno;
            int after = pvm_getopt(option);
            pvm_setopt(option, before);
            pvm_setopt(PvmAutoErr, 0);
            printf("option %d to %d: %d, %d, then %d, and back %d\n", option, values[i], result,
                   noted, after, pvm_getopt(option) == before);
        }
}

static void spawn_see(void)
{
    static const int flags[] = {0, 1, 2, 3, 8, 9, 16, 32, 33, 34, 35, 64, 128, 256, -1 & ~4};
    static char *const places[] = {"",    ".",  "*",   "no.such.host",     "LINUX64",
                                   "VAX", ":/", ".:/", "LINUX64:/nowhere", NULL};

    AREA("spawning");
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        for (size_t j = 0; j < sizeof places / sizeof *places; j++) {
            int tids[3] = {7, 7, 7};
            pvm_errno = 0;
            int result = pvm_spawn("no-such-program", NULL, flags[i], places[j], 2, tids);
            printf("flags %d at %s: %d, %d, %d %d %d\n", flags[i],
                   places[j] ? places[j] : "null", result, pvm_errno, tids[0], tids[1], tids[2]);
        }
}

int main(void)
{
    observe();
    me = pvm_mytid();
    pvm_setopt(PvmAutoErr, 0);
    tids_see();
    names_see();
    options_see();
    spawn_see();
    pvm_exit();
    return 0;
}
