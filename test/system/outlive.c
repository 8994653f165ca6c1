/*
 * Messages that outlive the tasks that made them: tasks of one process send, and end before any of
 * their messages has been unpacked, by the first task of their process and by another process.
 *
 * outlive receive           the other process: tells its tid, and obeys
 * outlive send TID ROUNDS shared|daemon|direct
 *                           in each round tasks send to the first task and to the other process,
 *                           which receive half of the messages, see the tasks end, and then unpack
 *                           all, and pass some on. The process ends before the last are unpacked.
 *
 * Both processes wait after each round until they have about as many descriptors and mappings as
 * after the first ones. Prints "ok" when all went well, or what did not.
 */
#include <dirent.h>
#include <limits.h>
#include <pthread.h>
#include <pvm3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "fail.h"
#include "tasks.h"

enum {
    TASKS = 8,
    KINDS = 6,
    LONG = 75001,
    WARM = 3,
    ORDER = 1,
    DONE,
    HELLO,
    READY,
    NOTHING,
    GONE,
    PASSED,
    MADE = 100
};
enum order { GREET, HOLD, CHECK, LAST };

/* What a task sends, by number. Whatever it leaves in an array afterwards must not be seen. */
static const struct kind {
    const char *name;
    int encoding, length;
    bool array; /* by pvm_psend */
} kinds[KINDS] = {
    {"a short one", PvmDataDefault, 1, false},      {"some", PvmDataRaw, 3000, false},
    {"many", PvmDataDefault, LONG, false},          {"many as they are", PvmDataRaw, LONG, false},
    {"many in place", PvmDataInPlace, LONG, false}, {"an array", PvmDataRaw, LONG, true},
};

/* Messages of each task that have been received and not been unpacked. */
static int held[TASKS][KINDS];
static int tids[TASKS], other, first, route = PvmAllowDirect;
static bool shared; /* large messages go through shared memory */
static pthread_barrier_t all;

static int value_of(int tid, int kind, int place)
{
    return tid * 31 + kind * 7 + place;
}

/* Sends to both, and overwrites what was sent. */
static void make(int me, int kind)
{
    static _Thread_local int values[LONG];
    const struct kind *what = &kinds[kind];
    int to[] = {first, other};
    for (int i = 0; i < what->length; i++)
        values[i] = value_of(me, kind, i);
    if (!what->array) {
        pvm_initsend(what->encoding);
        pvm_pkint(values, what->length, 1);
    }
    for (int i = 0; i < 2; i++)
        expect("a send",
               what->array ? pvm_psend(to[i], MADE + kind, (char *)values, what->length, PVM_INT)
                           : pvm_send(to[i], MADE + kind),
               0);
    memset(values, -1, sizeof values);
}

static void say(int to, int tag)
{
    pvm_initsend(PvmDataDefault);
    pvm_send(to, tag);
}

/* When the answer comes, the way is there that the next messages take. */
static void greet(int whom)
{
    say(whom, HELLO);
    pvm_recv(whom, HELLO);
}

static void answer_greetings(void)
{
    for (int i = 0; i < TASKS; i++) {
        int from;
        pvm_bufinfo(pvm_recv(-1, HELLO), NULL, NULL, &from);
        say(from, HELLO);
    }
}

static void *live(void *own)
{
    int *me = own;
    expect("tasks_begin", tasks_begin(), 0);
    pvm_setopt(PvmRoute, route);
    *me = pvm_mytid();
    greet(first);
    greet(other);
    for (int kind = 0; kind < KINDS; kind++)
        make(*me, kind);
    say(first, READY);
    pthread_barrier_wait(&all);
    expect("tasks_end", tasks_end(), 0);
    return NULL;
}

/* How many descriptors and mappings of memory that is shared there are, and how large those are. */
static int belongings(size_t *bytes)
{
    char line[512];
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    FILE *maps = fopen("/proc/self/maps", "r");
    *bytes = 0;
    while (readdir(folder))
        count++;
    while (fgets(line, sizeof line, maps)) {
        size_t start, end;
        if (strstr(line, "memfd:") && sscanf(line, "%zx-%zx", &start, &end) == 2) {
            *bytes += end - start;
            count++;
        }
    }
    fclose(maps);
    closedir(folder);
    return count;
}

