/*
 * How many locks does a message take that a task sends to itself? Prints for each call how many it
 * took each time, in the steady state of a process that has had threads: "CALL COUNT", or
 * "CALL uneven" when it was not always the same.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <pvm3.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 100, WARM_UP = 10, TAG = 5 };
enum call { INITSEND, PACK, SEND, RECV, UNPACK, CALLS };
static const char *const names[CALLS] = {"initsend", "pack", "send", "recv", "unpack"};

static int locks; /* taken so far */

/* In place of that of the C library, for all of the program. */
int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    static int (*own)(pthread_mutex_t *mutex);
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

static void *nothing(void *argument)
{
    return argument;
}

int main(void)
{
    int taken[CALLS] = {0}, first[CALLS] = {0}, tid = pvm_mytid();
    pthread_t thread;
    if (tid < 0 || pthread_create(&thread, NULL, nothing, NULL) || pthread_join(thread, NULL))
        return EXIT_FAILURE;
    for (int round = -WARM_UP; round < ROUNDS; round++) {
        for (enum call call = 0; call < CALLS; call++) {
            int before = locks;
            if (make_call(call, tid) < 0)
                return EXIT_FAILURE;
            if (round >= 0)
                taken[call] += locks - before;
            if (round == 0)
                first[call] = locks - before;
        }
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
