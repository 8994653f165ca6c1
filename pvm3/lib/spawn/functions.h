/*
 * functions.h - the functions of the program that can be tasks, by name: those that it has
 * registered, and those that its dynamic symbols name.
 *
 * Threads: any thread may call anything.
 */
#ifndef LIB_SPAWN_FUNCTIONS_H
#define LIB_SPAWN_FUNCTIONS_H

#include <limits.h>
#include <stdbool.h>

#include "lib/task/task.h"

/* What a task does: the words that it is given have its name in front, as those of main have. */
typedef int task_function(int count, char **words);

/* Gives `function` a name, which no other function has from now on. 0 or PvmNoMem. */
int functions_register(struct process *process, const char *name, task_function *function);

/* Writes the file of the program. False if the system does not tell. */
bool functions_program(char path[PATH_MAX]);

/* Whether `file`, as users name programs, is the program itself. */
bool functions_are_of(const char *file);

/*
 * The function of that name; NULL if it does not exist. The program's own name, also behind a path,
 * is its main: so a program that spawns itself needs no other name for this.
 */
task_function *functions_find(struct process *process, const char *name);

/* A name of the function, to be shown to users. It stays for as long as the process. */
const char *functions_name(struct process *process, task_function *function);

#endif
