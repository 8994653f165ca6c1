/*
 * usage.h - what processes use of their host, as the kernel counts it in /proc. The processes are
 * not disturbed by that: they do nothing for it.
 */
#ifndef TOP_USAGE_H
#define TOP_USAGE_H

#include <stdbool.h>

/* What a process is doing. */
enum activity {
    ACTIVITY_UNKNOWN,
    ACTIVITY_COMPUTES, /* a thread of it runs, or could run */
    ACTIVITY_INPUT,    /* its main thread waits in epoll, poll or select: so a receive waits */
    ACTIVITY_THREAD,   /* its main thread waits for another thread */
    ACTIVITY_SLEEPS,   /* its main thread waits for something else */
    ACTIVITY_DISK,
    ACTIVITY_STOPPED,
    ACTIVITY_ENDED, /* its parent has not asked for its status yet */
    ACTIVITY_COUNT
};

const char *activity_name(enum activity activity);

/* The kernel keeps so much of the name of a program, with the zero byte at its end. */
enum { USAGE_NAME = 16 };

struct usage {
    int pid;
    char name[USAGE_NAME]; /* of the program, unless it has chosen another one */
    int threads;
    enum activity activity;
    double processor; /* seconds of processors since the process began */
    double age;       /* seconds since then */
    double memory;    /* bytes that are resident */
};

/* Looks at a process. `proc`: the folder /proc, but in tests; `now`: seconds since the system
 * started. False if there is no such process. */
bool usage_read(const char *proc, int pid, double now, struct usage *usage);

/* Bytes of memory of the host, and how many a new process can get. Both 0 if nothing tells. */
void usage_read_memory(const char *proc, double *total, double *available);

#endif
