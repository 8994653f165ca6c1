/* A resource manager: what tasks ask it in place of their pvmd, what becomes of its answers, and
 * what it orders from the pvmd and is told by it.
 *
 * The pvmd runs on 127.0.0.2 (ARGUMENTS in test_observations.py), where hosts can be refused for
 * reasons of their own.
 */
#include "observe.h"
#include <pvm3.h>
#include <pvmproto.h>
#include <stdarg.h>
#include <string.h>

/* An empty send buffer in the default encoding. */
static void fresh(void)
{
    pvm_initsend(PvmDataDefault);
}

enum { REPORT = 1, DONE, GO, TAKE, OVER };

static char own[] = "manager", nowhere[] = "";
static int manager; /* to whom a client reports */

/* Who asks. ------------------------------------------------------------------------------------ */

static void __attribute__((format(printf, 1, 2))) report(const char *format, ...)
{
    char text[1024];
    va_list arguments;
    int before = pvm_setsbuf(0);

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fresh();
    pvm_pkstr(text);
    pvm_send(manager, REPORT);
    pvm_freebuf(pvm_setsbuf(before));
}

static void hosts_ask(void)
{
    struct pvmhostinfo *hosts;
    int count = -1, formats = -1, status[] = {99, 99};
    char *names[] = {"first", "second sp=5"};
    int result = pvm_config(&count, &formats, &hosts);

    report("config: %d, %d hosts, %d formats", result, count, formats);
    for (int i = 0; i < count; i++)
        report("  %x %s %s %d %x", (unsigned)hosts[i].hi_tid, hosts[i].hi_name, hosts[i].hi_arch,
               hosts[i].hi_speed, (unsigned)hosts[i].hi_dsig);
    report("archcode: %x", (unsigned)pvm_archcode("THIS"));
    report("archcode of none: %d", pvm_archcode("OTHER"));
    result = pvm_addhosts(names, 2, status);
    report("addhosts: %d, %x %d", result, (unsigned)status[0], status[1]);
    result = pvm_addhosts(names, 2, NULL);
    report("addhosts again: %d", result);
    status[0] = status[1] = 99;
    result = pvm_delhosts(names, 2, status);
    report("delhosts: %d, %d %d", result, status[0], status[1]);
    result = pvm_delhosts(names, 1, NULL);
    report("delhosts again: %d", result);
}

static void tasks_ask(void)
{
    struct pvmtaskinfo *tasks;
    char *words[] = {"one", "two words", NULL};
    int count = -1, tids[] = {99, 99, 99}, watched[] = {0x40001, 0x40002};
    int result = pvm_tasks(0, &count, &tasks);

    report("tasks: %d, %d", result, count);
    for (int i = 0; i < count; i++)
        report("  %x %x %x %x %s %d", (unsigned)tasks[i].ti_tid, (unsigned)tasks[i].ti_ptid,
               (unsigned)tasks[i].ti_host, (unsigned)tasks[i].ti_flag, tasks[i].ti_a_out,
               tasks[i].ti_pid);
    result = pvm_tasks(0x80000, &count, &tasks);
    report("tasks again: %d, %d", result, count);
    result = pvm_spawn("program", words, PvmTaskHost | PvmTaskTrace, "host:folder", 3, tids);
    report("spawn: %d: %x %x %d", result, (unsigned)tids[0], (unsigned)tids[1], tids[2]);
    report("spawn again: %d", pvm_spawn("program", NULL, PvmTaskDefault, NULL, 1, tids));
    report("notify: %d", pvm_notify(PvmTaskExit, OVER, 2, watched));
    report("notify of hosts: %d", pvm_notify(PvmHostAdd, OVER, -1, NULL));
    report("cancel: %d", pvm_notify(PvmHostDelete | PvmNotifyCancel, OVER, 1, watched));
    report("notify of nothing: %d", pvm_notify(PvmTaskExit, OVER, 0, watched));
}

/* What the pvmd answers whatever there is for a resource manager. */
static void others_ask(void)
{
    report("mstat: %d", pvm_mstat("no such host"));
    report("pstat: %d", pvm_pstat(manager));
    report("hostsync: %d", pvm_hostsync(manager, NULL, NULL));
    report("context: %d", pvm_newcontext() > 0);
    report("insert: %d", pvm_insert("name", 0, 1));
    report("kill: %d", pvm_kill(0x40fff));
}

