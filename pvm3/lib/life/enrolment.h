/*
 * enrolment.h - becoming part of the virtual machine, and leaving it.
 *
 * Threads: any thread may call anything; the first to need the pvmd enrols the task, others wait
 * for it. Files that stand below this one enrol the task by its steps (pvmd_link_enrol).
 */
#ifndef LIB_LIFE_ENROLMENT_H
#define LIB_LIFE_ENROLMENT_H

#include "lib/task/process.h"

/* Enrols the task unless it is. 0; PvmSysErr with a line on stderr that says why. */
int enrolment_begin(struct task *task);

/*
 * Makes `task`, which is apart, a task with a tid of the lease; `parent` is enrolled. Nobody calls a
 * task at 0: tasks of its host and process reach it through the pvmd. False when the connection of the lease is gone.
 */
bool enrolment_join_lease(struct task *task, struct lent lent, struct task *parent);

/*
 * Lets the task, if it is apart, send messages to itself, as lib/calls/kernel.h says of one that
 * stands alone; it needs no pvmd for that. 0, or a negative errno. The second function ends this,
 * also when it has not begun.
 */
int enrolment_stay(struct task *task);
void enrolment_stay_no_more(struct task *task);

/*
 * Leaves the virtual machine. 0, also when apart; PvmSysErr when the pvmd was lost before,
 * PvmNotImpl from a message handler, which a call within the machine runs.
 */
int enrolment_leave(struct task *task);

/* Drops the connection without a word to the pvmd; not from a message handler. */
void enrolment_drop(struct task *task);

/*
 * A call fails with `code`: ends the calling thread, which is one of the thread task `task`, if the
 * function of the task has returned, or the pvmd has ended the task or is gone, as PvmSysErr says
 * of an enrolled task. Then this does not return. Without locks.
 */
void enrolment_stop_thread(struct task *task, int code);

/* What pvm_exit does, errors reported: waits for caught output, then leaves. */
int enrolment_exit(struct caller *caller);

#endif
