/*
 * check.h - how does a process that a test has forked say that something is not as it should be?
 * Failures of cmocka would go on with the next test there.
 */
#ifndef UNIT_CHECK_H
#define UNIT_CHECK_H

#include <stdio.h>
#include <unistd.h>

/* Says what does not hold, and ends the process. By any thread. */
#define CHECK(condition) ((condition) ? (void)0 : check_fails(__FILE__, __LINE__, #condition))

static inline void check_fails(const char *file, int line, const char *condition)
{
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, condition);
    _exit(1);
}

#endif
