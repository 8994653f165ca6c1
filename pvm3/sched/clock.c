/* clock.c - a clock that runs evenly, in seconds. */
#include "sched/clock.h"

#include <time.h>

double clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

struct timeval clock_left(double until)
{
    double left = until - clock_now();
    if (left < 0)
        left = 0;
    return (struct timeval){(time_t)left, (suseconds_t)((left - (double)(time_t)left) * 1e6)};
}
