/*
 * Thread tasks on other hosts, and of other programs.
 *
 * thread_hosts spread            on all other hosts by one call, in one process on each
 * thread_hosts parents           lists tell who has spawned them
 * thread_hosts own               where the own host has a part, that is in the own process
 * thread_hosts program           functions of another program, on all hosts
 * thread_hosts wrong SCRIPT      what cannot be started; SCRIPT runs and makes no call
 * thread_hosts limit             more than a process may hold
 * thread_hosts printed           what they print comes to the parent
 * thread_hosts killed            the process that holds them is killed
 * thread_hosts ended             one of them is killed
 * thread_hosts crash             a function ends the process before its spawner is answered
 * thread_hosts one HOST          a task there; prints its tid and process, and stays until input ends
 * thread_hosts leave HOST        the same, but the task stays when this one has ended, and prints no more
 * thread_hosts storm N           N times, some, which may be killed at any time
 * thread_hosts beside            threads of one task spawn at once, and a message handler
 * thread_hosts lost              the host of some is lost
 * thread_hosts tell TID          tells a task that it may end
 */
#include <pthread.h>
#include <pvm3.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fail.h"
#include "numbers.h"

enum { HELLO = 1, GO, GONE, MOST = 64, CONTEXT = 7 };

static int tids[MOST], pids[MOST];

/* Tells its parent its process, and ends when it is told to. */
int stay(int count, char **words)
{
    int parent = pvm_parent();
    expect("words", count, 2);
    expect("the word", strcmp(words[1], "word"), 0);
    send_number(parent, HELLO, getpid());
    receive_number(-1, GO);
    return 0;
}

int stay_alone(int count, char **words)
{
    (void)count, (void)words;
    receive_number(-1, GO);
    return 0;
}

int crash(int count, char **words)
{
    (void)count, (void)words;
    _exit(3);
}

static int speak(int count, char **words)
{
    (void)count, (void)words;
    printf("I am t%x\n", pvm_mytid());
    return 0;
}

/* Has siblings and the context of its parent. */
int describe(int count, char **words)
{
    int *siblings, context = pvm_getcontext(), siblings_known = pvm_siblings(&siblings);
    (void)count, (void)words;
    expect("context", context, CONTEXT);
    expect("option", pvm_getopt(PvmRoute), PvmAllowDirect);
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&siblings_known, 1, 1);
    pvm_pkint(siblings, siblings_known, 1);
    expect("pvm_send", pvm_send(pvm_parent(), HELLO), 0);
    return 0;
}

static int spawn(const char *name, int flag, const char *where, int count)
{
    return pvm_spawn(name, (char *[]){"word", NULL}, flag | PvmTaskThread, where, count, tids);
}

/* Tasks of `stay`; in which process each of them is. */
static void spawn_staying(const char *name, int flag, const char *where, int count)
{
    expect("pvm_spawn", spawn(name, flag, where, count), count);
    for (int i = 0; i < count; i++)
        pids[i] = receive_number(tids[i], HELLO);
}

static void watch(int count)
{
    expect("pvm_notify", pvm_notify(PvmTaskExit, GONE, count, tids), 0);
}

static void await_ends(int count)
{
    for (int i = 0; i < count; i++)
        receive_number(-1, GONE);
}

static void let_go(int count)
{
    watch(count);
    for (int i = 0; i < count; i++)
        send_number(tids[i], GO, 0);
    await_ends(count);
}

static int host_of(int tid)
{
    return pvm_tidtohost(tid);
}

/* Four tasks in two processes, on two hosts, neither of which is this one. */
static void check_pairs(void)
{
    expect("the host of the first two", host_of(tids[1]), host_of(tids[0]));
    expect("the host of the last two", host_of(tids[3]), host_of(tids[2]));
    expect("another host", host_of(tids[0]) != host_of(tids[2]), 1);
    for (int i = 0; i < 4; i++)
        expect("not this host", host_of(tids[i]) != host_of(pvm_mytid()), 1);
    expect("the process of the first two", pids[1], pids[0]);
    expect("the process of the last two", pids[3], pids[2]);
    expect("another process", pids[0] != pids[2] && pids[0] != getpid(), 1);
}

