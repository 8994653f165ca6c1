/*
 * new_task.h - a task as it begins: apart, with options by default.
 *
 * The task is given functions of files that stand above lib/task.h: for its endpoint, and for calls
 * that enrol it or end it (struct task_steps).
 */
#ifndef LIB_NEW_TASK_H
#define LIB_NEW_TASK_H

#include "lib/task.h"

/* A task of the process. Memory that cannot be had ends the process with a message. */
struct task *task_new(struct process *process);

#endif
