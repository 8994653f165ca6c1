/*
 * input.h - lines from a descriptor, taken apart without waiting for more than there is.
 */
#ifndef CONSOLE_INPUT_H
#define CONSOLE_INPUT_H

#include <stdbool.h>
#include <stddef.h>

struct input {
    int fd;
    char *text; /* read and not yet taken */
    size_t length;
    size_t capacity;
    size_t taken; /* bytes of text that have been given out */
    bool ended;   /* there is nothing to read any more */
    int error;    /* what ended it: a code of errno.h, or 0 for its end */
};

void input_start(struct input *input, int fd);
void input_finish(struct input *input);

/*
 * The next line without its newline; NULL when it has not been read yet, or after the last. It is
 * valid until the next call. The end of the input ends a line too.
 */
const char *input_line(struct input *input);

/* Reads once; an error ends the input. */
void input_read(struct input *input);

#endif
