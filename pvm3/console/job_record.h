/*
 * job_record.h - what comes for a job, until it is finished.
 */
#ifndef CONSOLE_JOB_RECORD_H
#define CONSOLE_JOB_RECORD_H

#include "console/job.h"

/*
 * Shows what came for job number `number`, in the active receive buffer: a record of output. With
 * the number behind that of a traced job it is one of its trace.
 */
void job_record(struct console *console, int number, int buffer);

/* Removes a job that has no tasks any more, or gives it up. */
void job_remove(struct console *console, struct job *job);

#endif
