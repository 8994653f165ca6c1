/* tpl_check.h - what the test programs of TPL share: a failed check ends it with a line. */
#ifndef TPL_CHECK_H
#define TPL_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <tpl.h>

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/* Prints what the result is when it is another than the wanted one. */
#define GIVES(call, wanted)                                                                        \
    do {                                                                                           \
        int check_result_ = (call);                                                                \
        if (check_result_ != (wanted)) {                                                           \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,                          \
                    tpl_strerror(check_result_));                                                  \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/* So many milliseconds from now. */
static inline struct timespec soon(long milliseconds)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    time.tv_nsec += milliseconds % 1000 * 1000000;
    time.tv_sec += milliseconds / 1000 + time.tv_nsec / 1000000000;
    time.tv_nsec %= 1000000000;
    return time;
}

#endif
