/*
 * Tasks of one process, and one of another process, have to do with each other.
 *
 * among route     each sends to each, over a direct route to another process, and is told of that
 * among arrays    each sends a long array to each; most wait for theirs in pvm_precv first
 * among mailbox   each waits for an entry of the one before it, and then makes its own
 *
 * The first task of the process spawns the other process, "among SCENE TID". Prints "ok" when all
 * went well, or what did not.
 */
#include <pthread.h>
#include <pvm3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "numbers.h"
#include "tasks.h"

enum { TASKS = 8, ALL = TASKS + 1, LONG = 100000, WORDS = 3 };
enum { HERE = 1, TIDS, OVER, ROUTE, WORD, ARRAY = 100 };

static int tids[ALL]; /* the last is the other process's */
static void (*scene)(int me);
static pthread_barrier_t all;

/*
 * Words in order, and a route to each one of another process, whichever of the two has asked for
 * it. Within a process messages are handed over.
 */
static void route(int me)
{
    bool told[ALL] = {false};
    pvm_setopt(PvmRoute, PvmRouteDirect);
    for (int round = 0; round < WORDS; round++)
        for (int i = 0; i < ALL; i++)
            if (i != me)
                send_number(tids[i], WORD, round);
    for (int round = 0; round < WORDS; round++)
        for (int i = 0; i < ALL; i++)
            if (i != me)
                expect("a word", receive_number(tids[i], WORD), round);
    for (int routes = me < TASKS ? TASKS - 1 : 0; routes < TASKS;) {
        int to = receive_number(-1, ROUTE), i = 0;
        while (i < ALL && tids[i] != to)
            i++;
        expect("a route to another process", i < ALL && (i < TASKS) != (me < TASKS), 1);
        routes += !told[i];
        told[i] = true;
    }
}

static int value_of(int from, int to, int place)
{
    return from * 1000003 + to * 101 + place;
}

static void array_send(int me, int to)
{
    int *values = malloc(LONG * sizeof *values);
    for (int i = 0; i < LONG; i++)
        values[i] = value_of(me, to, i);
    expect("pvm_psend", pvm_psend(tids[to], ARRAY, (char *)values, LONG, PVM_INT), 0);
    memset(values, -1, LONG * sizeof *values);
    free(values);
}

static void array_receive(int me, int from)
{
    int who, tag, length, *values = malloc(LONG * sizeof *values);
    expect("pvm_precv",
           pvm_precv(tids[from], ARRAY, (char *)values, LONG, PVM_INT, &who, &tag, &length), 0);
    expect("a sender", who, tids[from]);
    expect("a length", length, LONG * (int)sizeof *values);
    for (int i = 0; i < LONG; i++)
        expect("a value", values[i], value_of(from, me, i));
    free(values);
}

/* Sends to those behind it. The first three receive later: so in no circle do all wait. */
static void arrays(int me)
{
    for (int distance = 1; distance < ALL; distance++) {
        int to = (me + distance) % ALL, from = (me + ALL - distance) % ALL;
        if (me < 3)
            array_send(me, to);
        array_receive(me, from);
        if (me >= 3)
            array_send(me, to);
    }
}

static void mailbox(int me)
{
    char name[16];
    int value = -1;
    if (me > 0) {
        snprintf(name, sizeof name, "entry %d", me - 1);
        expect("pvm_recvinfo", pvm_recvinfo(name, 0, PvmMboxWaitForInfo) > 0, 1);
        pvm_upkint(&value, 1, 1);
        expect("what an entry says", value, me - 1);
    }
    snprintf(name, sizeof name, "entry %d", me);
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&me, 1, 1);
    expect("pvm_putinfo", pvm_putinfo(name, pvm_getsbuf(), PvmMboxDefault), 0);
}

/* Notices of routes must not miss the first ones. */
static int begin(void)
{
    expect("pvm_notify", pvm_notify(PvmRouteAdd, ROUTE, -1, NULL), 0);
    return pvm_mytid();
}

static void *live(void *own)
{
    int *me = own;
    expect("tasks_begin", tasks_begin(), 0);
    *me = begin();
    pthread_barrier_wait(&all); /* all are there */
    pthread_barrier_wait(&all); /* the other process knows them */
    scene((int)(me - tids));
    send_number(tids[TASKS], OVER, 0);
    receive_number(tids[TASKS], OVER);
    expect("tasks_end", tasks_end(), 0);
    return NULL;
}

static void be_many(char *name)
{
    pthread_t threads[TASKS];
    char tid[16], *words[] = {name, tid, NULL};
    pthread_barrier_init(&all, NULL, TASKS + 1);
    for (int i = 0; i < TASKS; i++)
        expect("pthread_create", pthread_create(&threads[i], NULL, live, &tids[i]), 0);
    pthread_barrier_wait(&all);
    snprintf(tid, sizeof tid, "%d", pvm_mytid());
    expect("pvm_spawn", pvm_spawn("among", words, PvmTaskDefault, NULL, 1, &tids[TASKS]), 1);
    pvm_recv(tids[TASKS], HERE);
    pvm_initsend(PvmDataDefault);
    pvm_pkint(tids, ALL, 1);
    pvm_send(tids[TASKS], TIDS);
    pthread_barrier_wait(&all);
    for (int i = 0; i < TASKS; i++)
        pthread_join(threads[i], NULL);
    printf("ok\n");
}

/* Nobody ends before all are done. */
static void be_the_other(int parent)
{
    begin();
    send_number(parent, HERE, 0);
    pvm_recv(parent, TIDS);
    pvm_upkint(tids, ALL, 1);
    scene(TASKS);
    for (int i = 0; i < TASKS; i++)
        receive_number(tids[i], OVER);
    for (int i = 0; i < TASKS; i++)
        send_number(tids[i], OVER, 0);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        fail("usage: among SCENE");
    scene = strcmp(argv[1], "route") == 0    ? route
            : strcmp(argv[1], "arrays") == 0 ? arrays
                                             : mailbox;
    if (argc == 2)
        be_many(argv[1]);
    else
        be_the_other(atoi(argv[2]));
    pvm_exit();
    return 0;
}
