/*
 * environment.h - the environment of a user-level process, which begins as a copy of the process's.
 *
 * All of it lies in its region: the texts, their list, and the variable environ, which is one of
 * the program's own or stands here. What the program hands on to other programs is this one
 * (command_calls.h), and what it exports (pvm_export). Libraries read the process's.
 *
 * Threads: any thread of a user-level process may make a call. As ever, one that reads needs others
 * not to change anything meanwhile.
 */
#ifndef ULP_ENVIRONMENT_H
#define ULP_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

struct heap;

struct environment {
    char **variables; /* environ, if the program has none in its image */
    char ***place;    /* environ */
    char **list;      /* that was made here for so many variables, and may be in use */
    size_t room;
};

/* A copy of the process's, on this heap, which frees it; NULL: on none. NULL without memory. */
struct environment *environment_begin(struct heap *heap);

/*
 * If the process is the calling thread's program's alone, its environment becomes that of the
 * process, for libraries. Whether it is.
 */
bool environment_publish(void);

/* Whether a variable of this name is environ. */
bool environment_is(const char *name);

/* The substitute in a program for a function of this name; NULL if there is no substitute. */
void *environment_call_find(const char *name);

/* getenv and setenv as the calling thread's program has them. */
char *environment_call_get(const char *name);
int environment_call_set(const char *name, const char *value, int replace);

#endif
