/* A tasker: what the pvmd has it start, and what becomes of tasks that it starts, never starts, or
 * leaves behind when it ends.
 */
#include "observe.h"
#include <pvm3.h>
#include <pvmproto.h>
#include <string.h>

/* An empty send buffer in the default encoding. */
static void fresh(void)
{
    pvm_initsend(PvmDataDefault);
}

enum { SPAWN = 1, SPAWNED, HERE, GO, OVER, READY, MOST = 8 };

static char own[] = "tasker", none[] = "";

/* The tasks that the tasker is to start, as it is told of them. */
struct order {
    int tid;
    char path[512];
    char *words[MOST + 1];
    char *variables[MOST + 1];
    char texts[2 * MOST][512]; /* what the words and variables are */
};

/* Roles of other tasks. ------------------------------------------------------------------------ */

/* Spawns what it is told and tells the results: these calls are not the tasker's own. */
static void spawner(void)
{
    int parent = pvm_parent();

    for (;;) {
        char file[512], where[512], *words[] = {"run", "b c", NULL};
        int flags, count, tids[MOST];

        pvm_recv(parent, SPAWN);
        pvm_unpackf("%d %d %s %s", &count, &flags, file, where);
        if (count == 0)
            break;
        int result = pvm_spawn(file, words, flags, where, count, tids);
        fresh();
        pvm_packf("%d %*d", result, count, tids);
        pvm_send(parent, SPAWNED);
    }
    pvm_exit();
}

/* A task that the tasker starts: tells the tasker who it is, and ends when it is told. */
static void run(void)
{
    int tasker = atoi(getenv("TASKER")), parent = pvm_parent(), *siblings, count;

    count = pvm_siblings(&siblings);
    fresh();
    pvm_packf("%d %d %*d", parent, count, count, siblings);
    pvm_send(tasker, HERE);
    pvm_recv(tasker, GO);
    if (getenv("LEAVES"))
        pvm_exit();
}

/* Another tasker: registers, and ends when it is asked to start something. */
static void ending(const char *how)
{
    int result = pvm_reg_tasker();

    pvm_setopt(PvmResvTids, 1);
    fresh();
    pvm_packf("%d", result);
    pvm_send(pvm_parent(), READY);
    pvm_recv(-1, SM_STTASK);
    if (strcmp(how, "unregisters") == 0)
        pvm_reg_tasker();
    fresh();
    pvm_send(pvm_parent(), READY);
    pvm_recv(pvm_parent(), GO);
    if (strcmp(how, "leaves") == 0)
        pvm_exit();
}

/* The tasker. ---------------------------------------------------------------------------------- */

static void ask(int to, char *file, int flags, char *where, int count)
{
    fresh();
    pvm_packf("%d %d %s %s", count, flags, file, where);
    pvm_send(to, SPAWN);
}

static void results_see(int from, int count, int *tids)
{
    int result;

    pvm_recv(from, SPAWNED);
    pvm_unpackf("%d %*d", &result, count, tids);
    printf("spawned: %d:", result);
    for (int i = 0; i < count; i++)
        printf(tids[i] < 0 ? " %d" : " %x", (unsigned)tids[i]);
    printf("\n");
}

static const char *base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The number of the task is fictitious, and folders are different each time. */
static void variable_see(const char *variable)
{
    if (strncmp(variable, "PVMEPID=", 8) == 0)
        printf(" PVMEPID %s", atoi(variable + 8) >= 10000000 ? "from 10000000 on" : variable + 8);
    else
        printf(" '%s'", variable);
}

static void order_get(struct order *order)
{
    struct pvmminfo info;
    int flags, count, source, buffer = pvm_recv(-1, SM_STTASK);

    pvm_bufinfo(buffer, NULL, NULL, &source);
    pvm_getminfo(buffer, &info);
    printf("asked by %x in context %x, with a wait id: %d\n", (unsigned)source, (unsigned)info.ctx,
           info.wid > 0);
    pvm_unpackf("%d %d %s", &order->tid, &flags, order->path);
    printf("  %x flags %d %s:", (unsigned)order->tid, flags, base(order->path));
    pvm_upkint(&count, 1, 1);
    for (int i = 0; i < count; i++) {
        pvm_upkstr(order->words[i] = order->texts[i]);
        printf(" '%s'", base(order->words[i]));
    }
    order->words[count] = NULL;
    printf("\n ");
    pvm_upkint(&count, 1, 1);
    for (int i = 0; i < count; i++) {
        pvm_upkstr(order->variables[i] = order->texts[MOST + i]);
        variable_see(order->variables[i]);
    }
    order->variables[count] = NULL;
    int first, here, total;
    pvm_unpackf("%d %d %d", &first, &here, &total);
    printf("\n  task %d, %d here, %d in all\n", first, here, total);
    SEE(pvm_upkint(&count, 1, 1));
}

