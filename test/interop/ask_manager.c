/* What does a task get that asks the resource manager of the packages, srm.pvm? */
#include "observe.h"
#include <pvm3.h>

enum { REPORT = 7, OVER = 9 };

static void hosts_ask(void)
{
    struct pvmhostinfo *hosts;
    int count, formats;

    SEE(pvm_config(&count, &formats, &hosts));
    printf("%d hosts, %d formats: %x %s %d %x\n", count, formats, (unsigned)hosts[0].hi_tid,
           hosts[0].hi_arch, hosts[0].hi_speed, (unsigned)hosts[0].hi_dsig);
}

/* After this it mistakes hosts. */
static void additions_ask(void)
{
    int status[] = {99, 99};
    char *names[] = {"nosuch.", "name yy=1"};

    SEE(pvm_addhosts(names, 2, status));
    SEE(status[0]);
    SEE(pvm_delhosts(names, 1, status));
    SEE(status[0]);
}

static void tasks_ask(void)
{
    struct pvmtaskinfo *tasks;
    int count;

    SEE(pvm_tasks(0, &count, &tasks));
    for (int i = 0; i < count; i++)
        if (tasks[i].ti_tid != 0) /* a pvmd of 3.4.6 may still show who is just connecting */
            printf("  %x parent %x host %x roles %x name '%s'\n", (unsigned)tasks[i].ti_tid,
                   (unsigned)tasks[i].ti_ptid, (unsigned)tasks[i].ti_host,
                   (unsigned)tasks[i].ti_flag & 0xf00, tasks[i].ti_a_out);
}

static void spawn_ask(void)
{
    char *reporting[] = {"report", "7", NULL}, *waiting[] = {"wait", NULL};
    int tids[2], tid = 0;

    SEE(pvm_spawn("child", reporting, PvmTaskDefault, "", 1, tids));
    SEE(pvm_recv(tids[0], REPORT) > 0);
    pvm_upkint(&tid, 1, 1);
    SEE(tid == tids[0]);
    SEE(pvm_spawn("child", waiting, PvmTaskDefault, "", 2, tids));
    SEE(pvm_notify(PvmTaskExit, OVER, 2, tids));
    for (int i = 0; i < 2; i++) {
        pvm_initsend(PvmDataDefault);
        pvm_send(tids[i], REPORT);
        SEE(pvm_recv(-1, OVER) > 0);
        pvm_upkint(&tid, 1, 1);
        SEE(tid == tids[i]);
    }
}

int main(void)
{
    observe();
    SEE(pvm_mytid());
    hosts_ask();
    tasks_ask();
    spawn_ask();
    additions_ask();
    SEE(pvm_exit());
    return 0;
}
