/*
 * own_output.h - before a program that "many" loads: each run of it prints where many says, and
 * leaves the streams of the process as they are. What is printed is written at once: a child that
 * another run forks meanwhile would write what stands in the buffer of a stream once more.
 */
#ifndef TEST_OWN_OUTPUT_H
#define TEST_OWN_OUTPUT_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((weak)) FILE *own_output;

__attribute__((format(printf, 1, 2))) static inline int own_printf(const char *format, ...)
{
    char *text;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length >= 0 && write(fileno(own_output), text, (size_t)length) != length)
        abort();
    if (length >= 0)
        free(text);
    return length;
}

static inline int own_dup2(int from, int to)
{
    (void)from;
    return to;
}

#undef stdout
#define stdout     own_output
#define printf     own_printf
#define puts(text) own_printf("%s\n", text)
#define putchar(c) own_printf("%c", c)
#define dup2       own_dup2

#endif
