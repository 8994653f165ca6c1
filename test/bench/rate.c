/* How many messages a second does a pvmd pass on?
 *
 * usage: rate PAIRS MESSAGES BYTES
 *
 * PAIRS tasks send MESSAGES messages of BYTES bytes to as many others, all at once. Prints
 *     @rate messages=TOTAL ns=TIME
 * from the moment when all may begin to that when the last one has received all.
 */
#define _GNU_SOURCE /* program_invocation_short_name */
#include <pvm3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "pipes.h"

enum { MOST_PAIRS = 64, MOST_BYTES = 1 << 20, TAG = 5 };

static int messages, bytes;
static char data[MOST_BYTES];

static void run_sender(int from, int to)
{
    put(to, pvm_mytid());
    int receiver = get(from);
    for (int i = 0; i < messages; i++) {
        pvm_initsend(PvmDataRaw);
        pvm_pkbyte(data, bytes, 1);
        if (pvm_send(receiver, TAG) < 0)
            fail("cannot send");
    }
}

static void run_receiver(int from, int to)
{
    put(to, pvm_mytid());
    get(from);
    for (int i = 0; i < messages; i++)
        if (pvm_recv(-1, TAG) < 0)
            fail("cannot receive");
    put(to, 0);
}

/* A child that runs as one task; *to and *from are the ends of its pipes. */
static void start(void (*run)(int, int), int *to, int *from)
{
    int down[2], up[2];
    if (pipe(down) < 0 || pipe(up) < 0)
        fail("no pipe");
    pid_t child = fork();
    if (child < 0)
        fail("no process");
    if (child == 0) {
        close(down[1]);
        close(up[0]);
        run(down[0], up[1]);
        pvm_exit();
        exit(0);
    }
    close(down[0]);
    close(up[1]);
    *to = down[1];
    *from = up[0];
}

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

int main(int argc, char **argv)
{
    int to[2][MOST_PAIRS], from[2][MOST_PAIRS], tids[MOST_PAIRS];
    int pairs = argc == 4 ? atoi(argv[1]) : 0;
    if (pairs < 1 || pairs > MOST_PAIRS || atoi(argv[3]) > MOST_BYTES)
        fail("usage: rate PAIRS MESSAGES BYTES");
    messages = atoi(argv[2]);
    bytes = atoi(argv[3]);
    for (int i = 0; i < pairs; i++) {
        start(run_receiver, &to[0][i], &from[0][i]);
        start(run_sender, &to[1][i], &from[1][i]);
        tids[i] = get(from[0][i]);
        get(from[1][i]);
    }
    int64_t begin = now();
    for (int i = 0; i < pairs; i++) {
        put(to[0][i], 0);
        put(to[1][i], tids[i]);
    }
    for (int i = 0; i < pairs; i++)
        get(from[0][i]);
    printf("@rate messages=%d ns=%lld\n", pairs * messages, (long long)(now() - begin));
    while (wait(NULL) > 0)
        continue;
    return 0;
}
