/* belongings.h - all that the library keeps of a task, to be taken along to another process. */
#ifndef LIB_LIFE_BELONGINGS_H
#define LIB_LIFE_BELONGINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/task/caller.h"
#include "lib/task/luggage.h"

/* Why the caller's task cannot take along all that it has; NULL: it can. */
const char *belongings_hindrance(struct caller *caller);

/* Puts everything of the caller's task, which stays as it is. The caller is its only thread. */
void belongings_put(struct caller *caller, struct luggage *luggage);

/* The tid of the task; 0 if another release of the library has packed this. */
int belongings_get_tid(struct luggage_reader *reader);

/*
 * The caller's task, which has enrolled under that tid and has got nothing yet, gets what follows.
 * False without memory.
 */
bool belongings_get(struct caller *caller, struct luggage_reader *reader);

#endif
