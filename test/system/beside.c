/*
 * Threads that are tasks of their own, side by side in one process.
 *
 * beside talk TASKS ROUNDS   each thread's task has a tid of its own, tells the others and a task
 *                            of another process, and hears what they say, in order; one has an
 *                            end before the others, and is missed by those that asked for word
 * beside echo                the other process: sends back whatever comes, until told
 * beside fork TASKS ROUNDS   each thread forks; the children are tasks of their own and say so
 * beside groups TASKS ROUNDS  each thread's task joins groups with the others, and has their end
 *                            while it waits for the server; afterwards there is another server
 * beside traced              the group calls of a task are told, not those of a task beside it
 * beside first               the first task is born, talks, forks and stays beside others that end
 * beside lives TASKS THREADS apart|enrolled
 *                            so many tasks are born and end, one after the other in each thread:
 *                            memory, descriptors, files and threads are as before
 *
 * Prints "ok" when all went well, or what did not.
 */
#include <malloc.h>
#include <pthread.h>
#include <pvm3.h>
#include <pvmtev.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "entries.h"
#include "fail.h"
#include "numbers.h"
#include "tasks.h"

/* A sanitizer's malloc keeps what was freed. */
#if defined __SANITIZE_THREAD__ || defined __SANITIZE_ADDRESS__
enum { COUNTS_MEMORY = 0 };
#else
enum { COUNTS_MEMORY = 1 };
#endif

enum {
    MOST = 64,
    TALK = 1,
    STOP = 2,
    END = 3,
    WORD = 4,
    LONG = 5,
    LENGTH = 3000,
    WARM = 64,
    TRACED = 4
};

static int count, rounds, parent, other;
static bool enrols;
static int tids[MOST];
static pthread_barrier_t all;
static atomic_int number;

static void run(void *(*function)(void *), int threads)
{
    pthread_t ids[MOST];
    for (int i = 0; i < threads; i++)
        expect("pthread_create", pthread_create(&ids[i], NULL, function, &tids[i]), 0);
    for (int i = 0; i < threads; i++)
        pthread_join(ids[i], NULL);
}

/* To each and from each, and to the other process and back; some longer than a ring's slot. */
static void talk_round(int me, int round)
{
    static const int bytes[LENGTH];
    for (int i = 0; i < count; i++)
        if (tids[i] != me)
            send_number(tids[i], TALK, round);
    pvm_initsend(PvmDataRaw);
    pvm_pkint((int *)bytes, LENGTH, 1);
    pvm_pkint(&round, 1, 1);
    expect("pvm_send", pvm_send(other, LONG), 0);
    for (int i = 0; i < count; i++)
        if (tids[i] != me)
            expect("what a task said", receive_number(tids[i], TALK), round);
    int back[LENGTH], last = -1;
    pvm_recv(other, LONG);
    pvm_upkint(back, LENGTH, 1);
    pvm_upkint(&last, 1, 1);
    expect("what came back", last, round);
}

static void *talk(void *own)
{
    int *me = own, gone;
    expect("tasks_begin", tasks_begin(), 0);
    *me = pvm_mytid();
    pthread_barrier_wait(&all);
    for (int i = 0; i < count; i++)
        if (&tids[i] != me && tids[i] == *me)
            fail("two tasks are t%x", (unsigned)*me);
    expect("pvm_mytid", pvm_mytid(), *me);
    expect("pvm_parent", pvm_parent(), PvmNoParent);
    if (me != &tids[0])
        expect("pvm_notify", pvm_notify(PvmTaskExit, END, 1, &tids[0]), 0);
    for (int round = 0; round < rounds; round++)
        talk_round(*me, round);
    pthread_barrier_wait(&all);
    if (me != &tids[0]) {
        expect("pvm_recv of an end", pvm_recv(-1, END) > 0, 1);
        pvm_upkint(&gone, 1, 1);
        expect("who ended", gone, tids[0]);
        expect("pvm_pstat", pvm_pstat(gone), PvmNoTask);
    }
    expect("tasks_end", tasks_end(), 0);
    return NULL;
}

static void talk_all(void)
{
    char *arguments[] = {(char *)"echo", NULL};
    int first = pvm_mytid();
    expect("pvm_spawn", pvm_spawn("beside", arguments, 0, NULL, 1, &other), 1);
    pthread_barrier_init(&all, NULL, (unsigned)count);
    run(talk, count);
    expect("the first task's tid", pvm_mytid(), first);
    send_number(other, STOP, 0);
}