static pid_t start(const struct order *order, int leaves)
{
    char tasker[16];

    snprintf(tasker, sizeof tasker, "%d", pvm_mytid());
    pid_t process = fork();
    if (process != 0)
        return process;
    for (int i = 0; order->variables[i]; i++)
        putenv(order->variables[i]);
    setenv("TASKER", tasker, 1);
    if (leaves)
        setenv("LEAVES", "1", 1);
    quiet();
    execv(order->path, order->words);
    _exit(1);
}

/* Tells the pvmd that a task is over. */
static void end_tell(int tid, int status)
{
    fresh();
    pvm_packf("%d %d %d %d %d %d", tid, status, 1, 2, 3, 4);
    pvm_send((int)0x80000000, SM_TASKX);
}

static void task_see(int tid, pid_t process)
{
    struct pvmtaskinfo *tasks;
    int count = -1, result = pvm_tasks(tid, &count, &tasks);

    printf("task %x: %d, %d", (unsigned)tid, result, count);
    for (int i = 0; i < count; i++)
        printf(", parent %x flags %x '%s' process known: %d", (unsigned)tasks[i].ti_ptid,
               (unsigned)tasks[i].ti_flag, base(tasks[i].ti_a_out), tasks[i].ti_pid == process);
    printf("\n");
}

static void over_see(void)
{
    int tid = 0;

    pvm_recv(-1, OVER);
    pvm_upkint(&tid, 1, 1);
    printf("over: %x\n", (unsigned)tid);
}

static void here_see(int tid)
{
    int parent, count, siblings[MOST];

    pvm_recv(tid, HERE);
    pvm_unpackf("%d %d", &parent, &count);
    pvm_upkint(siblings, count, 1);
    printf("here: %x, parent %x, of %d:", (unsigned)tid, (unsigned)parent, count);
    for (int i = 0; i < count; i++)
        printf(" %x", (unsigned)siblings[i]);
    printf("\n");
}

static void go(int tid)
{
    fresh();
    pvm_send(tid, GO);
}

static void orders_see(int other)
{
    struct order orders[3];
    int tids[MOST];

    AREA("what is asked");
    ask(other, own, PvmTaskDefault, none, 3);
    for (int i = 0; i < 3; i++)
        order_get(&orders[i]);
    results_see(other, 3, tids);
    pvm_notify(PvmTaskExit, OVER, 3, tids);
    task_see(tids[0], 0);
    SEE(pvm_pstat(tids[0]));
    for (int i = 0; i < 3; i++) {
        end_tell(tids[i], 256 * i);
        over_see();
    }
    SEE(pvm_pstat(tids[0]));
    task_see(tids[0], 0);

    ask(other, "no such program", PvmTaskDefault, none, 1);
    results_see(other, 1, tids);
    ask(other, own, PvmTaskHost, "no.such.host", 1);
    results_see(other, 1, tids);
    ask(other, own, PvmTaskDebug | PvmTaskTrace | PvmNoSpawnParent, ":/tmp", 1);
    order_get(&orders[0]);
    results_see(other, 1, tids);
    pvm_notify(PvmTaskExit, OVER, 1, tids);
    end_tell(tids[0], 0);
    over_see();
}

static void life_see(int other, int leaves)
{
    struct order order;
    int tid, status;

    printf("-- %s\n", leaves ? "leaves first" : "ends at once");
    ask(other, own, PvmTaskDefault, none, 1);
    order_get(&order);
    results_see(other, 1, &tid);
    pvm_notify(PvmTaskExit, OVER, 1, &tid);
    pid_t process = start(&order, leaves);
    here_see(tid);
    task_see(tid, process);
    go(tid);
    over_see();
    SEE(pvm_pstat(tid));
    SEE(waitpid(process, &status, 0) == process);
    SEE(status);
    end_tell(tid, status); /* too late */
    task_see(tid, process);
}

