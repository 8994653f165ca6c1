/* deadline.h - when a time limit is over. */
#ifndef DEADLINE_H
#define DEADLINE_H

#include <sys/time.h>
#include <time.h>

/* By CLOCK_MONOTONIC, when the limit begins now. */
static inline struct timespec deadline_after(const struct timeval *limit)
{
    struct timespec deadline;
    clock_gettime(CLOCK_MONOTONIC, &deadline);
    deadline.tv_sec += limit->tv_sec + limit->tv_usec / 1000000;
    deadline.tv_nsec += limit->tv_usec % 1000000 * 1000;
    if (deadline.tv_nsec >= 1000000000) {
        deadline.tv_sec++;
        deadline.tv_nsec -= 1000000000;
    }
    return deadline;
}

#endif
