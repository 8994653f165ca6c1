/* pvmreset: which tasks it ends, and which entries of mailboxes it removes. */
#include "observe.h"

int pvmreset(int mytid, int killtasks, char *class, int index);

static int me;

static int put(char *name, int flags)
{
    int buffer = pvm_mkbuf(PvmDataDefault), result = pvm_putinfo(name, buffer, flags);

    pvm_freebuf(buffer);
    return result;
}

static void list_see(const char *when)
{
    struct pvmmboxinfo *classes = NULL;
    int count = -1;

    pvm_getmboxinfo("*", &count, &classes);
    printf("%s:", when);
    for (int i = 0; i < count; i++)
        for (int j = 0; j < classes[i].mi_nentries; j++)
            printf(" %s[%d]", classes[i].mi_name, classes[i].mi_indices[j]);
    printf("\n");
}

/* Entries that outlive the task that puts them. */
static void left_over(void)
{
    fflush(stdout);
    if (fork() == 0) {
        put("old", PvmMboxPersistent | PvmMboxMultiInstance);
        put("old", PvmMboxPersistent | PvmMboxMultiInstance);
        put("older", PvmMboxPersistent);
        put("gone", PvmMboxDefault);
        pvm_exit();
        _exit(0);
    }
    wait(NULL);
}

static void entries_see(void)
{
    AREA("entries");
    left_over();
    me = pvm_mytid();
    put("mine", PvmMboxPersistent);
    put("mine too", PvmMboxDefault);
    list_see("before");
    SEE(pvmreset(me, 0, "none", -1));
    list_see("after another class");
    SEE(pvmreset(me, 0, "old", 1));
    list_see("after one index");
    SEE(pvmreset(me, 0, "old", 7));
    list_see("after an index that is none");
    SEE(pvmreset(me, 0, "old", -1));
    list_see("after one class");
    SEE(pvmreset(me, 0, "", -1));
    list_see("after all");
    pvm_exit();
    left_over();
    me = pvm_mytid();
    SEE(pvmreset(me, 0, NULL, -1));
    list_see("after all");
}

static void tasks_see(void)
{
    char *waiting[] = {"wait", NULL}, *exempt[] = {"exempt", NULL};
    int tids[3], notice, left = 0;

    AREA("tasks");
    SEE(pvm_spawn("child", waiting, PvmTaskDefault, "", 2, tids));
    SEE(pvm_spawn("child", exempt, PvmTaskDefault, "", 1, tids + 2));
    for (int i = 0; i < 3; i++)
        wait_connected(tids[i]);
    SEE(pvm_recv(tids[2], 4) > 0);
    pvm_notify(PvmTaskExit, 5, 3, tids);
    SEE(pvmreset(me, 0, "", -1));
    for (int i = 0; i < 3; i++)
        SEE(pvm_pstat(tids[i]));
    SEE(pvmreset(me, 1, "", -1));
    for (int i = 0; i < 2; i++) {
        pvm_recv(-1, 5);
        pvm_upkint(&notice, 1, 1);
        left += notice == tids[0] || notice == tids[1];
    }
    SEE(left);
    for (int i = 0; i < 3; i++)
        SEE(pvm_pstat(tids[i]));
    SEE(pvm_pstat(me));
    pvm_initsend(PvmDataDefault);
    SEE(pvm_send(tids[2], 1));
    SEE(pvm_recv(-1, 5) > 0);
    list_see("after its end");
}

int main(void)
{
    observe();
    entries_see();
    tasks_see();
    pvm_exit();
    return 0;
}
