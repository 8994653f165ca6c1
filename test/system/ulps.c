/*
 * ulps.c - user-level processes as tasks.
 *
 * usage: ulps many COUNT       so many in one process: their variables, process, end
 *        ulps hosts            on all hosts, one process on each
 *        ulps ends             each way to end, told by pvm_notify
 *        ulps killed COUNT     half of them, the others go on
 *        ulps parts COUNT      the parent ends at the same time as they do
 *        ulps groups           they meet in a group, whose server is started by one of them
 *        ulps lives COUNT      one after the other; nothing is left of them
 *        ulps greedy COUNT     one after the other, none of which frees its memory
 *        ulps overrun          one of two overruns its stack
 *        ulps exports COUNT    each exports a variable of its own to a process
 *        ulps wrong            what cannot be started
 * Prints ok. It is the child, too.
 */
#include <fcntl.h>
#include <pthread.h>
#include <pvm3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fail.h"
#include "numbers.h"

enum { HELLO = 1, GO, AGAIN, GONE, MOST = 1000, HOSTS = 3, MEMBERS = 8 };

/* Bytes that one takes: a half in small blocks. */
enum { TAKEN = 5 << 20, BLOCK = 1 << 10 };

static int tids[MOST], counted;

/* The child. ----------------------------------------------------------------------------------- */

static void *exit_elsewhere(void *argument)
{
    exit(*(int *)argument);
}

static int end_as(const char *word)
{
    pthread_t thread;
    static int status = 3;
    if (strcmp(word, "exit") == 0)
        exit(3);
    if (strcmp(word, "_exit") == 0)
        _exit(3);
    if (strcmp(word, "abort") == 0)
        abort();
    if (strcmp(word, "pthread_exit") == 0)
        pthread_exit(NULL);
    if (strcmp(word, "pvm_exit") == 0)
        pvm_exit();
    if (strcmp(word, "elsewhere") == 0) {
        pthread_create(&thread, NULL, exit_elsewhere, &status);
        receive_number(-1, GO); /* never comes */
    }
    return 0;
}

/* None is closed. */
static void open_files(void)
{
    int ends[2];
    expect("open", open("/dev/null", O_RDONLY) >= 0, 1);
    expect("fopen", fopen("/dev/null", "w") != NULL, 1);
    expect("fdopen", fdopen(dup(1), "w") != NULL, 1);
    expect("socket", socket(AF_UNIX, SOCK_STREAM, 0) >= 0, 1);
    expect("pipe", pipe(ends), 0);
    expect("popen", popen("cat", "w") != NULL, 1);
    expect("tmpfile", tmpfile() != NULL, 1);
    expect("close", close(open("/dev/null", O_RDONLY)), 0);
    expect("fclose", fclose(fopen("/dev/null", "w")), 0);
}

/* What is taken stays in use. */
static void take_memory(void)
{
    for (int i = 0; i < TAKEN / BLOCK; i++)
        *(char **)memset(malloc(BLOCK), 1, BLOCK) = NULL;
    memset(malloc(TAKEN), 1, TAKEN);
}

static int overrun(int depth)
{
    volatile char room[4096];
    room[depth % 100] = (char)depth;
    return overrun(depth + 1) + room[0];
}

/* All ask for the server at the same time. */
static int meet(void)
{
    int instance = pvm_joingroup("g");
    return instance < 0 ? instance : pvm_barrier("g", MEMBERS);
}

/* What it exports is sent to its parent by a task that it spawns. */
static void export_own(int parent)
{
    char value[20];
    int tid;
    snprintf(value, sizeof value, "%d", pvm_mytid());
    setenv("ULPS_OWN", value, 1);
    pvm_export("ULPS_OWN");
    expect("pvm_spawn", pvm_spawn("ulps", (char *[]){"exported", NULL}, 0, NULL, 1, &tid), 1);
    send_number(parent, AGAIN, receive_number(tid, AGAIN));
    pvm_unexport("ULPS_OWN");
    expect("pvm_spawn", pvm_spawn("ulps", (char *[]){"exported", NULL}, 0, NULL, 1, &tid), 1);
    send_number(parent, AGAIN, receive_number(tid, AGAIN));
}

static int be_child(char **argv)
{
    int facts[] = {++counted, getpid()};
    int parent = pvm_parent();
    void *place = &counted;
    pvm_initsend(PvmDataRaw);
    pvm_pkint(facts, 2, 1);
    pvm_pkbyte((char *)&place, sizeof place, 1);
    expect("pvm_send", pvm_send(parent, HELLO), 0);
    if (strcmp(argv[2], "open") == 0)
        open_files();
    if (strcmp(argv[2], "take") == 0)
        take_memory();
    if (strcmp(argv[2], "meet") == 0)
        send_number(parent, AGAIN, meet());
    if (strcmp(argv[2], "export") == 0)
        export_own(parent);
    if (strcmp(argv[2], "overrun") == 0)
        return overrun(0);
    if (strcmp(argv[2], "stay") != 0)
        return end_as(argv[2]);
    while (receive_number(parent, -1) != GO)
        send_number(parent, AGAIN, ++counted);
    return 0;
}