static void roles_ask(void)
{
    struct pvmhostinfo *host = NULL;

    report("reg_rm: %d", pvm_reg_rm(&host));
    report("  %x %s %s %d", (unsigned)host->hi_tid, host->hi_name, host->hi_arch, host->hi_speed);
    report("reg_rm again: %d", pvm_reg_rm(NULL));
    report("reg_rm once more: %d", pvm_reg_rm(NULL));
}

static void client(void)
{
    hosts_ask();
    tasks_ask();
    others_ask();
    roles_ask();
    fresh();
    pvm_send(manager, DONE);
    pvm_recv(manager, GO);
    pvm_exit();
}

/* A task that came by itself: asks for nothing. */
static void stranger(void)
{
    pvm_mytid();
    pvm_recv(manager, GO);
    pvm_exit();
}

/* Takes the role over when it is told so, and shows what it is asked then. */
static void successor(void)
{
    int tid, tag;

    pvm_recv(manager, TAKE);
    int buffer = pvm_recv(-1, SM_TASK);
    pvm_bufinfo(buffer, NULL, &tag, &tid);
    struct pvmminfo info;
    pvm_getminfo(buffer, &info);
    info = (struct pvmminfo){.wid = info.wid};
    pvm_setopt(PvmResvTids, 1);
    fresh();
    pvm_setminfo(pvm_getsbuf(), &info);
    pvm_packf("%d", PvmDenied);
    pvm_send(tid, SM_TASK);
    report("the successor was asked");
    pvm_recv(manager, GO);
}

static void follower(void)
{
    int count;
    struct pvmtaskinfo *tasks;

    report("tasks of the follower: %d", pvm_tasks(0, &count, &tasks));
    fresh();
    pvm_send(manager, DONE);
    pvm_recv(manager, GO);
}

/* The resource manager. ------------------------------------------------------------------------ */

static void ints_see(int count)
{
    for (int value; count > 0; count--) {
        pvm_upkint(&value, 1, 1);
        printf(" %x", (unsigned)value);
    }
}

static void strings_see(int count)
{
    for (char text[1024]; count > 0; count--) {
        pvm_upkstr(text);
        printf(" '%s'", text);
    }
}

/* A number, and as many strings. */
static void list_see(void)
{
    int count;

    pvm_upkint(&count, 1, 1);
    printf(" %d:", count);
    strings_see(count);
}

static void request_see(int tag, int bytes)
{
    switch (tag) {
    case SM_ADDHOST:
    case SM_DELHOST:
        list_see();
        break;
    case SM_SPAWN:
        strings_see(1);
        ints_see(1);
        strings_see(1);
        ints_see(1);
        list_see();
        ints_see(6);
        list_see();
        break;
    default:
        ints_see(bytes / 4);
    }
    printf("\n");
    SEE(pvm_upkint(&bytes, 1, 1));
}

/* What is asked for the n-th time gets its own answer. Those of a tag, from the first on. */
static int times(int tag)
{
    static int counts[SM_LAST - SM_FIRST + 1];
    return counts[tag - SM_FIRST]++;
}

static void host_pack(int tid, char *name, char *architecture)
{
    pvm_packf("%d %s %s %d %d", tid, name, architecture, tid > 0 ? 77 : 0, tid > 0 ? 0x1234 : 0);
}

static void answer_pack(int tag)
{
    int time = times(tag);

    switch (tag) {
    case SM_CONFIG:
        pvm_packf("%d %d", 2, 1);
        host_pack(0x40000, "here", "THIS");
        host_pack(0x80000, "there", "THAT");
        break;
    case SM_TASK:
        if (time == 0)
            pvm_packf("%d %d %d %d %d %s %d", 0, 0x40077, 0x40066, 0x40000, 6, "name", 4711);
        else
            pvm_packf("%d", PvmNoHost);
        break;
    case SM_ADDHOST:
        pvm_packf("%d", time == 0 ? 2 : PvmAlready);
        if (time == 0) {
            pvm_packf("%d", 0);
            host_pack(0xc0000, "first", "THIS");
            host_pack(PvmNoHost, "", "");
        }
        break;
    case SM_DELHOST:
        if (time == 0)
            pvm_packf("%d %d %d", 2, PvmNoHost, 0);
        else
            pvm_packf("%d", PvmDenied);
        break;
    case SM_SPAWN:
        if (time == 0)
            pvm_packf("%d %d %d %d", 3, PvmNoFile, 0x40088, 0x40099);
        else
            pvm_packf("%d", PvmDenied);
        break;
    default: /* SM_SCHED */
        if (time < 2) {
            pvm_packf("%d", time == 0 ? 0 : 0x40055);
            host_pack(0x40000, "here", "THIS");
        } else {
            pvm_packf("%d", PvmAlready);
        }
    }
}

