/*
 * How many locks does a message take? Prints for each call how many it took each time, in the
 * steady state of a process that has had threads: "CALL COUNT", or "CALL uneven" when it was not
 * always the same.
 *
 * usage: locks                        a message of the task to itself
 *        locks answer IN OUT          prints its tid, and answers the messages of
 *        locks ask IN OUT TID         the task that asks it; both print their counts
 *
 * IN and OUT are named pipes by which two tasks tell each other that a message has been sent: so
 * nobody waits in a receive.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <pvm3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 100, WARM_UP = 10, TAG = 5 };
enum call { INITSEND, PACK, SEND, RECV, UNPACK, CALLS };
static const char *const names[CALLS] = {"initsend", "pack", "send", "recv", "unpack"};

static int locks; /* taken so far */
static int taken[CALLS], first[CALLS];
static int in = -1, out = -1; /* the pipes */

/* In place of that of the C library, for all of the program. */
int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    static int (*own)(pthread_mutex_t * mutex);
    if (!own)
        own = (int (*)(pthread_mutex_t *))dlsym(RTLD_NEXT, "pthread_mutex_lock");
    locks++;
    return own(mutex);
}

static int make_call(enum call call, int tid)
{
    static char data[8] = "1234567";
    switch (call) {
    case INITSEND:
        return pvm_initsend(PvmDataRaw);
    case PACK:
        return pvm_pkbyte(data, sizeof data, 1);
    case SEND:
        return pvm_send(tid, TAG);
    case RECV:
        return pvm_recv(tid, TAG);
    default:
        return pvm_upkbyte(data, sizeof data, 1);
    }
}

static void count_call(enum call call, int tid, int round)
{
    int before = locks;
    if (make_call(call, tid) < 0)
        exit(EXIT_FAILURE);
    if (round >= 0)
        taken[call] += locks - before;
    if (round == 0)
        first[call] = locks - before;
}

static void send_one(int tid, int round)
{
    for (enum call call = INITSEND; call <= SEND; call++)
        count_call(call, tid, round);
    if (out >= 0 && write(out, "", 1) != 1)
        exit(EXIT_FAILURE);
}

static void receive_one(int tid, int round)
{
    char word;
    if (in >= 0 && read(in, &word, 1) != 1)
        exit(EXIT_FAILURE);
    count_call(RECV, tid, round);
    count_call(UNPACK, tid, round);
}

static void *nothing(void *argument)
{
    return argument;
}

/* The pipe to write is opened before or after the other one, so that both tasks find each other. */
static int find_peer(int argc, char **argv, int tid)
{
    int bufid, peer = tid, asks = argc > 1 && strcmp(argv[1], "ask") == 0;
    if (argc < 4)
        return peer;
    if (!asks) {
        printf("%x\n", (unsigned)tid);
        fflush(stdout);
        in = open(argv[2], O_RDONLY);
    }
    out = open(argv[3], O_WRONLY);
    if (asks) {
        in = open(argv[2], O_RDONLY);
        peer = (int)strtoul(argv[4], NULL, 16);
        pvm_initsend(PvmDataRaw);
        if (pvm_send(peer, TAG) < 0)
            exit(EXIT_FAILURE);
    } else if ((bufid = pvm_recv(-1, TAG)) < 0 || pvm_bufinfo(bufid, NULL, NULL, &peer) < 0) {
        exit(EXIT_FAILURE);
    }
    return peer;
}

int main(int argc, char **argv)
{
    int tid = pvm_mytid(), answers = argc > 1 && strcmp(argv[1], "answer") == 0;
    pthread_t thread;
    if (tid < 0 || pthread_create(&thread, NULL, nothing, NULL) || pthread_join(thread, NULL))
        return EXIT_FAILURE;
    int peer = find_peer(argc, argv, tid);
    for (int round = -WARM_UP; round < ROUNDS; round++) {
        if (answers)
            receive_one(peer, round);
        send_one(peer, round);
        if (!answers)
            receive_one(peer, round);
    }
    for (enum call call = 0; call < CALLS; call++) {
        if (taken[call] == ROUNDS * first[call])
            printf("%s %d\n", names[call], first[call]);
        else
            printf("%s uneven\n", names[call]);
    }
    pvm_exit();
    return EXIT_SUCCESS;
}
