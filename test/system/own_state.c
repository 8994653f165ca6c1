/*
 * own_state.c - what a program has to itself. It prints the same as a process and as one of several
 * user-level processes that run at once.
 *
 * usage: own_state WORD
 */
#include <errno.h>
#include <pthread.h>
#include <pvm3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern int pvm_errno, pvmmytid;

enum { ROUNDS = 5, NAP_US = 1000 };

static int counted, initialized = 7;
static char text[] = "one,two,three,four,five";
static _Thread_local int in_thread = 40;
static _Thread_local char room[200];
static int *const pointer = &initialized;

__attribute__((constructor)) static void begin(void)
{
    initialized++;
}

__attribute__((destructor)) static void end(void)
{
    printf("destructor: counted %d\n", counted);
}

static void said_first(void)
{
    printf("atexit, first\n");
}

static void said_last(void)
{
    printf("atexit, last\n");
}

static void *thread(void *argument)
{
    in_thread += 100;
    printf("a thread has %d of its own, and %s\n", in_thread, *room ? "more" : "room");
    return argument;
}

/* Others run meanwhile. */
static void round_of_all(int turn, char **place)
{
    counted++;
    in_thread++;
    (*pointer)++;
    snprintf(room, sizeof room, "turn %d", turn);
    char *part = turn == 0 ? strtok(text, ",") : strtok(NULL, ",");
    errno = turn;
    usleep(NAP_US);
    printf("%s: %s, counted %d, initialized %d, in thread %d, random %d %.4f %ld\n", room, part,
           counted, initialized, in_thread, rand(), drand48(), random());
    *place = part;
}

int main(int argc, char **argv)
{
    char *part;
    pthread_t other;
    printf("%d words, the last is %s\n", argc, argv[argc - 1]);
    printf("before: pvm_errno %d\n", pvm_errno);
    int tid = pvm_mytid();
    printf("mine: %s\n", tid == pvmmytid ? "yes" : "no");
    atexit(said_first);
    atexit(said_last);
    srand(3);
    for (int turn = 0; turn < ROUNDS; turn++)
        round_of_all(turn, &part);
    pvm_setopt(PvmAutoErr, 0);
    pvm_send(-5, 1);
    usleep(NAP_US);
    printf("pvm_errno %d\n", pvm_errno);
    pthread_create(&other, NULL, thread, NULL);
    pthread_join(other, NULL);
    fflush(stdout);
    if (argc > 1 && strcmp(argv[1], "exit") == 0)
        exit(3);
    return 0;
}
