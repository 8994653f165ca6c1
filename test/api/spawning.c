/*
 * pvm_spawn: flags and places, arguments, environment, working folder, tids; and signals to
 * children.
 */
#include "observe.h"
#include <string.h>
#include <unistd.h>

static int me;

static void see_string(const char *what)
{
    char text[8192] = "";
    int error = pvm_upkstr(text);

    if (error < 0)
        printf(" %s %d", what, error);
    else
        printf(" %s '%s'", what, text);
}

/* What "child report TAG" tells: the rest of its arguments too. */
static void report_see(const char *what, int tid)
{
    int from = 0, context = -1, count = 0;

    pvm_recv(tid, 5);
    pvm_upkint(&from, 1, 1);
    pvm_upkint(&context, 1, 1);
    pvm_upkint(&count, 1, 1);
    printf("%s: a child %d, context %d, %d arguments:", what, from > me, context, count);
    for (int i = 0; i < count; i++) {
        if (i == 0) {
            char path[4096] = "";
            pvm_upkstr(path);
            printf(" [%s]", strrchr(path, '/') ? strrchr(path, '/') : path);
        } else {
            see_string("");
        }
    }
    see_string("REPORTED");
    see_string("in");
    printf("\n");
}

static void spawn_see(const char *what, int flag, char *where, int count)
{
    char *arguments[] = {"report", "5", NULL};
    int tids[8] = {0}, started;

    started = pvm_spawn("child", arguments, flag, where, count, tids);
    printf("%s: %d of %d started", what, started, count);
    for (int i = started < 0 ? 0 : started; i < count && i < 8; i++)
        printf(", %d", tids[i]);
    printf("\n");
    for (int i = 0; i < started; i++)
        report_see("  report", tids[i]);
}

static void places_see(void)
{
    char host[256] = "", with_folder[300];
    struct pvmhostinfo *hosts;

    pvm_config(NULL, NULL, &hosts);
    snprintf(host, sizeof host, "%s", hosts[0].hi_name);
    snprintf(with_folder, sizeof with_folder, "%s:/usr", host);
    AREA("places");
    spawn_see("anywhere", PvmTaskDefault, NULL, 1);
    spawn_see("anywhere, where ignored", PvmTaskDefault, "no.such.host", 1);
    spawn_see("the local host", PvmTaskHost, ".", 1);
    spawn_see("the host by name", PvmTaskHost, host, 1);
    spawn_see("the host by name, in /usr", PvmTaskHost, with_folder, 1);
    spawn_see("the host by name in capitals", PvmTaskHost, "NO.SUCH", 1);
    spawn_see("the local host, in a folder", PvmTaskHost, ".:/", 1);
    spawn_see("any host, in a folder", PvmTaskDefault, ":/usr/lib", 1);
    spawn_see("any host, a folder that is none", PvmTaskDefault, ":/no/such", 1);
    spawn_see("the architecture", PvmTaskArch, "LINUX64", 2);
    spawn_see("the architecture, in /", PvmTaskArch, "LINUX64:/", 1);
    spawn_see("another architecture", PvmTaskArch, "linux64", 1);
    spawn_see("host and architecture", PvmTaskHost | PvmTaskArch, ".", 1);
    spawn_see("all but the local host", PvmTaskHost | PvmHostCompl, ".", 1);
    spawn_see("all but no host", PvmTaskHost | PvmHostCompl, "no.such.host", 1);
    spawn_see("all but one architecture", PvmTaskArch | PvmHostCompl, "LINUX64", 1);
    spawn_see("all but another architecture", PvmTaskArch | PvmHostCompl, "VAX", 1);
    spawn_see("all but all", PvmHostCompl, NULL, 2);
    spawn_see("unknown flags", 128 | 256 | 512, NULL, 1);
    spawn_see("the front of a machine", PvmMppFront, NULL, 1);
    spawn_see("five", PvmTaskDefault, "", 5);
    setenv("PVMTASK", "0x20", 1);
    spawn_see("flags from the environment", PvmTaskDefault, NULL, 1);
    unsetenv("PVMTASK");
}

static void files_see(void)
{
    static char *const files[] = {"no-such-program", "",        "/",        "/tmp",
                                  "/etc/passwd",     "./child", "../child", "child/",
                                  "/no/such/program"};

    AREA("programs that cannot be run");
    for (unsigned i = 0; i < sizeof files / sizeof *files; i++) {
        int tids[2] = {0, 0};
        int started = pvm_spawn(files[i], NULL, PvmTaskDefault, "", 2, tids);
        printf("'%s': %d, %d %d\n", files[i], started, tids[0], tids[1]);
    }
}

static void arguments_see(void)
{
    static char longest[3000];
    char *arguments[] = {"report", "5",  "",   " ",  "a b",   "\"quoted\"",
                         "'",      "\\", "%d", "-x", longest, NULL};
    int tid = 0;

    AREA("arguments");
    memset(longest, 'y', sizeof longest - 1);
    SEE(pvm_spawn("child", arguments, PvmTaskDefault, "", 1, &tid));
    report_see("report", tid);
}

