/* clock.h - a clock that runs evenly, in seconds. */
#ifndef SCHED_CLOCK_H
#define SCHED_CLOCK_H

#include <sys/time.h>

double clock_now(void);

/* The time that is left until a time; zero if it is over. */
struct timeval clock_left(double until);

#endif