static void spread(void)
{
    spawn_staying("stay", PvmTaskHost | PvmHostCompl, ".", 4);
    check_pairs();
    int first[2] = {pids[0], pids[2]}, old[4];
    memcpy(old, tids, sizeof old);
    spawn_staying("registered name", PvmTaskHost | PvmHostCompl, ".", 4);
    check_pairs();
    expect("the same processes",
           (pids[0] == first[0] && pids[2] == first[1]) ||
               (pids[0] == first[1] && pids[2] == first[0]),
           1);
    let_go(4);
    memcpy(tids, old, sizeof old);
    let_go(4);
    pvm_setcontext(CONTEXT);
    expect("pvm_spawn", spawn("describe", PvmTaskHost | PvmHostCompl, ".", 4), 4);
    for (int i = 0; i < 4; i++) {
        int count, siblings[4];
        expect("pvm_recv", pvm_recv(tids[i], HELLO) > 0, 1);
        pvm_upkint(&count, 1, 1);
        expect("siblings", count, 4);
        pvm_upkint(siblings, 4, 1);
        expect("who they are", memcmp(siblings, tids, sizeof siblings), 0);
    }
}

static void parents(void)
{
    const int flags[] = {PvmTaskHost | PvmHostCompl, PvmNoSpawnParent | PvmTaskHost | PvmHostCompl};
    for (int hidden = 0; hidden < 2; hidden++) {
        expect("pvm_spawn", spawn("stay_alone", flags[hidden], ".", 4), 4);
        for (int i = 0; i < 4; i++) {
            int count;
            struct pvmtaskinfo *info;
            expect("pvm_tasks", pvm_tasks(tids[i], &count, &info), 0);
            expect("parent", info->ti_ptid, hidden ? PvmParentNotSet : pvm_mytid());
        }
        let_go(4);
    }
}

/* Host by host, round all: the next spawn begins where the last has ended. */
static void own(void)
{
    int here = 0, next = 0;
    spawn_staying("thread_hosts:stay", PvmTaskDefault, NULL, 2);
    expect("the next two hosts",
           host_of(tids[0]) != host_of(pvm_mytid()) && host_of(tids[1]) != host_of(tids[0]), 1);
    let_go(2);
    spawn_staying("thread_hosts:stay", PvmTaskDefault, NULL, 3);
    for (int i = 0; i < 3; i++) {
        here += host_of(tids[i]) == host_of(pvm_mytid());
        next += (host_of(tids[i]) == host_of(pvm_mytid())) == (pids[i] == getpid());
    }
    expect("tasks here", here, 1);
    expect("only that is in this process", next, 3);
    let_go(3);
    spawn_staying("stay", PvmTaskHost, ".", 2);
    expect("this process", pids[0] == getpid() && pids[1] == getpid(), 1);
    let_go(2);
}

/* They are in the test program thread_tasks. */
static void program(void)
{
    expect("pvm_spawn", spawn("thread_tasks:answer", PvmTaskDefault, NULL, 6), 6);
    for (int i = 0; i < 6; i++)
        expect("HELLO", receive_number(tids[i], HELLO), tids[i]);
    for (int i = 0; i < 6; i += 2)
        expect("two on a host", host_of(tids[i]), host_of(tids[i + 1]));
    watch(6);
    for (int i = 0; i < 6; i++)
        send_number(tids[i], GO, -1);
    await_ends(6);
}

static void expect_errors(const char *what, int count, int code)
{
    for (int i = 0; i < count; i++)
        expect(what, tids[i], code);
}

