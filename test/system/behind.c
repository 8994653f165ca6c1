/*
 * Does what a thread task hands over come behind what may have caused it, from outside?
 *
 * usage: behind ROUNDS SIZE ROUTE WORK
 *
 * In each round a task of another process sends SIZE ints to the first task, and then a word to a
 * thread of the first task's process, which sends a word to the first task. Meanwhile that computes
 * for WORK microseconds; then it receives both messages. ROUTE is that of PvmRoute. Prints "N of
 * ROUNDS reversed".
 */
#include <pvm3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fail.h"

enum { CAUSE, EFFECT };
enum { ORDER = 1, WORD, CUE, SIZE_MOST = 100000 };

static int values[SIZE_MOST];

static void compute(int microseconds)
{
    struct timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - start.tv_sec) * 1000000 + (now.tv_nsec - start.tv_nsec) / 1000 <
           microseconds);
}

static void say(int to, int tag, int who, int size)
{
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&who, 1, 1);
    pvm_pkint(values, size, 1);
    expect("pvm_send", pvm_send(to, tag), 0);
}

/* The thread. */
int follow(int count, char **words)
{
    int parent = pvm_parent();
    for (int rounds = atoi(words[count - 1]); rounds > 0; rounds--) {
        pvm_recv(-1, CUE);
        say(parent, WORD, EFFECT, 0);
    }
    return 0;
}

/* The other process. */
static void begin(int parent)
{
    int other, rounds, size, route;
    pvm_recv(parent, ORDER);
    pvm_unpackf("%d %d %d %d", &other, &rounds, &size, &route);
    pvm_setopt(PvmRoute, route);
    while (rounds-- > 0) {
        pvm_recv(parent, CUE);
        say(parent, WORD, CAUSE, size);
        say(other, CUE, CAUSE, 0);
    }
}

static int round_is_reversed(int cause, int work)
{
    int who[2] = {-1, -1};
    say(cause, CUE, CAUSE, 0);
    compute(work);
    for (int i = 0; i < 2; i++) {
        pvm_recv(-1, WORD);
        expect("pvm_upkint", pvm_upkint(&who[i], 1, 1), 0);
    }
    expect("both", who[0] + who[1], CAUSE + EFFECT);
    return who[0] != CAUSE;
}

int main(int argc, char **argv)
{
    int thread, process, reversed = 0;
    if (pvm_parent() > 0) {
        begin(pvm_parent());
        return pvm_exit();
    }
    if (argc != 5)
        return 2;
    int rounds = atoi(argv[1]);
    pvm_setopt(PvmRoute, atoi(argv[3]));
    expect("a thread",
           pvm_spawn("follow", (char *[]){argv[1], NULL}, PvmTaskThread, NULL, 1, &thread), 1);
    expect("a process", pvm_spawn("behind", NULL, 0, NULL, 1, &process), 1);
    pvm_initsend(PvmDataDefault);
    pvm_packf("%d %d %d %d", thread, rounds, atoi(argv[2]), atoi(argv[3]));
    pvm_send(process, ORDER);
    for (int round = 0; round < rounds; round++)
        reversed += round_is_reversed(process, atoi(argv[4]));
    printf("%d of %d reversed\n", reversed, rounds);
    pvm_exit();
    return 0;
}
