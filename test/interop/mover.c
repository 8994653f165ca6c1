/*
 * mover.c - moves all user-level processes of a virtual machine from host to host, at random, until a
 * signal comes; then prints how often one has moved.
 *
 * usage: mover
 */
#include <pvm3.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 1000 };

static volatile sig_atomic_t stopped;

static void stop(int signal)
{
    (void)signal;
    stopped = 1;
}

/* What cannot move stays. */
static int move_all(const struct pvmhostinfo *hosts, int host_count)
{
    struct pvmtaskinfo *tasks;
    int task_count, tids[MOST], from[MOST], moved = 0;
    pvm_tasks(0, &task_count, &tasks);
    for (int i = 0; i < task_count && i < MOST; i++) {
        tids[i] = tasks[i].ti_tid;
        from[i] = tasks[i].ti_host;
    }
    for (int i = 0; i < task_count && i < MOST; i++) {
        int to = hosts[rand() % host_count].hi_tid;
        moved += to != from[i] && pvm_migrate(tids[i], to) == 0;
    }
    return moved;
}

int main(void)
{
    struct pvmhostinfo *hosts;
    int host_count, moved = 0;
    signal(SIGTERM, stop);
    pvm_setopt(PvmAutoErr, 0);
    pvm_config(&host_count, NULL, &hosts);
    puts("moving");
    fflush(stdout);
    while (!stopped)
        moved += move_all(hosts, host_count);
    printf("%d\n", moved);
    pvm_exit();
    return 0;
}
