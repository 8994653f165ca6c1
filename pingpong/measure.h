/*
 * What did it cost? Time, CPU time and context switches of a stretch of the program.
 */
#ifndef PINGPONG_MEASURE_H
#define PINGPONG_MEASURE_H

#include <stddef.h>
#include <stdint.h>

/* A moment, or the difference of two. All counters are those of the whole process, but
 * thread_cpu_ns, which is the calling thread's. */
struct measure {
    int64_t time_ns;
    int64_t cpu_ns;
    int64_t thread_cpu_ns;
    long voluntary_switches;
};

struct measure measure_now(void);
struct measure measure_since(const struct measure *start);

int64_t measure_clock_ns(void); /* CLOCK_MONOTONIC */
void measure_sleep_until(int64_t time_ns);
double measure_seconds(int64_t ns);

/* The smallest of the sorted values that at least `percent` per cent of them do not exceed. */
int64_t measure_percentile(const int64_t *sorted, size_t count, int percent);
void measure_sort(int64_t *values, size_t count);

/* "NAME of N repetitions: minimum, median, maximum deviation from the mean"; sorts `values`. */
void measure_print_summary(const char *name, int64_t *values_ns, size_t count);

#endif
