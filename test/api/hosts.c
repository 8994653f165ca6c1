/* Adding hosts where there could be others, what a pvmd is asked to tell of itself, who is exempt
 * from a reset.
 *
 * The pvmd runs on 127.0.0.2 (ARGUMENTS in test_observations.py). There is no remote shell, so no
 * host can be started.
 */
#include "observe.h"
#include <string.h>

/*
 * The pvmd of 3.4.6 fails an addition with PvmDSysErr if the process that did an earlier one ends only
 * then: once for each earlier one at most.
 */
static int add(char **hosts, int count, int *status)
{
    static int earlier;
    int result = PvmDSysErr;

    for (int failures = 0; result == PvmDSysErr && failures <= earlier; failures++)
        result = pvm_addhosts(hosts, count, status);
    earlier++;
    return result;
}

static void tried(const char *what, int (*call)(char **, int, int *), char **hosts, int count)
{
    int status[8] = {99, 99, 99, 99, 99, 99, 99, 99};
    int result = call(hosts, count, status);

    printf("%s: %d,", what, result);
    for (int i = 0; i < count && i < 8; i++)
        printf(" %d", status[i]);
    printf("\n");
}

static void adding_see(void)
{
    char *unknown[] = {"no.such.host.invalid", "127.0.0.2", "no.such.host.invalid"};
    char *own[] = {"127.0.0.2", "127.0.0.2 ep=/usr", "localhost ip=127.0.0.2"};
    char *alone[] = {"127.0.0.3"};
    char *mixed[] = {"127.0.0.3", "127.0.0.2", "127.0.0.3 ep=/x", "name zz=1", "127.0.0.4"};
    char *bad[] = {"127.0.0.3 lo", "127.0.0.3 dx=/a dx=/b ip", "127.0.0.2 127.0.0.3"};

    AREA("adding hosts");
    tried("unknown ones", add, unknown, 3);
    tried("the own one", add, own, 3);
    tried("bad ones", add, bad, 3);
    tried("one that cannot be started", add, alone, 1);
    tried("several", add, mixed, 5);
    SEE(add(alone, 1, NULL));
    SEE(pvm_config(NULL, NULL, NULL));
    AREA("deleting hosts");
    tried("unknown ones", pvm_delhosts, unknown, 3);
    tried("the own one", pvm_delhosts, own, 3);
    tried("one that was not started", pvm_delhosts, alone, 1);
}

static void states_see(void)
{
    AREA("states");
    SEE(pvm_mstat("127.0.0.2"));
    SEE(pvm_mstat("127.0.0.3"));
    SEE(pvm_mstat("127.0.0.2 "));
    SEE(pvm_mstat("."));
    SEE(pvm_mstat("localhost"));
}

static void tickle_see(int first, int second, int third)
{
    int words[] = {first, second, third}, answer[16], count = -1;
    int result = pvm_tickle(3, words, &count, answer);

    printf("tickle %d %x %x: %d, %d words:", first, (unsigned)second, (unsigned)third, result,
           count);
    for (int i = 0; i < count; i++)
        printf(" %d", answer[i]);
    printf("\n");
}

static void tickles_see(void)
{
    int me = pvm_mytid();

    AREA("tickling");
    for (int what = 0; what <= 4; what++) /* all to the log of the pvmd */
        tickle_see(what, 0, 0);
    tickle_see(5, 0, 0);
    tickle_see(6, 0x10, 0);
    tickle_see(5, 0, 0);
    tickle_see(6, 0, 0);
    tickle_see(5, 0, 0);
    for (int packets = -1; packets <= 50; packets += 17)
        tickle_see(7, packets, 0);
    tickle_see(7, 1, 0);
    tickle_see(8, 0, 0);
    tickle_see(8, 0x80000, 0);
    tickle_see(8, 0x40000, 0);
    tickle_see(8, me, 0);
    tickle_see(9, 0, 0);
    tickle_see(9, 1, 0);
    for (int what = 10; what <= 19; what += 3)
        tickle_see(what, 0, 0);
    tickle_see(20, 0, me);
    tickle_see(20, 2, 0x80001);
    tickle_see(100, 0, 0);
    SEE(pvm_mstat("."));
}

static void exempt_see(void)
{
    int *tids = NULL, count = -1;

    SEE(pvm_getnoresets(&tids, &count));
    SEE(count);
    for (int i = 0; i < count; i++)
        printf("  %x\n", (unsigned)tids[i]);
}

static void names_see(void)
{
    struct pvmmboxinfo *names = NULL;
    int count = -1;

    SEE(pvm_getmboxinfo("", &count, &names));
    for (int i = 0; i < count; i++)
        for (int j = 0; j < names[i].mi_nentries; j++)
            printf("  %s %d of %x, flags %x\n", names[i].mi_name, names[i].mi_indices[j],
                   (unsigned)names[i].mi_owners[j], (unsigned)names[i].mi_flags[j]);
}

static void resets_see(void)
{
    char *words[] = {"noreset", NULL};
    int tid;

    AREA("who is exempt from a reset");
    exempt_see();
    SEE(pvm_setopt(PvmNoReset, 1));
    SEE(pvm_setopt(PvmNoReset, 1));
    exempt_see();
    SEE(pvm_spawn("hosts", words, PvmTaskDefault, "", 1, &tid));
    pvm_recv(tid, 1);
    exempt_see();
    names_see();
    SEE(pvm_setopt(PvmNoReset, 0));
    exempt_see();
    pvm_notify(PvmTaskExit, 2, 1, &tid);
    pvm_initsend(PvmDataDefault);
    pvm_send(tid, 1);
    pvm_recv(-1, 2);
    exempt_see();
    SEE(pvm_setopt(PvmNoReset, 0));
    SEE(pvm_getnoresets(NULL, NULL));
}

/* Another one that is exempt. */
static void no_reset(void)
{
    int parent = pvm_parent();

    pvm_setopt(PvmNoReset, 1);
    pvm_initsend(PvmDataDefault);
    pvm_send(parent, 1);
    pvm_recv(parent, 1);
}

int main(int count, char **words)
{
    (void)words;
    if (count > 1) {
        no_reset();
        return 0;
    }
    observe();
    pvm_mytid();
    adding_see();
    states_see();
    tickles_see();
    resets_see();
    SEE(pvm_exit());
    return 0;
}
