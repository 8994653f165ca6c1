/*
 * binding.h - on which processors a task runs.
 *
 * A binding is "core", "thread", "package" or "numa": the tasks of a host get one of these in turn;
 * or a list of processors, "0,2-3", of which they get one in turn; or "none".
 */
#ifndef RUN_BINDING_H
#define RUN_BINDING_H

#include <stdbool.h>

bool binding_is_known(const char *binding);

/*
 * Binds the calling thread, and what it starts. number: which of the tasks of its host it is. NULL,
 * or why that cannot be, to be freed.
 */
char *binding_apply(const char *binding, int number);

#endif