/* The parent. ---------------------------------------------------------------------------------- */

static void start(int count, const char *how, int flags, const char *where)
{
    char word[20];
    snprintf(word, sizeof word, "%s", how);
    expect(
        "pvm_spawn",
        pvm_spawn("ulps", (char *[]){"child", word, NULL}, PvmTaskUlp | flags, where, count, tids),
        count);
    expect("pvm_notify", pvm_notify(PvmTaskExit, GONE, count, tids), 0);
}

/* What one of them has said. */
static void *greet(int from, int *pid)
{
    int facts[2];
    void *place;
    expect("pvm_recv", pvm_recv(from, HELLO) > 0, 1);
    pvm_upkint(facts, 2, 1);
    pvm_upkbyte((char *)&place, sizeof place, 1);
    expect("its own variable", facts[0], 1);
    *pid = facts[1];
    return place;
}

static void tell(int count, int what)
{
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&what, 1, 1);
    expect("pvm_mcast", pvm_mcast(tids, count, GO), 0);
}

static void await_ends(int count)
{
    for (int i = 0; i < count; i++)
        expect("a word of an end", pvm_recv(-1, GONE) > 0, 1);
}

static int compare(const void *one, const void *other)
{
    const char *a = *(char *const *)one, *b = *(char *const *)other;
    return (a > b) - (a < b);
}

static void many(int count)
{
    static void *places[MOST];
    int first, pid;
    start(count, "stay", PvmTaskDefault, NULL);
    for (int i = 0; i < count; i++) {
        places[i] = greet(tids[i], i == 0 ? &first : &pid);
        expect("one process", i == 0 || pid == first, 1);
    }
    expect("not this process", first != getpid(), 1);
    qsort(places, (size_t)count, sizeof *places, compare);
    for (int i = 1; i < count; i++)
        expect("a place of its own", places[i] != places[i - 1], 1);
    tell(count, AGAIN);
    for (int i = 0; i < count; i++)
        expect("its own variable", receive_number(tids[i], AGAIN), 2);
    tell(count, GO);
    await_ends(count);
}

static void hosts(void)
{
    int pids[2 * HOSTS];
    start(2 * HOSTS, "stay", PvmTaskDefault, NULL);
    for (int i = 0; i < 2 * HOSTS; i++)
        greet(tids[i], &pids[i]);
    for (int i = 0; i < 2 * HOSTS; i++)
        for (int j = 0; j < i; j++)
            expect("a process on each host", pids[i] == pids[j],
                   pvm_tidtohost(tids[i]) == pvm_tidtohost(tids[j]));
    tell(2 * HOSTS, GO);
    await_ends(2 * HOSTS);
}

static void ends(void)
{
    static const char *const ways[] = {"return",       "exit",     "_exit",    "abort",
                                       "pthread_exit", "pvm_exit", "elsewhere"};
    int pid;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        start(2, ways[i], PvmTaskDefault, NULL);
        greet(tids[0], &pid);
        greet(tids[1], &pid);
        await_ends(2);
    }
}

static void killed(int count)
{
    int pid;
    start(count, "stay", PvmTaskDefault, NULL);
    for (int i = 0; i < count; i++)
        greet(tids[i], &pid);
    for (int i = count / 2; i < count; i++)
        expect("pvm_kill", pvm_kill(tids[i]), 0);
    await_ends(count - count / 2);
    tell(count / 2, AGAIN);
    for (int i = 0; i < count / 2; i++)
        expect("goes on", receive_number(tids[i], AGAIN), 2);
    tell(count / 2, GO);
    await_ends(count / 2);
}

/* They have a link from the parent, whose end they see amid their own. */
static void part(int count)
{
    int pid;
    start(count, "stay", PvmTaskDefault, NULL);
    for (int i = 0; i < count; i++) {
        greet(tids[i], &pid);
        send_number(tids[i], AGAIN, 0);
        receive_number(tids[i], AGAIN);
    }
    tell(count, GO);
}

static void groups(void)
{
    int pid;
    start(MEMBERS, "meet", PvmTaskDefault, NULL);
    for (int i = 0; i < MEMBERS; i++) {
        greet(tids[i], &pid);
        expect("a barrier", receive_number(tids[i], AGAIN), 0);
    }
    await_ends(MEMBERS);
}