/* Serves one message; 0 when it says that all is done. */
static int serve(void)
{
    char text[1024];
    struct pvmminfo info;
    int buffer = pvm_recv(-1, -1), bytes, tag, source;

    pvm_bufinfo(buffer, &bytes, &tag, &source);
    pvm_getminfo(buffer, &info);
    if (tag == DONE)
        return 0;
    if (tag == REPORT) {
        pvm_upkstr(text);
        printf("%s\n", text);
        return 1;
    }
    printf("asked %x by %x in context %x, with a wait id: %d, %d bytes:", (unsigned)tag,
           (unsigned)source, (unsigned)info.ctx, info.wid > 0, bytes);
    request_see(tag, bytes);
    if (tag == SM_NOTIFY)
        return 1;
    info = (struct pvmminfo){.wid = info.wid};
    fresh();
    pvm_setminfo(pvm_getsbuf(), &info);
    answer_pack(tag);
    pvm_send(source, tag);
    return 1;
}

static void go(int tid)
{
    fresh();
    pvm_send(tid, GO);
}

/* Spawns a task with a role; its arguments are the role and our tid. */
static int spawn(char *role)
{
    char tid[16], *words[] = {role, tid, NULL};
    int spawned = 0;

    snprintf(tid, sizeof tid, "%d", pvm_mytid());
    printf("spawned: %d", pvm_spawn(own, words, PvmTaskDefault, nowhere, 1, &spawned));
    printf(", %x\n", (unsigned)spawned);
    return spawned;
}

/* What the pvmd tells of itself; the times that a task has used are not the same each time. */
static void told_see(int tag)
{
    struct pvmminfo info;
    int count, value, source, buffer = pvm_recv(-1, tag);

    pvm_bufinfo(buffer, NULL, NULL, &source);
    pvm_getminfo(buffer, &info);
    printf("told %x by %x in context %x, with the wait id %d:", (unsigned)tag, (unsigned)source,
           (unsigned)info.ctx, info.wid);
    pvm_upkint(&count, 1, 1);
    printf(" %x", (unsigned)count);
    if (tag == SM_TASKX)
        count = 1;
    for (int i = 0; i < count && i < 4; i++) {
        pvm_upkint(&value, 1, 1);
        printf(" %x", (unsigned)value);
    }
    printf("\n");
}

static void requests_see(void)
{
    AREA("what tasks ask");
    int asking = spawn("client");
    while (serve())
        continue;
    go(asking);
    told_see(SM_TASKX);
}

static void order(int wait, int tag)
{
    struct pvmminfo info = {.wid = wait};

    pvm_setminfo(pvm_getsbuf(), &info);
    pvm_send((int)0x80000000, tag);
}

/* An order to start tasks, as a pvmd gets it. */
static void execute(int wait, char *file, char *role, int count, int complete)
{
    char tid[16];

    snprintf(tid, sizeof tid, "%d", pvm_mytid());
    fresh();
    pvm_packf("%d %s %d %d", 0x40033, file, PvmTaskDefault, count);
    pvm_packf("%d %s %s", 2, role, tid);
    pvm_packf("%d %d %d %d %d %d", 0, 0, 0, 0, 0, 0);
    pvm_packf("%d %s", 1, "PVMCTX=0x0");
    if (complete)
        pvm_packf("%d %d", 0, count);
    order(wait, SM_EXEC);
}

