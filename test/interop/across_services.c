/* Tasker, hoster, tracer and resource manager: each on one host, used from others.
 *
 * across tasker, hoster, manager   roles of their own, which a hand cannot take
 */
#include "across.h"

#include <pvmproto.h>
#include <pvmtev.h>

enum { SERVING = 100, OBEYED, SERVED, HAND_OFF };

bool services_obey(const char *command, char *words, char *reply)
{
    (void)words;
    if (strcmp(command, "sinks") == 0)
        snprintf(reply, TEXT, "trace %s %d, output %s %d", place(pvm_getopt(PvmSelfTraceTid)),
                 pvm_getopt(PvmSelfTraceCode), place(pvm_getopt(PvmSelfOutputTid)),
                 pvm_getopt(PvmSelfOutputCode));
    else
        return false;
    return true;
}

/* Starts this program with a role on a host, and waits until it serves; what it tells then. */
static int serve_on(const char *name, char *role, int *told)
{
    char where[64], *words[] = {role, NULL};
    int tid = 0;

    snprintf(where, sizeof where, "%s", name);
    if (pvm_spawn("across", words, PvmTaskHost, where, 1, &tid) != 1)
        return tid;
    pvm_recv(tid, SERVING);
    pvm_upkint(told, 1, 1);
    return tid;
}

static void say(int to, int tag, int value)
{
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&value, 1, 1);
    pvm_send(to, tag);
}

/* What a service answers to an order. */
static int served(int tid, int order)
{
    int result = -1;

    say(tid, OBEYED, order);
    pvm_recv(tid, SERVED);
    pvm_upkint(&result, 1, 1);
    return result;
}

/* Ends a service; how much it has served. */
static int serve_end(int tid, int order)
{
    int result = served(tid, order);

    wait_end(tid);
    return result;
}

/* Until there are no more tasks on the host; asking wakes a pvmd of 3.4.6 that sleeps. */
static void wait_tasks(int host, int left)
{
    struct pvmtaskinfo *tasks;
    int count = left;

    do
        pvm_tasks(host, &count, &tasks);
    while (count > left);
}

/* Receives the next request of the kind, until the leader wants no more. */
static int next_request(int tag, struct pvmminfo *info)
{
    int buffer;

    for (;;) {
        buffer = pvm_recv(-1, -1);
        pvm_getminfo(buffer, info);
        if (info->tag == tag)
            return buffer;
        if (info->tag == OBEYED)
            return 0;
    }
}

/* Tasker. -------------------------------------------------------------------------------------- */

static int read_words(char **words, int most)
{
    int count = 0;

    pvm_upkint(&count, 1, 1);
    for (int i = 0; i < count && i < most; i++) {
        words[i] = malloc(TEXT);
        pvm_upkstr(words[i]);
    }
    words[count < most ? count : most] = NULL;
    return count;
}

static void tasker_start(void)
{
    char path[TEXT], *words[256], *variables[256];
    int tid, flags;

    pvm_unpackf("%d %d %s", &tid, &flags, path);
    read_words(words, 255);
    int count = read_words(variables, 255);
    fflush(stdout);
    if (fork() != 0)
        return;
    for (int i = 0; i < count; i++)
        putenv(variables[i]);
    putenv("STARTED_BY=tasker");
    execv(path, words);
    _exit(1);
}

static int tasker_main(void)
{
    struct pvmminfo info;
    int count = 0, boss = pvm_parent();

    signal(SIGCHLD, SIG_IGN);
    say(boss, SERVING, pvm_reg_tasker());
    pvm_setopt(PvmResvTids, 1);
    for (; next_request(SM_STTASK, &info) > 0; count++)
        tasker_start();
    say(boss, SERVED, count);
    return pvm_exit();
}

void tasker_see(void)
{
    for (int i = MASTER; i < FIFTH; i++) {
        int told = 99, tids[3] = {0}, tasker = serve_on(names[i], "tasker", &told);
        char *words[] = {"hand", NULL}, file[] = "across";
        printf("tasker on %s: %d\n", place(tasker), told);
        int result = pvm_spawn(file, words, PvmTaskHost, names[i], 3, tids);
        printf("spawned: %d:", result);
        for (int j = 0; j < 3; j++)
            printf(" %s started by %s", place(tids[j]), ask(tids[j], "variable STARTED_BY"));
        printf("\n");
        printf("watched: %d\n", pvm_notify(PvmTaskExit, GONE, 3, tids));
        for (int j = 0; j < 3; j++) {
            tell(tids[j], "leave");
            printf("told: %d\n", pvm_recv(-1, GONE) > 0);
        }
        printf("served: %d\n", serve_end(tasker, 0));
        int hand = hand_on(names[i]);
        printf("afterwards: %s\n", ask(hand, "variable STARTED_BY"));
        dismiss(hand);
    }
}

/* Hoster. -------------------------------------------------------------------------------------- */