/* Receives without unpacking what half of the tasks have made. */
static void hold(void)
{
    size_t bytes;
    for (int task = 0; task < TASKS; task += 2)
        for (int kind = 0; kind < KINDS; kind++) {
            held[task][kind] = pvm_recv(tids[task], MADE + kind);
            pvm_setrbuf(0);
        }
    belongings(&bytes);
    if (shared && !other && bytes < (size_t)TASKS / 2 * LONG * sizeof(int))
        fail("only %zu bytes are shared", bytes);
}

/* The active receive buffer has what the task made. */
static void check(int buffer, int task, int kind)
{
    static int values[LONG];
    const struct kind *what = &kinds[kind];
    int bytes;
    pvm_bufinfo(buffer, &bytes, NULL, NULL);
    expect(what->name, bytes, what->length * (int)sizeof *values);
    expect(what->name, pvm_upkint(values, what->length, 1), 0);
    for (int i = 0; i < what->length; i++)
        expect(what->name, values[i], value_of(tids[task], kind, i));
    pvm_freebuf(buffer);
}

/* Unpacks all. The first task passes on to the other process what the first of those made. */
static void check_all(void)
{
    for (int task = 0; task < TASKS; task++)
        for (int kind = 0; kind < KINDS; kind++) {
            int buffer = held[task][kind];
            held[task][kind] = 0;
            if (!buffer)
                buffer = pvm_recv(tids[task], MADE + kind);
            if (other && task == 0) {
                pvm_setsbuf(buffer);
                expect("a message passed on", pvm_send(other, PASSED + kind), 0);
                pvm_setsbuf(0);
            }
            pvm_setrbuf(buffer);
            check(buffer, task, kind);
        }
    for (int kind = 0; !other && kind < KINDS; kind++)
        check(pvm_recv(-1, PASSED + kind), 0, kind);
}

/*
 * What is kept for later is made in the first rounds, and may grow a little afterwards. What ended
 * tasks had goes in idle moments.
 */
static void check_belongings(int round)
{
    static int least = INT_MAX - TASKS;
    size_t bytes;
    int now;
    do {
        pvm_trecv(-1, NOTHING, &(struct timeval){.tv_usec = 1000});
        now = belongings(&bytes);
    } while (round > WARM && now > least + TASKS);
    if (round >= WARM && now < least)
        least = now;
}

static void order(int what)
{
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&what, 1, 1);
    pvm_pkint(&(int){shared}, 1, 1);
    pvm_pkint(tids, TASKS, 1);
    pvm_send(other, ORDER);
}

/* A round but for what comes behind the tasks' end. */
static void live_together(void)
{
    pthread_t threads[TASKS];
    order(GREET);
    for (int i = 0; i < TASKS; i++)
        expect("pthread_create", pthread_create(&threads[i], NULL, live, &tids[i]), 0);
    answer_greetings();
    for (int i = 0; i < TASKS; i++)
        pvm_recv(-1, READY);
    order(HOLD);
    hold();
    pvm_recv(other, DONE);
    pthread_barrier_wait(&all);
    for (int i = 0; i < TASKS; i++)
        pthread_join(threads[i], NULL);
}

static void send(int rounds)
{
    first = pvm_mytid();
    pthread_barrier_init(&all, NULL, TASKS + 1);
    for (int round = 0; round < rounds; round++) {
        live_together();
        order(CHECK);
        check_all();
        pvm_recv(other, DONE);
        check_belongings(round);
    }
    live_together();
    order(LAST);
    check_all();
}

static void receive(void)
{
    printf("%d\n", pvm_mytid());
    fflush(stdout);
    for (int round = 0, what = HOLD, large; what != LAST;) {
        pvm_bufinfo(pvm_recv(-1, ORDER), NULL, NULL, &first);
        pvm_upkint(&what, 1, 1);
        pvm_upkint(&large, 1, 1);
        pvm_upkint(tids, TASKS, 1);
        shared = large;
        if (what == GREET) {
            answer_greetings();
            continue;
        }
        if (what == LAST) {
            pvm_notify(PvmTaskExit, GONE, 1, &first);
            pvm_recv(-1, GONE);
        }
        if (what == HOLD)
            hold();
        else
            check_all();
        if (what == CHECK)
            check_belongings(round++);
        say(first, DONE);
    }
}

int main(int argc, char **argv)
{
    if (argc == 2) {
        receive();
    } else {
        other = atoi(argv[2]);
        shared = strcmp(argv[4], "shared") == 0;
        if (strcmp(argv[4], "direct") == 0)
            route = PvmRouteDirect;
        send(atoi(argv[3]));
    }
    printf("ok\n");
    pvm_exit();
    return 0;
}
