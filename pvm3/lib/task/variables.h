/*
 * variables.h - the environment of the process, which calls of the library read and change side by
 * side.
 *
 * The C library forbids getenv beside setenv; here a lock keeps ours apart. What the application
 * does with its environment is its own affair, as ever: pvm_export, pvm_unexport and pvm_start_pvmd
 * are for it like setenv. A value that was got stays, as no setenv frees it.
 */
#ifndef LIB_TASK_VARIABLES_H
#define LIB_TASK_VARIABLES_H

#include "core/environment.h"
#include "lib/task/task.h"

/* The value of a variable, which may be empty; NULL when it is unset. */
const char *variables_find(struct task *task, const char *name);

/* What core/environment.h says of each of them. */
const char *variables_get(struct task *task, const char *name, const char *fallback);
long variables_get_number(struct task *task, const char *name, long fallback);
const char *variables_temporary_folder(struct task *task);
bool variables_address_file(struct task *task, char path[ENVIRONMENT_PATH_SIZE], unsigned uid);
bool variables_temporary_name(struct task *task, char path[ENVIRONMENT_PATH_SIZE], unsigned number);

/* 0 or PvmNoMem. */
int variables_set(struct task *task, const char *name, const char *value);

/*
 * Sets `name` to what `change` makes of its value ("" when it has none): memory from malloc, or
 * NULL to leave it; *error is PvmOk before. 0 or PvmNoMem.
 */
int variables_change(struct task *task, const char *name,
                     char *(*change)(const char *value, const void *context, int *error),
                     const void *context);

/* Brackets what needs the environment to stay as it is. */
void variables_hold(struct task *task);
void variables_let_go(struct task *task);

#endif