static void wrong(const char *script)
{
    char name[256];
    snprintf(name, sizeof name, "%s:stay", script);
    pvm_setopt(PvmAutoErr, 0);
    expect("no function", spawn("no_such_function", PvmTaskHost | PvmHostCompl, ".", 3), 0);
    expect_errors("no function", 3, PvmNoFile);
    expect("no function there", spawn("thread_tasks:stay", PvmTaskDefault, NULL, 3), 0);
    expect_errors("no function there", 3, PvmNoFile);
    expect("no program", spawn("no_such_program:stay", PvmTaskDefault, NULL, 3), 0);
    expect_errors("no program", 3, PvmNoFile);
    expect("no host", spawn("stay", PvmTaskHost, "no_such_host", 3), 0);
    expect_errors("no host", 3, PvmNoHost);
    expect("no architecture", spawn("stay", PvmTaskArch, "VAX", 3), 0);
    expect_errors("no architecture", 3, PvmNoHost);
    expect("ends without a call", spawn("/bin/true:stay", PvmTaskDefault, NULL, 3), 0);
    expect_errors("ends without a call", 3, PvmNoFile);
    setenv("PVM_THREAD_PATIENCE", "1", 1);
    expect("makes no call", spawn(name, PvmTaskDefault, NULL, 3), 0);
    expect_errors("makes no call", 3, PvmNoFile);
}

static void limit(void)
{
    expect("as many as may be", spawn("stay", PvmTaskHost | PvmHostCompl, ".", 8), 6);
    for (int i = 0; i < 6; i++)
        receive_number(tids[i], HELLO);
    expect("the seventh", tids[6], PvmOutOfRes);
    expect("the eighth", tids[7], PvmOutOfRes);
    let_go(6);
}

static void printed(void)
{
    expect("pvm_catchout", pvm_catchout(stdout), 0);
    expect("pvm_spawn", spawn("speak", PvmTaskHost | PvmHostCompl, ".", 4), 4);
}

static void killed(void)
{
    spawn_staying("stay", PvmTaskHost | PvmHostCompl, ".", 4);
    int first = pids[0];
    watch(4);
    kill(first, SIGKILL);
    for (int ends = 0; ends < 2; ends++) {
        int gone = receive_number(-1, GONE);
        expect("who is gone", gone == tids[0] || gone == tids[1], 1);
    }
    send_number(tids[2], GO, 0);
    send_number(tids[3], GO, 0);
    await_ends(2);
    spawn_staying("stay", PvmTaskHost | PvmHostCompl, ".", 4);
    expect("another process", pids[0] != first && pids[2] != first, 1);
    let_go(4);
}

static void ended(void)
{
    spawn_staying("stay", PvmTaskHost | PvmHostCompl, ".", 4);
    watch(4);
    expect("pvm_kill", pvm_kill(tids[0]), 0);
    expect("who is gone", receive_number(-1, GONE), tids[0]);
    for (int i = 1; i < 4; i++)
        send_number(tids[i], GO, 0);
    await_ends(3);
}

/* Whether the tasks were started is chance; but it is told, and what comes then begins anew. */
static void crashed(void)
{
    int started = spawn("crash", PvmTaskHost | PvmHostCompl, ".", 2);
    expect("results", started >= 0 && started <= 2, 1);
    for (int i = started; i < 2; i++)
        expect("why not", tids[i], PvmNoFile);
    if (started > 0) {
        watch(started);
        await_ends(started);
    }
    spawn_staying("stay", PvmTaskHost | PvmHostCompl, ".", 2);
    let_go(2);
}

static void one(const char *host, int stays)
{
    char byte;
    spawn_staying("stay", PvmTaskHost, host, 1);
    printf("%x %d\n", tids[0], pids[0]);
    fflush(stdout);
    if (stays)
        return;
    while (read(STDIN_FILENO, &byte, 1) > 0)
        ;
    let_go(1);
}

