/*
 * trace_job.h - what the tasks of a job tell of their calls, as text on the screen or in a file.
 */
#ifndef CONSOLE_TRACE_JOB_H
#define CONSOLE_TRACE_JOB_H

#include <stdbool.h>

#include "console/job.h"

/*
 * Lets the job be traced; `path` is a new file for the trace, NULL: the screen. False when the file
 * cannot be made; a line on stderr says why.
 */
bool trace_job_start(struct console *console, struct job *job, const char *path);

/* Where tasks that are spawned now tell their calls: to the job, or with NULL to a tracer. */
void trace_job_direct(const struct console *console, const struct job *job);

/* The active receive buffer is for a traced job: events, or output. */
void trace_job_take_events(struct job *job, int buffer);
void trace_job_take_output(struct job *job);

/* Hosts have come. */
void trace_job_update_hosts(struct job *job);

/* The job is over. */
void trace_job_finish(struct job *job);

/* So are all: what has been learned of their events is forgotten. */
void trace_jobs_end(struct console *console);

#endif
