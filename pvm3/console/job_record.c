/* job_record.c - output records become lines, and jobs come to an end. */
#include "console/job_record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pvm3.h>

#include "console/trace_job.h"

/* What an output record holds in place of a length. */
enum { RECORD_EOF = 0, RECORD_SPAWNED = -1, RECORD_STARTED = -2 };

/* Prints the complete lines of what the task has printed, and keeps the rest. */
static void job_task_print_lines(const struct job *job, struct job_task *task)
{
    char *start = task->line, *end;
    size_t left = task->length;
    while (left > 0 && (end = memchr(start, '\n', left))) {
        job_line_print(job, task->tid, start, (size_t)(end - start));
        left -= (size_t)(end + 1 - start);
        start = end + 1;
    }
    if (start != task->line)
        memmove(task->line, start, left);
    task->length = left;
}

/* The next `count` bytes of the receive buffer. */
static void job_task_add(const struct job *job, struct job_task *task, int count)
{
    char *line = realloc(task->line, task->length + (size_t)count);
    if (!line) {
        fprintf(stderr, "Console: out of memory, output of t%x is lost\n", (unsigned)task->tid);
        return;
    }
    task->line = line;
    if (pvm_upkbyte(line + task->length, count, 1) < 0)
        return;
    task->length += (size_t)count;
    job_task_print_lines(job, task);
}

static void job_task_finish(struct job *job, struct job_task *task)
{
    if (task->length > 0)
        job_line_print(job, task->tid, task->line, task->length);
    job_line_print(job, task->tid, NULL, 0);
    job_task_remove(job, task->tid);
}

static void job_tell_finished(const struct job *job)
{
    if (job->json) {
        struct json json = event_begin("finished");
        json_number_member(&json, "job", job->number);
        event_end(&json);
    } else {
        printf("[%d] finished\n", job->number);
    }
}

/* A record of output of a job that is not traced. */
static void job_take_output(struct job *job)
{
    int tid, count;

    if (pvm_upkint(&tid, 1, 1) < 0 || pvm_upkint(&count, 1, 1) < 0)
        return;
    struct job_task *task = job_task_get(job, tid);
    if (!task)
        return;
    if (count > 0)
        job_task_add(job, task, count);
    task->spawned = task->spawned || count == RECORD_SPAWNED;
    task->ended = task->ended || count == RECORD_EOF;
    if (task->spawned && task->ended)
        job_task_finish(job, task);
}

void job_remove(struct console *console, struct job *job)
{
    struct job **link = &console->jobs;
    while (*link != job)
        link = &(*link)->next;
    *link = job->next;
    while (job->tasks)
        job_task_remove(job, job->tasks->tid);
    if (job->file && fclose(job->file) != 0)
        perror("job output");
    if (job->trace)
        trace_job_finish(job);
    free(job);
}

void job_record(struct console *console, int number, int buffer)
{
    struct job *job = console->jobs;

    while (job && job->number != number && !(job->trace && job->number + 1 == number))
        job = job->next;
    if (!job)
        return;
    if (job->number != number)
        trace_job_take_events(job, buffer);
    else if (job->trace)
        trace_job_take_output(job);
    else
        job_take_output(job);
    if (!job->tasks) {
        job_tell_finished(job);
        job_remove(console, job);
    }
}
