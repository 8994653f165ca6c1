/*
 * job.h - what tasks print, gathered by the spawn that started them.
 *
 * A job is one spawn whose output the console collects: its tasks, the tasks that these start, and
 * so on. A task has ended for the console when the pvmd has told both that it was spawned and that
 * its output ends, in any order; a job is finished when all its tasks have ended.
 */
#ifndef CONSOLE_JOB_H
#define CONSOLE_JOB_H

#include <stdbool.h>
#include <stdio.h>

#include "console/console.h"

struct trace_job;

struct job_task {
    struct job_task *next;
    int tid;
    bool spawned; /* the spawner's pvmd has told of it */
    bool ended;   /* its output has come to an end */
    char *line;   /* what it has printed since the last newline; no NUL */
    size_t length;
};

struct job {
    struct job *next;
    int number;
    bool json;               /* its lines are told as JSON */
    FILE *file;              /* NULL: its lines go to the console */
    bool shown;              /* its lines go anywhere: it may be that only its trace is wanted */
    struct trace_job *trace; /* NULL: it is not traced */
    struct job_task *tasks;  /* those that live, in the order of tids */
};

/* A new job behind the others; NULL: no memory. */
struct job *job_create(struct console *console);

/* A task of the job, known before or not; NULL: no memory. */
struct job_task *job_task_get(struct job *job, int tid);

/* A task of the job is over. */
void job_task_remove(struct job *job, int tid);

/* Shows a line of a task, or with `text` NULL the end of its output. */
void job_line_print(const struct job *job, int tid, const char *text, size_t length);

#endif
