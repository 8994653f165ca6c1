/*
 * trace_settings.h - where a task's events and output go, and which events: as inherited, as found
 * when enrolling, and as a tracer orders. Kept in the task, as own_sinks and child_sinks.
 *
 * Threads: any thread may call anything but what enrolling and leaving call.
 */
#ifndef LIB_SERVE_TRACE_SETTINGS_H
#define LIB_SERVE_TRACE_SETTINGS_H

#include "core/control.h"
#include "lib/task/task.h"

/* Text that makes a mask: 35 characters. */
bool trace_settings_is_mask(const char *text);

/* Sets the mask of the sinks of the task or its children. */
void trace_settings_change_mask(struct task *task, struct Pvmtracer *settings, const char *mask);

/* Enrolling: the sinks that the pvmd names, the rest from the environment. */
void trace_settings_inherit(struct task *task, const struct Pvmtracer *sinks);

/* Sets the sinks of a task that is spawned, as those of its children. */
void trace_settings_set(struct task *task, const struct Pvmtracer *settings);

/* When the task has enrolled: takes over what a tracer wants of tasks that were given nothing. */
void trace_settings_find_tracer(struct task *task);

/* Leaving: nothing is traced. */
void trace_settings_forget(struct task *task);

/* TC_SETTRACE, TC_SETTMASK, TC_SETTRCBUF or TC_SETTRCOPT. */
void trace_settings_obey(struct task *task, const struct message *message);

#endif