static void orders_see(void)
{
    struct pvmtaskinfo *tasks;
    int count, tid, source, status;

    AREA("what it orders");
    execute(5, own, "stranger", 1, 1);
    int buffer = pvm_recv(-1, SM_EXECACK);
    struct pvmminfo info;
    pvm_getminfo(buffer, &info);
    pvm_bufinfo(buffer, NULL, NULL, &source);
    pvm_unpackf("%d %d", &count, &tid);
    printf("started by %x, wait id %d: %d, %x\n", (unsigned)source, info.wid, count, (unsigned)tid);
    wait_connected(tid);
    SEE(pvm_tasks(tid, &count, &tasks));
    SEE(tasks[0].ti_ptid);
    go(tid);
    told_see(SM_TASKX);
    execute(6, "no such program", "", 2, 1);
    told_see(SM_EXECACK);
    execute(7, own, "stranger", 0, 1); /* makes no sense: no answer */
    execute(8, own, "stranger", 1, 0); /* neither does that */
    execute(9, "no such program", "", 1, 1);
    told_see(SM_EXECACK);

    fresh();
    pvm_packf("%d %s %s %s", 3, "nosuch.", "127.0.0.2", "name zz=1");
    order(10, SM_ADD);
    buffer = pvm_recv(-1, SM_ADDACK);
    pvm_getminfo(buffer, &info);
    pvm_unpackf("%d %d", &count, &status);
    printf("added, wait id %d: %d %d\n", info.wid, count, status);
    for (int i = 0; i < count; i++) {
        char name[256], architecture[256];
        int speed, signature;

        pvm_unpackf("%d %s %s %d %d", &status, name, architecture, &speed, &signature);
        printf("  %d '%s' '%s' %d %d\n", status, name, architecture, speed, signature);
    }
    fresh();
    order(11, SM_SPAWN); /* not for the pvmd: no answer */
    SEE(pvm_pstat(pvm_mytid()));
}

static void stranger_see(void)
{
    char tid[16], path[4096];
    int status;

    AREA("a task that comes by itself");
    snprintf(tid, sizeof tid, "%d", pvm_mytid());
    pid_t process = fork();
    if (process == 0) {
        /* Where this program is, also when a tool runs it whose own file is behind the link. */
        ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
        path[length > 0 ? length : 0] = '\0';
        execl(path, own, "stranger", tid, NULL);
        _exit(1);
    }
    pvm_recv(-1, SM_EXECACK);
    int count, stranger_tid;
    pvm_unpackf("%d %d", &count, &stranger_tid);
    printf("%d: %x\n", count, (unsigned)stranger_tid);
    go(stranger_tid);
    told_see(SM_TASKX);
    SEE(waitpid(process, &status, 0) == process);
}

static void flags_see(void)
{
    struct pvmtaskinfo *tasks;
    int count = 0;

    pvm_tasks(0, &count, &tasks);
    for (int i = 0; i < count; i++)
        if (tasks[i].ti_tid != 0) /* a pvmd of 3.4.6 may still show who is just connecting */
            printf("task %x: %x\n", (unsigned)tasks[i].ti_tid, (unsigned)tasks[i].ti_flag & 0xf00);
}

static void report_see(int from)
{
    char text[1024];

    pvm_recv(from, REPORT);
    pvm_upkstr(text);
    printf("%s\n", text);
}

static void hand_over(void)
{
    AREA("another one takes over");
    int next = spawn("successor");
    fresh();
    pvm_send(next, TAKE);
    fresh();
    pvm_packf("%d", next);
    order(0, SM_HANDOFF);
    flags_see();
    int following = spawn("follower");
    report_see(next);
    report_see(following);
    go(following);
    go(next);
    told_see(SM_TASKX); /* of the successor alone: it was there before */
}

int main(int count, char **words)
{
    struct pvmhostinfo *host = NULL;

    if (count > 2) {
        manager = atoi(words[2]);
        if (strcmp(words[1], "client") == 0)
            client();
        else if (strcmp(words[1], "stranger") == 0)
            stranger();
        else if (strcmp(words[1], "successor") == 0)
            successor();
        else
            follower();
        return 0;
    }
    observe();
    SEE(pvm_reg_rm(&host));
    printf("%x %s %s %d\n", (unsigned)host->hi_tid, host->hi_name, host->hi_arch, host->hi_speed);
    SEE(pvm_reg_rm(NULL) == pvm_mytid());
    flags_see();
    pvm_setopt(PvmResvTids, 1);
    requests_see();
    orders_see();
    stranger_see();
    hand_over();
    SEE(pvm_exit());
    return 0;
}