static void environment_see(void)
{
    AREA("environment");
    setenv("REPORTED", "of the parent", 1);
    spawn_see("not exported", PvmTaskDefault, "", 1);
    SEE(pvm_export("REPORTED"));
    SEE_TEXT("PVM_EXPORT", getenv("PVM_EXPORT"));
    spawn_see("exported", PvmTaskDefault, "", 1);
    SEE(pvm_export("REPORTED"));
    SEE(pvm_export(""));
    SEE(pvm_export("PVM_OTHER"));
    SEE_TEXT("PVM_EXPORT", getenv("PVM_EXPORT"));
    unsetenv("REPORTED");
    spawn_see("exported, not set", PvmTaskDefault, "", 1);
    setenv("REPORTED", "", 1);
    spawn_see("exported, empty", PvmTaskDefault, "", 1);
    setenv("REPORTED", "with = and :", 1);
    spawn_see("exported, with signs", PvmTaskDefault, "", 1);
    SEE(pvm_unexport("REPORTED"));
    SEE_TEXT("PVM_EXPORT", getenv("PVM_EXPORT"));
    SEE(pvm_unexport("REPORTED"));
    SEE(pvm_unexport("PVM_OTHER"));
    SEE_TEXT("PVM_EXPORT", getenv("PVM_EXPORT") ? getenv("PVM_EXPORT") : "(unset)");
    setenv("PVM_EXPORT", "A:REPORTED:B", 1);
    spawn_see("the list of the environment", PvmTaskDefault, "", 1);
    SEE(pvm_unexport("REPORTED"));
    SEE_TEXT("PVM_EXPORT", getenv("PVM_EXPORT"));
    SEE(pvm_unexport("A"));
    SEE_TEXT("PVM_EXPORT", getenv("PVM_EXPORT"));
    SEE(pvm_export("REP"));
    SEE(pvm_unexport("RE"));
    SEE_TEXT("PVM_EXPORT", getenv("PVM_EXPORT"));
    unsetenv("PVM_EXPORT");
}

static void contexts_see(void)
{
    int context = pvm_newcontext();

    AREA("contexts");
    SEE(pvm_setcontext(context));
    spawn_see("a context of its own", PvmTaskDefault, "", 1);
    SEE(pvm_setcontext(-1));
    spawn_see("any context", PvmTaskDefault, "", 1);
    SEE(pvm_setcontext(0));
    SEE(pvm_freecontext(context));
}

static void parents_see(void)
{
    char *arguments[] = {"parent", NULL}, *siblings[] = {"siblings", "6", NULL};
    int tids[2], value = 0, count = 0, known[4];

    AREA("parents and siblings");
    SEE(pvm_spawn("child", arguments, PvmTaskDefault, "", 1, tids));
    SEE(pvm_recv(tids[0], 7) > 0);
    SEE((pvm_upkint(&value, 1, 1), value == me));
    pvm_setopt(PvmOutputTid, 0);
    SEE(pvm_insert("asker", 0, me));
    SEE(pvm_spawn("child", arguments, PvmTaskDefault | PvmNoSpawnParent, "", 1, tids));
    SEE(pvm_recv(tids[0], 7) > 0);
    SEE((pvm_upkint(&value, 1, 1), value));
    SEE(pvm_spawn("child", siblings, PvmTaskDefault, "", 2, tids));
    for (int i = 0; i < 2; i++) {
        pvm_recv(tids[i], 6);
        pvm_upkint(&count, 1, 1);
        pvm_upkint(known, count, 1);
        printf("%d siblings, %d\n", count, known[0] == tids[0] && known[1] == tids[1]);
    }
}

static void signals_see(void)
{
    char *arguments[] = {"wait", NULL};
    int tids[4], notice = 0;

    AREA("signals");
    SEE(pvm_spawn("child", arguments, PvmTaskDefault, "", 4, tids));
    pvm_notify(PvmTaskExit, 8, 4, tids);
    for (int i = 0; i < 4; i++)
        wait_connected(tids[i]);
    SEE(pvm_sendsig(tids[0], 0));
    SEE(pvm_pstat(tids[0]));
    SEE(pvm_sendsig(tids[0], SIGKILL));
    SEE((pvm_recv(-1, 8), pvm_upkint(&notice, 1, 1), notice == tids[0]));
    SEE(pvm_kill(tids[1]));
    SEE((pvm_recv(-1, 8), pvm_upkint(&notice, 1, 1), notice == tids[1]));
    SEE(pvm_sendsig(tids[2], 1000));
    SEE(pvm_sendsig(tids[2], -1));
    SEE(pvm_pstat(tids[2]));
    SEE(pvm_sendsig(tids[2], SIGINT));
    SEE((pvm_recv(-1, 8), pvm_upkint(&notice, 1, 1), notice == tids[2]));
    for (int i = 0; i < 4; i++)
        printf("%d: %d\n", i, pvm_pstat(tids[i]));
    pvm_initsend(PvmDataDefault);
    SEE(pvm_send(tids[3], 1));
    SEE((pvm_recv(-1, 8), pvm_upkint(&notice, 1, 1), notice == tids[3]));
    SEE(pvm_kill(tids[3]));
    SEE(pvm_sendsig(me, 0));
    SEE(pvm_kill(0x80001));
    SEE(pvm_pstat(pvm_tidtohost(me)));
    SEE(pvm_pstat(me));
}

int main(void)
{
    observe();
    me = pvm_mytid();
    places_see();
    files_see();
    arguments_see();
    environment_see();
    contexts_see();
    parents_see();
    signals_see();
    pvm_exit();
    return 0;
}
