/* steps.h - what the steps of a random task share. */
#ifndef RANDOM_STEPS_H
#define RANDOM_STEPS_H

#include <pvm3.h>

enum { TASKS = 4, NOBODY, BUFFERS = 4, ARGUMENTS = 5 };

struct steps {
    int tids[TASKS];
    int task_count;
    int buffers[BUFFERS]; /* ids that steps have put into slots, or 0; the first is 0 */
    int polls;            /* before and after each step */
    int brings_later;     /* what this step brings about is let in by the next one */
};

/* A step does what its name says and prints what it shows, but for its result, which it returns. */
struct step {
    const char *name;
    int (*make)(struct steps *steps, const int *arguments);
};

/* The steps of each file; the last one has no name. */
extern const struct step buffer_steps[], message_steps[], group_steps[], choice_steps[],
    mailbox_steps[], task_steps[];

/* A task is told of by its number: TASKS if it is none of the program's, NOBODY for the tid 0. */
int tid_of(const struct steps *steps, int role);
int role_of(const struct steps *steps, int tid);

/* The same for a value if it is a tid; otherwise the value. */
int value_of(const struct steps *steps, int value);

/* Prints what pvm_bufinfo says. Returns what is told of a result that is a buffer id, or an error. */
int show(const struct steps *steps, int buffer);

/* A name of the program's own: other programs have other tids. Valid until the next call. */
char *name_of(const struct steps *steps, char kind, int number);

/* What a child does that the program of its parent has spawned. Does not return. */
void be_child(int kind);

#endif
