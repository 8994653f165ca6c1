/*
 * catchout.h - what children print, caught by their parent and written to a file (pvm_catchout).
 *
 * The pvmds send what a task prints to its collector as records: it was spawned, it printed bytes,
 * it ended. The task of a child is known from its first record until it was both spawned and ended,
 * or until its host is gone, which the pvmd tells. Records are handled like those of any message
 * handler, one after the other by a thread inside a call; the file is written to without a lock,
 * and pvm_catchout does not return while a thread writes to the file that it replaces.
 */
#ifndef LIB_SERVE_CATCHOUT_H
#define LIB_SERVE_CATCHOUT_H

#include <stdio.h>

struct catcher;
struct message;
struct task;

void catchout_start(struct catcher *catcher);
void catchout_end(struct catcher *catcher);

/*
 * Has the output of children written to `file` from now on, which enrols; NULL: to where the task
 * itself prints. 0, PvmSysErr, PvmNoMem, or PvmExists when the program has a handler for the same
 * messages.
 */
int catchout_set(struct task *task, FILE *file);

/* A record of output has come, or word of the end of a host; the message stays the caller's. */
void catchout_take(struct task *task, struct message *message);

/*
 * Leaving the virtual machine: while output is caught waits until all has come, or the pvmd is
 * lost. Children print where the task itself does from then on.
 */
void catchout_finish(struct task *task);

#endif
