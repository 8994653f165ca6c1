/* The task table, the host table, and what is asked for in vain. */
#include "observe.h"
#include <pvm3.h>
#include <string.h>

static void tasks_see(const char *what, int where)
{
    struct pvmtaskinfo *tasks = NULL;
    int count = -1, result = pvm_tasks(where, &count, &tasks);

    printf("%s: %d, %d tasks\n", what, result, count);
    for (int i = 0; result == 0 && i < count; i++)
        printf("  %x parent %x host %x flags %x name '%s' pid %d\n", (unsigned)tasks[i].ti_tid,
               (unsigned)tasks[i].ti_ptid, (unsigned)tasks[i].ti_host, (unsigned)tasks[i].ti_flag,
               tasks[i].ti_a_out, tasks[i].ti_pid > 1);
}

static void hosts_see(void)
{
    struct pvmhostinfo *hosts = NULL;
    int count = -1, formats = -1;
    char name[256] = "";

    AREA("hosts");
    SEE(pvm_config(&count, &formats, &hosts));
    SEE(count);
    SEE(formats);
    printf("%x %s speed %d signature %x\n", (unsigned)hosts[0].hi_tid, hosts[0].hi_arch,
           hosts[0].hi_speed, (unsigned)hosts[0].hi_dsig);
    snprintf(name, sizeof name, "%s", hosts[0].hi_name);
    SEE(strlen(name) > 0);
    SEE(pvm_config(NULL, NULL, NULL)); /* the list from before is gone */
    SEE(pvm_mstat(name));
    SEE(pvm_mstat("no.such.host"));
    SEE(pvm_mstat("."));
    SEE(pvm_mstat(""));
    SEE(pvm_mstat(NULL));
    SEE(pvm_archcode("LINUX64"));
    SEE(pvm_archcode("VAX"));
    SEE(pvm_archcode(""));
    SEE(pvm_archcode(NULL));
    SEE(pvm_tidtohost(-1));
    SEE(pvm_tidtohost(0));
    SEE_TEXT("version", pvm_version());
}

int main(void)
{
    char *waiting[] = {"wait", NULL};
    int tids[2], *fds, notice;

    observe();
    pvm_mytid();
    hosts_see();
    AREA("tasks");
    tasks_see("alone", 0);
    SEE(pvm_spawn("child", waiting, PvmTaskDefault, "", 1, tids));
    SEE(pvm_spawn("child", waiting, PvmTaskDefault | PvmNoSpawnParent, "", 1, tids + 1));
    pvm_notify(PvmTaskExit, 8, 2, tids);
    wait_connected(tids[0]);
    wait_connected(tids[1]);
    tasks_see("all", 0);
    tasks_see("this host", pvm_tidtohost(pvm_mytid()));
    tasks_see("one task", tids[0]);
    tasks_see("no such task", tids[1] + 7);
    tasks_see("no such host", 0x80000);
    SEE(pvm_tasks(0, NULL, NULL));
    pvm_initsend(PvmDataDefault);
    pvm_mcast(tids, 2, 1);
    for (int i = 0; i < 2; i++) {
        pvm_recv(-1, 8);
        pvm_upkint(&notice, 1, 1);
        SEE(notice == tids[0] || notice == tids[1]);
    }
    tasks_see("after their end", 0);
    AREA("descriptors");
    SEE(pvm_getfds(&fds) >= 1);
    SEE(fds[0] > 2);
    pvm_exit();
    return 0;
}