/* Others kill the processes that hold them. What was started tells, or its end is told. */
static void storm(int rounds)
{
    for (int round = 0; round < rounds; round++) {
        int count = spawn("stay", PvmTaskHost | PvmHostCompl, ".", 4), ends = 0;
        expect("results", count >= 0 && count <= 4, 1);
        if (count > 0)
            watch(count);
        while (ends < count) {
            int tag, source;
            pvm_bufinfo(pvm_recv(-1, -1), NULL, &tag, &source);
            if (tag == HELLO)
                send_number(source, GO, 0);
            ends += tag == GONE;
        }
    }
}

/* Several threads spawn at once, and so does a message handler. */
static void *spawn_beside(void *unused)
{
    int own[4];
    for (int round = 0; round < 10; round++) {
        int count = pvm_spawn("stay", (char *[]){"word", NULL},
                              PvmTaskThread | PvmTaskHost | PvmHostCompl, ".", 4, own);
        expect("pvm_spawn", count, 4);
        for (int i = 0; i < 4; i++)
            receive_number(own[i], HELLO);
        for (int i = 0; i < 4; i++)
            send_number(own[i], GO, 0);
    }
    return unused;
}

static int spawn_by_handler(int buffer)
{
    (void)buffer;
    spawn_staying("stay", PvmTaskHost | PvmHostCompl, ".", 4);
    let_go(4);
    send_number(pvm_mytid(), GONE, 4);
    return 0;
}

static void beside(void)
{
    pthread_t threads[4];
    pvm_threadsafe();
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, spawn_beside, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    pvm_addmhf(-1, GO, 0, spawn_by_handler);
    send_number(pvm_mytid(), GO, 0);
    expect("spawned by a handler", receive_number(pvm_mytid(), GONE), 4);
}

/* A host is lost, and its tasks. */
static void lost(void)
{
    char byte;
    spawn_staying("stay", PvmTaskHost | PvmHostCompl, ".", 4);
    watch(4);
    printf("standing\n");
    fflush(stdout);
    await_ends(2);
    expect("a byte", (int)read(STDIN_FILENO, &byte, 1), 1);
    int first = tids[0], last = tids[2];
    expect("pvm_spawn", spawn("stay", PvmTaskHost | PvmHostCompl, ".", 2), 2);
    expect("the host that is left",
           host_of(tids[0]) == host_of(first) || host_of(tids[0]) == host_of(last), 1);
    expect("one host", host_of(tids[0]), host_of(tids[1]));
}

int main(int argc, char **argv)
{
    const char *scene = argc > 1 ? argv[1] : "", *word = argc > 2 ? argv[2] : "";
    pvm_register("registered name", stay);
    pvm_register("speak", speak);
    if (pvm_mytid() < 0)
        fail("no pvmd");
    if (strcmp(scene, "spread") == 0)
        spread();
    else if (strcmp(scene, "parents") == 0)
        parents();
    else if (strcmp(scene, "own") == 0)
        own();
    else if (strcmp(scene, "program") == 0)
        program();
    else if (strcmp(scene, "wrong") == 0)
        wrong(word);
    else if (strcmp(scene, "limit") == 0)
        limit();
    else if (strcmp(scene, "printed") == 0)
        printed();
    else if (strcmp(scene, "killed") == 0)
        killed();
    else if (strcmp(scene, "ended") == 0)
        ended();
    else if (strcmp(scene, "crash") == 0)
        crashed();
    else if (strcmp(scene, "one") == 0)
        one(word, 0);
    else if (strcmp(scene, "leave") == 0)
        one(word, 1);
    else if (strcmp(scene, "storm") == 0)
        storm(atoi(word));
    else if (strcmp(scene, "beside") == 0)
        beside();
    else if (strcmp(scene, "lost") == 0)
        lost();
    else if (strcmp(scene, "tell") == 0)
        send_number((int)strtol(word, NULL, 16), GO, 0);
    else
        fail("no such scene");
    if (pvm_exit() < 0)
        fail("pvm_exit");
    printf("ok\n");
    return 0;
}
