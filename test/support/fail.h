/* How does a test program say what is wrong? On a line of its output, and it is over. */
#ifndef FAIL_H
#define FAIL_H

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

static inline void fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
    fflush(stdout);
    _exit(1);
}

static inline void expect(const char *what, long value, long expected)
{
    if (value != expected)
        fail("%s is %ld, not %ld", what, value, expected);
}

#endif
