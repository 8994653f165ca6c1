/*
 * program.h - the program of a task: finding it, and becoming it in a child.
 */
#ifndef RUN_PROGRAM_H
#define RUN_PROGRAM_H

#include <sys/types.h>

#include "run/protocol.h"

enum { STATUS_CANNOT_RUN = 126, STATUS_NOT_FOUND = 127 };

struct program {
    pid_t pid;  /* also the number of its process group */
    int input;  /* where its standard input is written, -1: nowhere */
    int out[2]; /* where its standard output and error are read */
    char *why;  /* it could not be started: what is wrong */
    int status; /* and with which status that ends */
};

/* Whether a variable is one that a daemon gives to its tasks. */
int program_is_given(const char *variable);

/* Starts it. False when that failed. Changes the working folder. */
int program_start(struct program *program, const struct order *order);

/*
 * The file of a program as a shell finds it, to be freed; NULL if there is none, and then why, to
 * be freed, and with which status that ends. folders: as in PATH, or NULL.
 */
char *program_find(const char *name, const char *folders, char **why, int *status);

#endif
