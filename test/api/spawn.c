/* Spawning: what a child gets, what is refused, and what parents and siblings know. */
#include "observe.h"
#include <pvm3.h>
#include <stdlib.h>

static void report_see(int tid, int tag)
{
    int from, context, count;
    char text[4096];

    pvm_recv(tid, tag);
    pvm_upkint(&from, 1, 1);
    pvm_upkint(&context, 1, 1);
    pvm_upkint(&count, 1, 1);
    printf("child %x: context %d, arguments", (unsigned)from, context);
    for (int i = 0; i < count; i++) {
        pvm_upkstr(text);
        if (i > 0)
            printf(" '%s'", text);
    }
    pvm_upkstr(text);
    printf(", REPORTED '%s'", text);
    pvm_upkstr(text);
    printf(", in %s\n", text);
}

static void children_see(void)
{
    char *arguments[] = {"report", "5", "", "two words", NULL};
    int tids[3] = {0};
    char *where = "/:/tmp";

    AREA("what a child gets");
    SEE(pvm_parent());
    SEE(pvm_spawn("child", arguments, PvmTaskDefault, "", 1, tids));
    report_see(tids[0], 5);
    setenv("REPORTED", "exported", 1);
    SEE(pvm_export("REPORTED"));
    SEE(pvm_spawn("child", arguments, PvmTaskHost, ".", 1, tids));
    report_see(tids[0], 5);
    SEE(pvm_unexport("REPORTED"));
    SEE(pvm_setcontext(pvm_newcontext()));
    SEE(pvm_spawn("child", arguments, PvmTaskArch, "LINUX64", 1, tids));
    report_see(tids[0], 5);
    SEE(pvm_setcontext(0) > 0);
    SEE(pvm_spawn("child", arguments, PvmTaskDefault, where + 1, 1, tids));
    report_see(tids[0], 5);
    SEE(pvm_spawn("child", arguments, PvmTaskDefault, ":/nowhere", 1, tids));
    report_see(tids[0], 5);
    AREA("several");
    SEE(pvm_spawn("child", arguments, PvmTaskDefault, NULL, 3, tids));
    for (int i = 0; i < 3; i++)
        report_see(tids[i], 5);
    SEE(pvm_spawn("child", arguments, PvmTaskDefault, NULL, 1, NULL));
    report_see(-1, 5);
}

static void refused_see(void)
{
    int tids[2] = {99, 99};

    AREA("what is refused");
    SEE(pvm_spawn("no-such-program", NULL, PvmTaskDefault, "", 2, tids));
    SEE(tids[0]);
    SEE(tids[1]);
    SEE(pvm_spawn("/etc/passwd", NULL, PvmTaskDefault, "", 1, tids));
    SEE(tids[0]);
    SEE(pvm_spawn("/tmp", NULL, PvmTaskDefault, "", 1, tids));
    SEE(tids[0]);
    SEE(pvm_spawn("", NULL, PvmTaskDefault, "", 1, tids));
    SEE(tids[0]);
    SEE(pvm_spawn("child", NULL, PvmTaskDefault, "", 0, tids));
    SEE(pvm_spawn("child", NULL, PvmTaskDefault, "", -4, tids));
    SEE(pvm_spawn("child", NULL, PvmTaskHost, "no.such.host", 1, tids));
    SEE(tids[0]);
    SEE(pvm_spawn("child", NULL, PvmTaskHost, "", 1, tids));
    SEE(tids[0]);
    SEE(pvm_spawn("child", NULL, PvmTaskArch, "VAX", 1, tids));
    SEE(tids[0]);
    SEE(pvm_spawn("child", NULL, PvmHostCompl, "", 1, tids));
    SEE(tids[0]);
}

static void relations_see(void)
{
    char *arguments[] = {"siblings", "6", NULL}, *waiting[] = {"wait", NULL};
    int tids[3], *known, count, got[3], notice = 0;

    AREA("parents and siblings");
    SEE(pvm_siblings(&known));
    SEE(known[0] == pvm_mytid());
    SEE(pvm_spawn("child", arguments, PvmTaskDefault, "", 3, tids));
    for (int i = 0; i < 3; i++) {
        pvm_recv(tids[i], 6);
        pvm_upkint(&count, 1, 1);
        pvm_upkint(got, count < 3 ? count : 3, 1);
        SEE(count);
        SEE(got[0] == tids[0] && got[1] == tids[1] && got[2] == tids[2]);
    }
    AREA("whether it runs");
    SEE(pvm_spawn("child", waiting, PvmTaskDefault, "", 1, tids));
    SEE(pvm_pstat(tids[0]));
    SEE(pvm_tidtohost(tids[0]));
    pvm_notify(PvmTaskExit, 7, 1, tids);
    wait_connected(tids[0]);
    SEE(pvm_kill(tids[0]));
    pvm_recv(-1, 7);
    SEE((pvm_upkint(&notice, 1, 1), notice == tids[0]));
    SEE(pvm_pstat(tids[0]));
    SEE(pvm_pstat(0x80001));
    SEE(pvm_pstat(0));
    SEE(pvm_pstat(-1));
    SEE(pvm_kill(0));
    SEE(pvm_kill(tids[0]));
    SEE(pvm_sendsig(tids[0], 0));
    SEE(pvm_sendsig(-1, 15));
}

int main(void)
{
    observe();
    pvm_mytid();
    children_see();
    refused_see();
    relations_see();
    pvm_exit();
    return 0;
}
