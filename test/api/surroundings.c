/* The environment of a process: what each variable does when it becomes a task. */
#include "observe.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

extern int pvmmytid, pvm_errno;
char *pvmgetrsh(void);

static const char *name, *value;
static bool nobody_answers; /* where the process looks for its pvmd */

static void enrol(void)
{
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
    quiet();
    if (nobody_answers)
        may_hang();
    int tid = pvm_mytid();
    printf("a task %d, pvm_errno %d, route %d, debug mask %d, context %d\n", tid > 0,
           tid < 0 ? pvm_errno : 0, pvm_getopt(PvmRoute), pvm_getopt(PvmDebugMask),
           pvm_getcontext());
    printf("trace buffer %d, trace options %d, output to %d, trace to %d\n",
           pvm_getopt(PvmSelfTraceBuffer), pvm_getopt(PvmSelfTraceOptions),
           pvm_getopt(PvmSelfOutputTid), pvm_getopt(PvmSelfTraceTid));
    pvm_exit();
}

static void try(const char *variable, const char *setting)
{
    name = variable;
    value = setting;
    printf("== %s=%.20s\n", variable, setting ? setting : "(unset)");
    apart("ended", enrol);
}

/* An address file with more than an address in it. */
static void address_see(const char *text)
{
    char folder[512], path[600];

    snprintf(folder, sizeof folder, "%s/other", getenv("PVM_TMP"));
    snprintf(path, sizeof path, "%s/pvmd.%d.other", folder, (int)getuid());
    mkdir(folder, 0700);
    FILE *file = fopen(path, "w");
    if (file)
        fprintf(file, "%s%s%s", text, text, text);
    if (file)
        fclose(file);
    AREA("a long address file");
    setenv("PVM_VMID", "other", 1);
    name = "PVM_TMP";
    value = folder;
    apart("ended", enrol);
    unlink(path);
    rmdir(folder);
}

/* What is said then is not observed. */
static void refused(void)
{
    unsetenv("PVM_ALLOW_ROOT");
    quiet();
    dup2(STDERR_FILENO, STDOUT_FILENO);
    pvm_mytid();
}

static void spawned(void)
{
    char *arguments[] = {"report", "5", NULL};
    int tid = 0, from, context = -1;

    setenv(name, value, 1);
    pvm_export((char *)name);
    pvm_mytid();
    SEE(pvm_spawn("child", arguments, PvmTaskDefault, "", 1, &tid));
    pvm_recv(tid, 5);
    pvm_upkint(&from, 1, 1);
    pvm_upkint(&context, 1, 1);
    SEE(context);
    pvm_exit();
}

static void hand_on(const char *variable, const char *setting)
{
    name = variable;
    value = setting;
    printf("== a child with %s=%s\n", variable, setting);
    apart("ended", spawned);
}

int main(void)
{
    static char longest[5000];

    observe();
    memset(longest, 'L', sizeof longest - 1);
    try("UNUSED", "x");
    try("PVMTASKDEBUG", "0x40000000");
    try("PVMTASKDEBUG", "nonsense");
    try("PVMCTX", "0x1234");
    try("PVMCTX", "77");
    try("PVMCTX", "");
    try("PVMCTX", "nonsense");
    try("PVMCTX", "-1");
    try("PVMTRCBUF", "4000");
    try("PVMTRCOPT", "2");
    try("PVMTMASK", "@@");
    try("PVMEPID", "1");
    try("PVMEPID", "nonsense");
    try("PVM_VMID", "another");
    try("PVM_VMID", "");
    try("PVM_TMP", "/no/such/folder");
    nobody_answers = true;
    try("PVMSOCK", "/no/such/socket");
    nobody_answers = false;
    try("PVM_ALLOW_ROOT", "");
    try("HOME", NULL);
    try("PVM_ROOT", NULL);
    try("PVM_ARCH", "ANOTHER");
    hand_on("PVMCTX", "0x99");
    try("PVM_VMID", longest);
    try("PVM_TMP", longest);
    longest[0] = '/';
    longest[120] = '\0';
    try("PVMSOCK", longest);
    address_see(longest);
    unsetenv("PVM_VMID");
    AREA("the remote shell");
    setenv("PVM_RSH", "/some/folder/rsh", 1);
    SEE_TEXT("pvmgetrsh()", pvmgetrsh());
    AREA("root without PVM_ALLOW_ROOT");
    apart("ended", refused);
    return 0;
}
