/*
 * input.h - the standard input of pvmrun on its way to tasks.
 */
#ifndef RUN_INPUT_H
#define RUN_INPUT_H

#include "run/ranks.h"

struct input {
    bool ended;
    bool paused; /* the terminal belongs to others until SIGCONT */
};

/* Whether a rank gets it. Those that ranks have spawned never do. */
bool input_is_for(const struct run *run, int rank);

/* Whether the input is to be read now: all who get it have room. */
bool input_is_wanted(const struct input *input, const struct run *run);

/* It is readable: reads a piece and passes it on. */
void input_pass(struct input *input, const struct run *run);

#endif