/* Starts the daemon by the remote shell, and reads its line. */
static void hoster_run(const char *login, const char *command, const char *machine, char *line)
{
    char shell[5 * TEXT];

    snprintf(shell, sizeof shell, "echo PVM_VMID=%s | '%s' '%s' '%s'", machine, getenv("PVM_RSH"),
             login, command);
    FILE *output = popen(shell, "r");
    if (!output || !fgets(line, TEXT, output))
        strcpy(line, "PvmCantStart");
    line[strcspn(line, "\n")] = '\0';
    if (output)
        pclose(output);
}

static void hoster_answer(int wait)
{
    struct pvmminfo info = {.wid = wait};
    char options[TEXT], login[TEXT], command[TEXT], windows[TEXT], machine[TEXT], line[TEXT];
    int count = 0, tid = 0;

    pvm_unpackf("%d", &count);
    pvm_packf("%+ %d", PvmDataDefault, count);
    pvm_setminfo(pvm_getsbuf(), &info);
    for (int i = 0; i < count; i++) {
        pvm_unpackf("%d %s %s %s %s %s", &tid, options, login, command, windows, machine);
        hoster_run(login, command, machine, line);
        pvm_packf("%d %s", tid, line);
    }
    pvm_send((int)0x80000000, SM_STHOSTACK);
}

static int hoster_main(void)
{
    struct pvmminfo info;
    int count = 0, boss = pvm_parent(), result = pvm_reg_hoster();

    say(boss, SERVING, result);
    pvm_setopt(PvmResvTids, 1);
    for (; next_request(SM_STHOST, &info) > 0; count++)
        hoster_answer(info.wid);
    say(boss, SERVED, count);
    return pvm_exit();
}

void hoster_see(void)
{
    int told = 99, hoster = serve_on(names[THIRD], "hoster", &told), status = 99;
    char *fifth[] = {names[FIFTH]};

    printf("hoster on %s: %d\n", place(hoster), told);
    printf("served: %d\n", serve_end(hoster, 0));
    hoster = serve_on(names[MASTER], "hoster", &told);
    printf("hoster on %s: %d\n", place(hoster), told);
    int result = pvm_addhosts(fifth, 1, &status);
    printf("added: %d %s\n", result, place(status));
    printf("served: %d\n", serve_end(hoster, 0));
    int hand = hand_on(names[FIFTH]);
    printf("it works: %s\n", ask(hand, "config"));
    dismiss(hand);
    hosts_delete(fifth, 1);
}

/* Tracer. -------------------------------------------------------------------------------------- */

static int tracer_main(void)
{
    int boss = pvm_parent(), told = 0, events = 0;
    Pvmtmask mask;

    TEV_MASK_INIT(mask);
    TEV_MASK_SET(mask, TEV_MYTID);
    int result = pvm_reg_tracer(0, TRACED, 0, WRITTEN, mask, 0, PvmTraceFull);
    say(boss, SERVING, result);
    while (told == 0) {
        int tag, buffer = pvm_recv(-1, -1);
        pvm_bufinfo(buffer, NULL, &tag, NULL);
        told = tag == OBEYED;
        events += tag == TRACED;
    }
    pvm_reg_tracer(0, 0, 0, 0, mask, 0, 0);
    say(boss, SERVED, events > 0);
    return pvm_exit();
}

/* Where the events and output of a task on the host go: the word of that takes a while. */
static void sinks_see(const char *name, const char *until)
{
    char wanted[64];
    const char *sinks;

    snprintf(wanted, sizeof wanted, "trace %s ", until);
    do {
        int hand = hand_on(name);
        sinks = ask(hand, "sinks");
        dismiss(hand);
    } while (strncmp(sinks, wanted, strlen(wanted)) != 0);
    printf("%s: %s\n", name, sinks);
}

void tracer_see(void)
{
    for (int i = MASTER; i < FIFTH; i++) {
        int told = 99, tracer = serve_on(names[i], "tracer", &told);
        printf("tracer on %s: %d\n", place(tracer), told);
        for (int j = MASTER; j < FIFTH; j++)
            sinks_see(names[j], names[i]);
        printf("got events: %d\n", serve_end(tracer, 0));
        for (int j = MASTER; j < FIFTH; j++)
            sinks_see(names[j], "nowhere");
    }
}

/* Resource manager. ---------------------------------------------------------------------------- */

/* An answer to who asked. */
static void manager_begin(const struct pvmminfo *asked)
{
    struct pvmminfo info = {.wid = asked->wid};

    pvm_initsend(PvmDataDefault);
    pvm_setminfo(pvm_getsbuf(), &info);
}

