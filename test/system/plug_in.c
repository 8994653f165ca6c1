/* A service that the pvmd starts itself, and one who looks at it.
 *
 * plug_in ROLE ARGUMENT...    registers as tasker, hoster or manager, until any message comes
 * plug_in                     waits until there is one of each, and tells of them
 */
#include "observe.h"
#include <pvm3.h>
#include <string.h>

enum { GO = 1 };

static void serve(const char *role)
{
    if (strcmp(role, "tasker") == 0)
        pvm_reg_tasker();
    else if (strcmp(role, "hoster") == 0)
        pvm_reg_hoster();
    else
        pvm_reg_rm(NULL);
    pvm_recv(-1, GO);
    pvm_exit();
}

/* The tid of who has a role, once there is one. */
static int find(char *class)
{
    int tid = 0;

    pvm_recvinfo(class, 0, PvmMboxWaitForInfo);
    pvm_upkint(&tid, 1, 1);
    return tid;
}

int main(int count, char **words)
{
    char *classes[] = {PVMTASKERCLASS, PVMHOSTERCLASS, PVMRMCLASS};

    if (count > 1) {
        serve(words[1]);
        return 0;
    }
    for (int i = 0; i < 3; i++) {
        struct pvmtaskinfo *tasks;
        int tid = find(classes[i]), found = 0;

        pvm_tasks(tid, &found, &tasks);
        printf("%s %x: parent %d, flags %x, name %s\n", classes[i], (unsigned)tid,
               found ? tasks[0].ti_ptid : 0, found ? (unsigned)tasks[0].ti_flag : 0,
               found ? tasks[0].ti_a_out : "");
    }
    for (int i = 0; i < 3; i++) {
        int tid = find(classes[i]);

        pvm_initsend(PvmDataDefault);
        pvm_send(tid, GO);
    }
    pvm_exit();
    return 0;
}