static void echo(void)
{
    int id, length, tag, from;
    while ((id = pvm_recv(-1, -1)) > 0) {
        pvm_bufinfo(id, &length, &tag, &from);
        if (tag == STOP)
            return;
        pvm_setsbuf(pvm_setrbuf(0));
        pvm_send(from, tag);
        pvm_freebuf(id);
    }
}

/* One round in a group of its own; all tasks are in it, and all leave it. */
static void meet(int me, int round)
{
    char group[16];
    int sum = 1, last = count - 1;
    snprintf(group, sizeof group, "round%d", round);
    int instance = pvm_joingroup(group);
    if (instance < 0 || instance > last)
        fail("pvm_joingroup is %d", instance);
    expect("pvm_barrier", pvm_barrier(group, count), 0);
    expect("pvm_gettid", pvm_gettid(group, instance), me);
    expect("pvm_getinst", pvm_getinst(group, me), instance);
    expect("pvm_reduce", pvm_reduce(PvmSum, &sum, 1, PVM_INT, TALK, group, 0), 0);
    if (instance == 0)
        expect("a sum", sum, count);
    if (instance == last) {
        pvm_initsend(PvmDataDefault);
        pvm_pkint(&round, 1, 1);
        expect("pvm_bcast", pvm_bcast(group, WORD), 0);
    } else {
        expect("what was broadcast", receive_number(-1, WORD), round);
    }
    expect("pvm_freezegroup", pvm_freezegroup(group, count), count);
    expect("pvm_gsize", pvm_gsize(group), count);
    expect("pvm_gettid of a static group", pvm_gettid(group, instance), me);
}

static void *gather(void *own)
{
    int *me = own;
    expect("tasks_begin", tasks_begin(), 0);
    *me = pvm_mytid();
    for (int round = 0; round < rounds; round++)
        meet(*me, round);
    if (pvm_joingroup("doomed") < 0)
        fail("a task cannot join");
    expect("pvm_barrier without a server", pvm_barrier("doomed", count + 1), PvmSysErr);
    meet(*me, rounds);
    expect("tasks_end", tasks_end(), 0);
    return NULL;
}

static void *fork_some(void *own)
{
    int *me = own;
    expect("tasks_begin", tasks_begin(), 0);
    *me = pvm_mytid();
    for (int round = 0; round < rounds; round++) {
        send_number(*me, TALK, round);
        pid_t child = fork();
        if (child == 0) {
            if (pvm_mytid() == *me)
                fail("a child is its parent");
            send_number(*me, WORD, round);
            pvm_exit();
            _exit(0);
        }
        int status = -1;
        expect("what the child says", receive_number(-1, WORD), round);
        expect("what the task says", receive_number(*me, TALK), round);
        waitpid(child, &status, 0);
        expect("a child's end", status, 0);
    }
    expect("tasks_end", tasks_end(), 0);
    return NULL;
}

static void *end_beside(void *tid)
{
    expect("tasks_end in the first task", tasks_end(), PvmBadParam);
    expect("pvm_mytid of a thread that is bound to none", pvm_mytid(), parent);
    expect("tasks_begin", tasks_begin(), 0);
    if (pvm_mytid() == parent)
        fail("a task is the first one");
    send_number(parent, TALK, *(int *)tid = pvm_mytid());
    expect("tasks_end", tasks_end(), 0);
    expect("pvm_mytid afterwards", pvm_mytid(), parent);
    return NULL;
}

static void first_stays(void)
{
    parent = pvm_mytid();
    for (int i = 0; i < 4; i++) {
        run(end_beside, 1);
        expect("who spoke", receive_number(tids[0], TALK), tids[0]);
    }
    pid_t child = fork();
    if (child == 0)
        _exit(pvm_mytid() == parent);
    int status = -1;
    waitpid(child, &status, 0);
    expect("the child's end", status, 0);
    expect("pvm_mytid", pvm_mytid(), parent);
}

/* The first task is told of such calls; of none with TEV_FIRST. */
static void trace_calls(int event)
{
    Pvmtmask mask;
    TEV_MASK_INIT(mask);
    if (event != TEV_FIRST)
        TEV_MASK_SET(mask, event);
    pvm_settmask(PvmTaskSelf, mask);
    pvm_setopt(PvmSelfTraceOptions, PvmTraceFull);
    pvm_setopt(PvmSelfTraceTid, parent);
    pvm_setopt(PvmSelfTraceCode, END);
}

