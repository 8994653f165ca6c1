/*
 * options.h - the options of a task (pvm_setopt, pvm_getopt).
 *
 * Errors are reported as those of the two calls. Threads: any thread may call anything.
 */
#ifndef LIB_SERVE_OPTIONS_H
#define LIB_SERVE_OPTIONS_H

#include "lib/task/luggage.h"
#include "lib/task/task.h"

/* The value of an option, or PvmBadParam. */
int options_get(struct task *task, int what);

/* Sets an option. Its value before, or PvmBadParam, PvmNotImpl or PvmSysErr. */
int options_set(struct task *task, int what, int value);

/*
 * Tells the pvmd where the output and the trace of a task go that was not started by the pvmd, which
 * then tells there that the task begins and ends. 0 or an error of pvmd_link_call.
 */
int options_tell_sinks(struct task *task);

/* Of a task that moves: its options, PvmAutoErr, and where its output and events go. */
void options_put(struct task *task, struct luggage *luggage);
void options_get_again(struct task *task, struct luggage_reader *reader);

#endif
