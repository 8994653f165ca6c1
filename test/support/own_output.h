/*
 * own_output.h - before a program that "many" loads: each run of it prints where many says, and
 * leaves the streams of the process as they are.
 */
#ifndef TEST_OWN_OUTPUT_H
#define TEST_OWN_OUTPUT_H

#include <stdio.h>
#include <unistd.h>

__attribute__((weak)) FILE *own_output;

static inline int own_dup2(int from, int to)
{
    (void)from;
    return to;
}

#undef stdout
#define stdout      own_output
#define printf(...) fprintf(own_output, __VA_ARGS__)
#define puts(text)  fprintf(own_output, "%s\n", text)
#define putchar(c)  putc(c, own_output)
#define dup2        own_dup2

#endif