/* What it is asked most: where to spawn. It has the daemon of the host that is named do it. */
static void manager_spawn(const struct pvmminfo *asked)
{
    static int wait;
    char file[TEXT], where[TEXT], *words[64], *variables[64];
    int flags, count, sinks[6], zero = 0;

    pvm_unpackf("%s %d %s %d", file, &flags, where, &count);
    int arguments = read_words(words, 63);
    pvm_upkint(sinks, 6, 1);
    int settings = read_words(variables, 63);
    struct pvmminfo order = {.wid = ++wait};
    pvm_initsend(PvmDataDefault);
    pvm_setminfo(pvm_getsbuf(), &order);
    pvm_packf("%d %s %d %d %d", asked->src, file, flags, count, arguments);
    for (int i = 0; i < arguments; i++)
        pvm_pkstr(words[i]);
    pvm_packf("%6d %d", sinks, settings);
    for (int i = 0; i < settings; i++)
        pvm_pkstr(variables[i]);
    pvm_packf("%d %d", zero, count);
    pvm_send(host_tid(where) | (int)0x80000000, SM_EXEC);
    int tids[16] = {0};
    for (int done = 0; !done;) {
        struct pvmminfo info;
        pvm_getminfo(pvm_recv(-1, SM_EXECACK), &info);
        done = info.wid == wait;
    }
    pvm_upkint(&count, 1, 1);
    pvm_upkint(tids, count, 1);
    manager_begin(asked);
    pvm_packf("%d %*d", count, count, tids);
    pvm_send(asked->src, SM_SPAWN);
}

static void manager_tell_hosts(const struct pvmminfo *asked)
{
    manager_begin(asked);
    pvm_packf("%d %d %d %s %s %d %d", 1, 1, 0x40000, "managed", "LINUX64", 5, 0);
    pvm_send(asked->src, SM_CONFIG);
}

/* A pvmd of 3.4.6 does not forget a manager that leaves: it is to hand over. */
static void manager_resign(int daemon)
{
    say(daemon | (int)0x80000000, SM_HANDOFF, 0);
}

/* Says when as many tasks have ended as the leader wants, and serves until a host is gone. */
static int manager_main(void)
{
    int boss = pvm_parent(), ended = 0, gone = 0, wanted = -1, daemon = 0;

    say(boss, SERVING, pvm_reg_rm(NULL));
    pvm_setopt(PvmResvTids, 1);
    while (!gone) {
        struct pvmminfo info;
        pvm_getminfo(pvm_recv(-1, -1), &info);
        if (info.tag == SM_SPAWN) {
            manager_spawn(&info);
        } else if (info.tag == SM_CONFIG) {
            manager_tell_hosts(&info);
        } else if (info.tag == HAND_OFF) {
            pvm_upkint(&daemon, 1, 1);
            manager_resign(daemon);
        } else if (info.tag == OBEYED) {
            pvm_upkint(&wanted, 1, 1);
        }
        ended += info.tag == SM_TASKX;
        gone = info.tag == SM_HOSTX;
        if (wanted > 0 && ended >= wanted) {
            say(boss, SERVED, wanted);
            wanted = 0;
        }
    }
    manager_resign(pvm_tidtohost(pvm_mytid()));
    say(boss, SERVED, gone);
    return pvm_exit();
}

/*
 * A manager on the master's host is known to tasks of a host that is added afterwards. It starts
 * tasks there and on its own host.
 */
void manager_see(void)
{
    int told = 99, manager = serve_on(names[MASTER], "manager", &told), status = 99;
    char *fifth[] = {names[FIFTH]};

    printf("manager on %s: %d\n", place(manager), told);
    SEE(pvm_addhosts(fifth, 1, &status));
    int hand = hand_on(names[FIFTH]);
    printf("config: %s\n", ask(hand, "config"));
    printf("spawn there: %s\n", ask(hand, "spawn %d %s 2 /bin/true", PvmTaskHost, names[FIFTH]));
    printf("spawn on the master's host: %s\n",
           ask(hand, "spawn %d %s 2 /bin/true", PvmTaskHost, names[MASTER]));
    dismiss(hand);
    say(manager, HAND_OFF, host_tid(names[FIFTH]));
    const char *table;
    do {
        hand = hand_on(names[FIFTH]);
        table = ask(hand, "config");
        dismiss(hand);
    } while (strstr(table, "managed"));
    printf("afterwards: %s\n", table);
    wait_tasks(host_tid(names[FIFTH]), 0);
    wait_tasks(host_tid(names[MASTER]), pvm_tidtohost(me) == host_tid(names[MASTER]) ? 2 : 1);
    printf("have ended: %d\n", served(manager, 5));
    hosts_delete(fifth, 1);
    printf("is gone: %d\n", serve_end(manager, 0));
}

int services_main(int count, char **words)
{
    static const struct {
        const char *name;
        int (*run)(void);
    } roles[] = {{"tasker", tasker_main},
                 {"hoster", hoster_main},
                 {"tracer", tracer_main},
                 {"manager", manager_main}};

    for (size_t i = 0; count > 0 && i < sizeof roles / sizeof roles[0]; i++)
        if (strcmp(words[0], roles[i].name) == 0)
            return roles[i].run();
    return 2;
}