/* One of two tasks is traced. The other one speaks of its settings last, each time. */
static void *join_traced(void *own)
{
    char group[] = "traced 0";
    int *me = own;
    expect("tasks_begin", tasks_begin(), 0);
    *me = pvm_mytid();
    if (me == &tids[0])
        trace_calls(TEV_JOINGROUP);
    for (int round = 0; round < TRACED; round++, group[sizeof group - 2]++) {
        pthread_barrier_wait(&all);
        if (me != &tids[0])
            trace_calls(TEV_FIRST);
        pthread_barrier_wait(&all);
        if (pvm_joingroup(group) < 0)
            fail("a task cannot join");
    }
    send_number(parent, WORD, 0);
    expect("tasks_end", tasks_end(), 0);
    return NULL;
}

/* Each call has an entry and an exit. */
static void join_some(void)
{
    parent = pvm_mytid();
    pthread_barrier_init(&all, NULL, 2);
    run(join_traced, 2);
    for (int i = 0; i < 2; i++) {
        int told = 0;
        receive_number(tids[i], WORD);
        while (pvm_nrecv(tids[i], END) > 0)
            told++;
        expect("events that were told", told, i == 0 ? 2 * TRACED : 0);
    }
}

static long pages(void)
{
    long size = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (fscanf(file, "%ld %ld", &size, &resident) != 2)
        resident = -1;
    fclose(file);
    return resident;
}

/* A life: what a task can have is had, sent, received and left lying about. */
static void live(int left)
{
    struct pvmtaskinfo *tasks;
    int found, own;
    expect("tasks_begin", tasks_begin(), 0);
    for (int i = 0; i < 3; i++)
        pvm_mkbuf(PvmDataRaw);
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&left, 1, 1);
    if (enrols) {
        own = pvm_mytid();
        if (own <= 0)
            fail("pvm_mytid is %d", own);
        pvm_send(own, TALK);
        pvm_send(own, TALK);
        expect("what a task told itself", receive_number(own, TALK), left);
        if (left % 16 == 0)
            pvm_tasks(own, &found, &tasks);
        if (left % 4 == 0)
            pvm_notify(PvmTaskExit, END, 1, &own);
    }
    expect("tasks_end", tasks_end(), 0);
}

static void *live_on(void *unused)
{
    (void)unused;
    for (int left; (left = atomic_fetch_sub(&number, 1)) > 0;)
        live(left);
    return NULL;
}

/*
 * Lives so many lives. Tells how many bytes of the heap, and pages of the machine, are taken more
 * than before.
 */
static void live_counted(int lives, int threads, long *bytes, long *of_machine)
{
    long page_count = pages();
    size_t used = mallinfo2().uordblks;
    atomic_store(&number, lives);
    run(live_on, threads);
    malloc_trim(0);
    *bytes = (long)mallinfo2().uordblks - (long)used;
    *of_machine = pages() - page_count;
}

static void live_many(int lives, int threads)
{
    /* A pool of the library fills once, when a thread is far behind another one; a leak goes on. */
    enum { TRIES = 3 };
    long bytes, of_machine;
    mallopt(M_ARENA_MAX, 1); /* mallinfo2 counts no other */
    atomic_store(&number, WARM * threads);
    run(live_on, threads);
    malloc_trim(0);
    int descriptors = entries("/proc/self/fd"), tasks = entries("/proc/self/task");
    int files = entries(getenv("PVM_TMP"));
    for (int i = 0; i < TRIES; i++) {
        live_counted(lives, threads, &bytes, &of_machine);
        expect("descriptors", entries("/proc/self/fd"), descriptors);
        expect("threads", entries("/proc/self/task"), tasks);
        expect("files", entries(getenv("PVM_TMP")), files);
        /* A byte for each would be a leak of nothing that there is. */
        if (!COUNTS_MEMORY || (bytes <= lives && of_machine <= 512))
            return;
    }
    fail("%ld bytes and %ld pages are left behind each time", bytes, of_machine);
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    count = argc > 2 ? atoi(argv[2]) : 1;
    rounds = argc > 3 ? atoi(argv[3]) : 1;
    if (strcmp(way, "talk") == 0) {
        talk_all();
    } else if (strcmp(way, "groups") == 0) {
        run(gather, count);
    } else if (strcmp(way, "fork") == 0) {
        run(fork_some, count);
    } else if (strcmp(way, "traced") == 0) {
        join_some();
    } else if (strcmp(way, "first") == 0) {
        first_stays();
    } else if (strcmp(way, "lives") == 0) {
        enrols = strcmp(argv[4], "enrolled") == 0;
        live_many(count, rounds);
    } else {
        echo();
        pvm_exit();
        return 0;
    }
    pvm_exit();
    printf("ok\n");
    return 0;
}
