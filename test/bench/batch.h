/* batch.h - what benchmarks of two sides share: a clock, a processor for each, what is told. */
#ifndef BATCH_H
#define BATCH_H

#ifndef _GNU_SOURCE
#error "batch.h needs _GNU_SOURCE, defined before the first header"
#endif

#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

/* Nanoseconds of a clock that all processes of the host share. */
static inline int64_t batch_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* The calling thread runs on that processor from now on; a negative one leaves it as it is. */
static inline void batch_pin(int processor)
{
    cpu_set_t one;
    if (processor < 0)
        return;
    CPU_ZERO(&one);
    CPU_SET((size_t)processor, &one);
    if (sched_setaffinity(0, sizeof one, &one) < 0) {
        perror("sched_setaffinity");
        exit(1);
    }
}

/* Nanoseconds of all processors that the process has had. */
static inline int64_t batch_processor_time(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* How often the calling thread has gone to sleep so far. */
static inline long batch_sleeps(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw;
}

/* What a multicast cost its sender. */
static inline void batch_tell_multicast(int64_t nanoseconds, int64_t processor)
{
    printf("@multicast ns=%lld cpu_ns=%lld\n", (long long)nanoseconds, (long long)processor);
}

/* A batch as programs read it; what is told is of one message. */
static inline void batch_tell(int64_t nanoseconds, long sleeps, int messages)
{
    printf("@batch ns=%.2f sleeps=%.3f\n", (double)nanoseconds / messages,
           (double)sleeps / messages);
}

#endif
