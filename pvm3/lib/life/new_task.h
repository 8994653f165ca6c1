/*
 * new_task.h - a task as it begins: apart, with options by default; and all that goes with it.
 *
 * The task is given functions of files that stand above task.h: for its endpoint, and for calls
 * that enrol it or end it (struct task_steps).
 */
#ifndef LIB_LIFE_NEW_TASK_H
#define LIB_LIFE_NEW_TASK_H

#include "lib/task/task.h"

/* A task of the process. NULL without memory or descriptors: errno says what is short. */
struct task *task_new(struct process *process);

/* Frees a task that has no threads. It drops its connection if a thread has enrolled it anew. */
void task_free(struct task *task);

#endif