static void ends_see(int other)
{
    struct order order;
    int tid;

    AREA("the ends of tasks");
    life_see(other, 0);
    life_see(other, 1);

    printf("-- killed\n");
    ask(other, own, PvmTaskDefault, none, 1);
    order_get(&order);
    results_see(other, 1, &tid);
    SEE(pvm_kill(tid)); /* there is nothing to kill yet */
    pid_t process = start(&order, 0);
    here_see(tid);
    pvm_notify(PvmTaskExit, OVER, 1, &tid);
    SEE(pvm_kill(tid));
    over_see();
    int status;
    SEE(waitpid(process, &status, 0) == process);
    SEE(WIFSIGNALED(status) ? WTERMSIG(status) : -1);

    printf("-- over, says the tasker\n");
    ask(other, own, PvmTaskDefault, none, 1);
    order_get(&order);
    results_see(other, 1, &tid);
    process = start(&order, 0);
    here_see(tid);
    pvm_notify(PvmTaskExit, OVER, 1, &tid);
    end_tell(tid, 7);
    over_see();
    SEE(pvm_pstat(tid));
    SEE(waitpid(process, &status, 0) == process);
    SEE(status);
}

/* Messages that the pvmd must not take. */
static void nonsense_see(int other)
{
    struct order order;
    int tid;

    AREA("nonsense");
    end_tell(other + 100, 0);
    fresh();
    pvm_send((int)0x80000000, SM_TASKX); /* who? */
    SEE(pvm_pstat(other));
    ask(other, own, PvmTaskDefault, none, 1);
    order_get(&order);
    results_see(other, 1, &tid);
    fresh();
    pvm_packf("%d", tid);
    pvm_send((int)0x80000000, SM_TASKX); /* how it ended, it does not say */
    SEE(pvm_pstat(tid));
    ask(other, own, PvmTaskDefault, none, 1);
    order_get(&order);
    results_see(other, 1, &tid);
    SEE(pvm_reg_tasker());
    end_tell(tid, 0); /* not a tasker any more */
    SEE(pvm_pstat(tid));
    SEE(pvm_reg_tasker());
    end_tell(tid, 0);
    SEE(pvm_pstat(tid));
}

static void tasker_end_see(int other, char *how)
{
    char *words[] = {how, NULL};
    int tasker, tid, result;

    printf("-- %s\n", how);
    SEE(pvm_spawn(own, words, PvmTaskDefault, none, 1, &tasker));
    pvm_recv(tasker, READY);
    pvm_upkint(&result, 1, 1);
    SEE(result);
    ask(other, own, PvmTaskDefault, none, 1);
    results_see(other, 1, &tid);
    pvm_notify(PvmTaskExit, OVER, 1, &tid);
    pvm_recv(tasker, READY);
    SEE(pvm_pstat(tid));
    pvm_notify(PvmTaskExit, OVER, 1, &tasker);
    go(tasker);
    over_see();
    over_see();
    SEE(pvm_pstat(tid));
}

int main(int count, char **words)
{
    char *spawning[] = {"spawner", NULL};
    int other;

    if (count > 1 && strcmp(words[1], "run") == 0)
        run();
    else if (count > 1 && strcmp(words[1], "spawner") == 0)
        spawner();
    else if (count > 1)
        ending(words[1]);
    if (count > 1)
        return 0;
    observe();
    SEE(pvm_spawn(own, spawning, PvmTaskDefault, none, 1, &other));
    SEE(pvm_reg_tasker());
    pvm_setopt(PvmResvTids, 1);
    orders_see(other);
    ends_see(other);
    nonsense_see(other);
    SEE(pvm_reg_tasker());
    AREA("the end of a tasker");
    tasker_end_see(other, "leaves");
    tasker_end_see(other, "ends");
    tasker_end_see(other, "unregisters");
    ask(other, none, 0, none, 0);
    SEE(pvm_exit());
    return 0;
}
