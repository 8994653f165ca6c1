/*
 * arguments.h - what was the console started for?
 */
#ifndef CONSOLE_ARGUMENTS_H
#define CONSOLE_ARGUMENTS_H

#include <stdbool.h>

struct arguments {
    bool json;
    bool view;    /* pvmview is started */
    bool check;   /* the machine, */
    char **hosts; /* and these hosts */
    int host_count;
    char *slurm;      /* a command that adds nodes of Slurm, or NULL */
    const char *name; /* -n */
    char **commands;  /* to carry out, in this order, in place of what is typed */
    int command_count;
    char **pvmd; /* the words for a pvmd that is started */
    int pvmd_count;
};

enum arguments_result {
    ARGUMENTS_GOOD,
    ARGUMENTS_ANSWERED, /* help or version: printed; nothing to finish */
    ARGUMENTS_BAD,      /* a line tells; nothing to finish */
};

/* The words stay the caller's. */
enum arguments_result arguments_read(struct arguments *arguments, int count, char **word);
void arguments_finish(struct arguments *arguments);

/* A program asks: nothing is printed but results, and the exit status tells of failures. */
bool arguments_ask_quiet(const struct arguments *arguments);

#endif
