#include "measure.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static int64_t measure_read_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int64_t measure_timeval_ns(const struct timeval *time)
{
    return (int64_t)time->tv_sec * 1000000000 + (int64_t)time->tv_usec * 1000;
}

int64_t measure_clock_ns(void)
{
    return measure_read_ns(CLOCK_MONOTONIC);
}

double measure_seconds(int64_t ns)
{
    return (double)ns / 1e9;
}

struct measure measure_now(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (struct measure){
        .time_ns = measure_clock_ns(),
        .cpu_ns = measure_timeval_ns(&usage.ru_utime) + measure_timeval_ns(&usage.ru_stime),
        .thread_cpu_ns = measure_read_ns(CLOCK_THREAD_CPUTIME_ID),
        .voluntary_switches = usage.ru_nvcsw,
    };
}

struct measure measure_since(const struct measure *start)
{
    struct measure now = measure_now();
    return (struct measure){
        .time_ns = now.time_ns - start->time_ns,
        .cpu_ns = now.cpu_ns - start->cpu_ns,
        .thread_cpu_ns = now.thread_cpu_ns - start->thread_cpu_ns,
        .voluntary_switches = now.voluntary_switches - start->voluntary_switches,
    };
}

void measure_sleep_until(int64_t time_ns)
{
    struct timespec until = {.tv_sec = time_ns / 1000000000, .tv_nsec = time_ns % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
        continue;
}

static int measure_compare(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

void measure_sort(int64_t *values, size_t count)
{
    qsort(values, count, sizeof *values, measure_compare);
}

int64_t measure_percentile(const int64_t *sorted, size_t count, int percent)
{
    size_t rank = (count * (size_t)percent + 99) / 100;
    return sorted[rank ? rank - 1 : 0];
}

void measure_print_summary(const char *name, int64_t *values_ns, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += measure_seconds(values_ns[i]);
    measure_sort(values_ns, count);
    int64_t median_ns = (values_ns[(count - 1) / 2] + values_ns[count / 2]) / 2;
    double mean = sum / (double)count;
    double below = mean - measure_seconds(values_ns[0]);
    double above = measure_seconds(values_ns[count - 1]) - mean;
    printf("%s of %zu repetitions: minimum %.6f s, median %.6f s, maximum deviation %.6f s\n", name,
           count, measure_seconds(values_ns[0]), measure_seconds(median_ns),
           above > below ? above : below);
}
