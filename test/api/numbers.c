/*
 * pvm_insert, pvm_lookup and pvm_delete: an integer under a name; and the tasks that resets leave.
 */
#include "observe.h"

extern int pvm_errno;

static int looked_up(char *name, int index)
{
    int data = -99, result = pvm_lookup(name, index, &data);

    printf("  %d\n", data);
    return result;
}

static void integers_see(void)
{
    AREA("one integer under a name");
    SEE(pvm_insert("n", -1, 10));
    SEE(pvm_insert("n", -1, 11));
    SEE(pvm_insert("n", 5, 15));
    SEE(pvm_insert("n", 0, 99));
    SEE(pvm_errno);
    SEE(pvm_insert("n", -1, 12));
    SEE(looked_up("n", -1));
    SEE(looked_up("n", 0));
    SEE(looked_up("n", 5));
    SEE(looked_up("n", 4));
    SEE(pvm_errno);
    SEE(pvm_delete("n", 0));
    SEE(pvm_delete("n", 0));
    SEE(pvm_errno);
    SEE(looked_up("n", -1));
    SEE(pvm_insert("n", -1, 13));
    SEE(pvm_insert("n", 2000000, 14));
    SEE(pvm_insert("n", 2097152, 14));
    SEE(pvm_lookup("n", 1, NULL));
    SEE(pvm_lookup("none", -1, NULL));
    SEE(pvm_delete("none", 0));
}

static void refused_see(void)
{
    int data = 0;

    AREA("what is refused");
    SEE(pvm_insert(NULL, -1, 1));
    SEE(pvm_insert("", -1, 1));
    SEE(pvm_insert("n", -2, 1));
    SEE(pvm_lookup(NULL, -1, &data));
    SEE(pvm_lookup("", -1, &data));
    SEE(pvm_lookup("n", -2, &data));
    SEE(pvm_delete(NULL, 0));
    SEE(pvm_delete("", 0));
    SEE(pvm_delete("n", -1));
}

static void mixed_see(void)
{
    int buffer = pvm_initsend(PvmDataDefault), value = 50, active;

    AREA("beside the newer calls");
    pvm_pkint(&value, 1, 1);
    SEE(pvm_putinfo("n", buffer, PvmMboxDirectIndex(30)));
    SEE(looked_up("n", 30));
    pvm_send(pvm_mytid(), 1);
    active = pvm_recv(-1, 1);
    SEE(looked_up("n", 30));
    SEE(pvm_getrbuf() == active);
    SEE(pvm_insert("n", 30, 51));
    SEE(pvm_getsbuf() == buffer);
    SEE(pvm_initsend(PvmDataDefault) > 0);
    SEE(pvm_putinfo("empty", pvm_getsbuf(), PvmMboxDefault));
    SEE(looked_up("empty", 0));
    SEE(pvm_recvinfo("n", 5, PvmMboxDefault) > 0);
    SEE((pvm_upkint(&value, 1, 1), value));
    SEE((pvm_bufinfo(pvm_getrbuf(), NULL, NULL, &value), value == pvm_mytid()));
}

/* Entries of another task, which last. */
static void others_see(void)
{
    AREA("entries of one who has left");
    fflush(stdout);
    if (fork() == 0) {
        pvm_insert("theirs", -1, 70);
        pvm_insert("theirs", -1, 71);
        pvm_exit();
        _exit(0);
    }
    wait(NULL);
    SEE(looked_up("theirs", -1));
    SEE(looked_up("theirs", 1));
    SEE(pvm_delete("theirs", 0));
    SEE(pvm_errno);
    SEE(pvm_insert("theirs", -1, 72));
    SEE(pvm_insert("theirs", 1, 73));
}

static void exempt_see(void)
{
    int *tids = NULL, count = -1;

    AREA("tasks that resets leave");
    SEE(pvm_getnoresets(&tids, &count));
    SEE(count);
    SEE(pvm_setopt(PvmNoReset, 1));
    SEE(pvm_getopt(PvmNoReset));
    SEE(pvm_getnoresets(&tids, &count));
    SEE(count);
    SEE(count == 1 && tids[0] == pvm_mytid());
    SEE(pvm_setopt(PvmNoReset, 7));
    SEE(pvm_getopt(PvmNoReset));
    SEE((pvm_getnoresets(NULL, &count), count));
    SEE(pvm_getnoresets(&tids, NULL));
    SEE(pvm_setopt(PvmNoReset, 0));
    SEE((pvm_getnoresets(&tids, &count), count));
    SEE(pvm_setopt(PvmNoReset, 0));
}

int main(void)
{
    observe();
    others_see();
    pvm_mytid();
    integers_see();
    refused_see();
    mixed_see();
    exempt_see();
    pvm_exit();
    return 0;
}
