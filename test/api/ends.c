/*
 * What others see of a task that ends, in each way in which it can: notices, its last messages,
 * groups, mailboxes.
 */
#include "observe.h"
#include <string.h>

static int me, task;

static void say(int tag)
{
    pvm_initsend(PvmDataDefault);
    pvm_send(task, tag);
}

static void kill_it(void)
{
    SEE(pvm_kill(task));
}

static void signal_it(void)
{
    SEE(pvm_sendsig(task, SIGTERM));
}

static void stop_it(void)
{
    SEE(pvm_sendsig(task, SIGKILL));
}

static void let_it(void)
{
    say(6);
}

static int flags_of(int tid)
{
    struct pvmtaskinfo *tasks;
    int count = 0;

    pvm_tasks(tid, &count, &tasks);
    return count == 1 ? tasks[0].ti_flag : -1;
}

/* It is no task any more, but its process is there. */
static void leave_it(void)
{
    int before = flags_of(task);

    SEE(before);
    say(6);
    while (flags_of(task) == before)
        continue;
    SEE(flags_of(task));
    SEE(pvm_pstat(task));
    SEE(pvm_nrecv(-1, 60));
    SEE(pvm_gsize("ends"));
    SEE(pvm_recvinfo("ends", 0, PvmMboxDefault) > 0);
    SEE(pvm_sendsig(task, SIGCONT));
    pvm_initsend(PvmDataDefault);
    SEE(pvm_send(task, 8));
    SEE(pvm_nrecv(-1, -1));
    SEE(pvm_kill(task));
}

static const struct {
    const char *way;
    void (*end)(void);
    const char *how;
} ways[] = {{"exit", let_it, "leaves and returns"},
            {"return", let_it, "returns without leaving"},
            {"status", let_it, "ends with a status"},
            {"abort", let_it, "aborts"},
            {"killed", let_it, "kills itself"},
            {"another", let_it, "becomes another program"},
            {"away", leave_it, "leaves, lives on, and is killed by pvm_kill"},
            {"wait", kill_it, "is killed by pvm_kill"},
            {"wait", signal_it, "is killed by pvm_sendsig of SIGTERM"},
            {"wait", stop_it, "is killed by pvm_sendsig of SIGKILL"}};

/* All that has come up to the message under `last`. */
static void arrivals_see(int last)
{
    int tag;

    printf("arrivals:");
    do
        printf(" %d", tag = tag_of(pvm_recv(-1, -1)));
    while (tag != last);
    printf("\n");
}

static void notice_see(int buffer)
{
    int bytes = -1, about = -1, source = -1;

    pvm_bufinfo(buffer, &bytes, NULL, &source);
    pvm_upkint(&about, 1, 1);
    printf("notice: %d bytes, from %x, about %s\n", bytes, (unsigned)source,
           about == task ? "it" : "another");
}

static int number_of_tasks(int where)
{
    struct pvmtaskinfo *tasks;
    int count = -1, result = pvm_tasks(where, &count, &tasks);

    return result < 0 ? result : count;
}

static int told_again(void)
{
    SEE(pvm_notify(PvmTaskExit, 70, 1, &task));
    return tag_of(pvm_recv(-1, 70));
}

static void others_see(void)
{
    int tids[3] = {me, task, me}, value = 5, found = 0;
    struct pvmmboxinfo *names;

    SEE(pvm_pstat(task));
    SEE(number_of_tasks(task));
    SEE(pvm_sendsig(task, SIGCONT));
    SEE(pvm_kill(task));
    SEE(told_again());
    pvm_initsend(PvmDataDefault);
    SEE(pvm_send(task, 8));
    SEE(pvm_psend(task, 8, &value, 1, PVM_INT));
    SEE(pvm_mcast(tids, 3, 71));
    SEE(tag_of(pvm_nrecv(-1, 71)));
    SEE(pvm_nrecv(task, -1));
    SEE(pvm_probe(task, -1));
    SEE(pvm_lookup("ends", 0, &found));
    SEE(pvm_recvinfo("ends", 0, PvmMboxDefault) > 0);
    SEE(pvm_getmboxinfo("ends", &found, &names));
    SEE(found);
    SEE(pvm_tidtohost(task) == pvm_tidtohost(me));
    SEE(pvm_notify(PvmTaskExit | PvmNotifyCancel, 70, 1, &task));
    SEE(pvm_getinst("ends", task));
}

/* The group server hears of the end as we do, and not at once. */
static int group_size(int wanted)
{
    int size;

    do
        size = pvm_gsize("ends");
    while (size >= 0 && size != wanted);
    return size;
}

static void end_see(int number)
{
    char *arguments[] = {"end", (char *)ways[number].way, NULL};

    AREA(ways[number].how);
    SEE(pvm_spawn("child", arguments, PvmTaskDefault, "", 1, &task));
    SEE(tag_of(pvm_recv(task, -1)));
    SEE(pvm_joingroup("ends"));
    SEE(pvm_gettid("ends", 0) == task);
    SEE(group_size(2));
    SEE(pvm_notify(PvmTaskExit, 60, 1, &task));
    say(6);
    arrivals_see(4);
    ways[number].end();
    notice_see(pvm_recv(-1, 60));
    SEE(group_size(1));
    SEE(pvm_getinst("ends", me));
    SEE(pvm_gettid("ends", 0) == task);
    SEE(pvm_nrecv(-1, -1));
    others_see();
    SEE(pvm_lvgroup("ends"));
}

int main(void)
{
    observe();
    me = pvm_mytid();
    for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++)
        end_see(i);
    pvm_exit();
    return 0;
}