/* How much the process has mapped, and how many files it has open. */
static void measure(int pid, int *maps, int *files)
{
    char command[100];
    snprintf(command, sizeof command, "wc -l < /proc/%d/maps; ls /proc/%d/fd | wc -l", pid, pid);
    FILE *told = popen(command, "r");
    expect("the process can be measured", fscanf(told, "%d %d", maps, files), 2);
    pclose(told);
}

static void lives(int count)
{
    enum { WARM_UP = 20, FEW = 30 }; /* one whose thread is about to end has some ten */
    int holder, pid, maps, files, maps_before = 0, files_before = 0;
    start(1, "stay", PvmTaskDefault, NULL);
    int stays = tids[0];
    greet(stays, &holder);
    for (int i = 0; i < count; i++) {
        if (i == WARM_UP)
            measure(holder, &maps_before, &files_before);
        start(1, i % 2 == 0 ? "return" : "open", PvmTaskDefault, NULL);
        greet(tids[0], &pid);
        expect("one process", pid, holder);
        await_ends(1);
    }
    measure(holder, &maps, &files);
    expect("maps", maps < maps_before + FEW, 1);
    expect("files", files < files_before + FEW, 1);
    tids[0] = stays;
    tell(1, GO);
    await_ends(1);
}

/* The kilobytes of memory that the process has in use. */
static int memory_of(int pid)
{
    char command[100];
    int kilobytes;
    snprintf(command, sizeof command, "grep VmRSS /proc/%d/status", pid);
    FILE *told = popen(command, "r");
    expect("the process can be measured", fscanf(told, "VmRSS: %d", &kilobytes), 1);
    pclose(told);
    return kilobytes;
}

static void greedy(int count)
{
    enum { WARM_UP = 5 };
    int holder, pid, before = 0;
    start(1, "stay", PvmTaskDefault, NULL);
    int stays = tids[0];
    greet(stays, &holder);
    for (int i = 0; i < count; i++) {
        if (i == WARM_UP)
            before = memory_of(holder);
        start(1, "take", PvmTaskDefault, NULL);
        greet(tids[0], &pid);
        expect("one process", pid, holder);
        await_ends(1);
    }
    int more = memory_of(holder) - before;
    if (more > 2 * 2 * TAKEN / 1024)
        fail("%d kilobytes are left", more);
    tids[0] = stays;
    tell(1, GO);
    await_ends(1);
}

/* It takes the process with it. */
static void end_by_overrun(void)
{
    int pid;
    start(1, "stay", PvmTaskDefault, NULL);
    greet(tids[0], &pid);
    start(1, "overrun", PvmTaskDefault, NULL);
    greet(tids[0], &pid);
    await_ends(2);
}

static void exports(int count)
{
    int pid;
    start(count, "export", PvmTaskDefault, NULL);
    for (int i = 0; i < count; i++) {
        greet(tids[i], &pid);
        expect("what it exports", receive_number(tids[i], AGAIN), tids[i]);
        expect("no more", receive_number(tids[i], AGAIN), 0);
    }
    await_ends(count);
}

static int be_exported(void)
{
    const char *value = getenv("ULPS_OWN");
    send_number(pvm_parent(), AGAIN, value ? atoi(value) : 0);
    pvm_exit();
    return 0;
}

static void wrong(void)
{
    pvm_setopt(PvmAutoErr, 0);
    expect("no host", pvm_spawn("ulps", NULL, PvmTaskUlp | PvmTaskHost, "nowhere", 1, tids), 0);
    expect("its code", tids[0], PvmNoHost);
    setenv("PVM_TASKS", "threads", 1);
    expect("no kind of task", pvm_spawn("ulps", NULL, PvmTaskDefault, NULL, 1, tids), PvmBadParam);
}

int main(int argc, char **argv)
{
    const char *scene = argc > 1 ? argv[1] : "";
    int count = argc > 2 ? atoi(argv[2]) : 0;
    if (strcmp(scene, "child") == 0)
        return be_child(argv);
    if (strcmp(scene, "exported") == 0)
        return be_exported();
    expect("pvm_mytid", pvm_mytid() > 0, 1);
    if (strcmp(scene, "many") == 0)
        many(count);
    else if (strcmp(scene, "hosts") == 0)
        hosts();
    else if (strcmp(scene, "ends") == 0)
        ends();
    else if (strcmp(scene, "killed") == 0)
        killed(count);
    else if (strcmp(scene, "parts") == 0)
        part(count);
    else if (strcmp(scene, "groups") == 0)
        groups();
    else if (strcmp(scene, "lives") == 0)
        lives(count);
    else if (strcmp(scene, "greedy") == 0)
        greedy(count);
    else if (strcmp(scene, "overrun") == 0)
        end_by_overrun();
    else if (strcmp(scene, "exports") == 0)
        exports(count);
    else
        wrong();
    puts("ok");
    pvm_exit();
    return 0;
}
