/* Tasks whose resource manager ends: those that come later, and those that wait for its answer.
 *
 * orphans [--WAY]...    plays all of it; with the library of 3.4.6 these tasks wait for ever
 * orphans WAY           a resource manager that ends in a way when it is asked: "ends", "is
 * killed",
 *                       "leaves" but goes on as a process
 */
#include "observe.h"
#include <pvm3.h>
#include <pvmproto.h>
#include <string.h>

enum { READY = 1, GO };

static char own[] = "orphans", nowhere[] = "", *way;

/* Asks several things: the first question is not answered when there is one who should. */
static void ask(void)
{
    struct pvmtaskinfo *tasks;
    struct pvmhostinfo *hosts;
    int count = 0;
    int asked = pvm_tasks(0, &count, &tasks), again = pvm_tasks(0, &count, &tasks);

    printf("  tasks: %d, then %d", asked, again);
    printf(", hosts: %d", pvm_config(&count, NULL, &hosts));
    printf(" and %d, left: %d\n", count, pvm_exit());
}

static void with_manager(void)
{
    char *words[] = {way, NULL};
    int tid;

    printf("%s: %d\n", way, pvm_spawn(own, words, PvmTaskDefault, nowhere, 1, &tid));
    pvm_recv(tid, READY);
    pvm_exit(); /* only who comes after it asks it */
    ask();
    pvm_initsend(PvmDataDefault);
    pvm_send(tid, GO);
    pvm_exit();
}

static void hand_over(int to)
{
    printf("registers: %d", pvm_reg_rm(NULL) >= 0); /* 3.4.6 names one that is gone */
    if (to >= 0) {
        pvm_setopt(PvmResvTids, 1);
        pvm_initsend(PvmDataDefault);
        pvm_packf("%d", to);
        printf(", hands over to %x: %d", (unsigned)to, pvm_send((int)0x80000000, SM_HANDOFF));
    }
    printf(", left: %d\n", pvm_exit());
}

static void register_and_end(void)
{
    hand_over(-1);
}

static void resign(void)
{
    hand_over(0);
}

static void hand_to_none(void)
{
    hand_over(0x7ffff);
}

/* The resource manager: does not answer. */
static void manage(const char *how)
{
    int parent = pvm_parent();

    pvm_reg_rm(NULL);
    pvm_initsend(PvmDataDefault);
    pvm_send(parent, READY);
    pvm_recv(-1, SM_TASK);
    if (strcmp(how, "leaves") == 0) {
        pvm_exit();
        pvm_recv(-1, GO); /* as another task, which nobody knows */
    }
    if (strcmp(how, "is killed") == 0)
        raise(SIGKILL);
}

int main(int count, char **words)
{
    if (count > 1 && words[1][0] != '-') {
        manage(words[1]);
        return 0;
    }
    observe();
    apart("registers", register_and_end);
    apart("comes later", ask);
    apart("resigns", resign);
    apart("comes later", ask);
    apart("hands over", hand_to_none);
    apart("comes later", ask);
    for (int i = 1; i < count; i++)
        apart(way = words[i] + 2, with_manager);
    return 0;
}
