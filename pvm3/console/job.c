/* job.c - output records become lines. */
#include "console/job.h"
#include "console/trace_job.h"

#include <stdlib.h>
#include <string.h>

#include <pvm3.h>

/* What an output record holds in place of a length. */
enum { RECORD_EOF = 0, RECORD_SPAWNED = -1, RECORD_STARTED = -2 };

struct job *job_create(struct console *console)
{
    struct job *job = calloc(1, sizeof *job);
    if (!job)
        return NULL;
    job->number = ++console->last_job;
    job->json = console->report.json;
    struct job **link = &console->jobs;
    while (*link)
        link = &(*link)->next;
    *link = job;
    return job;
}

static void job_task_free(struct job_task *task)
{
    free(task->line);
    free(task);
}

void job_remove(struct console *console, struct job *job)
{
    struct job **link = &console->jobs;
    while (*link != job)
        link = &(*link)->next;
    *link = job->next;
    while (job->tasks) {
        struct job_task *task = job->tasks;
        job->tasks = task->next;
        job_task_free(task);
    }
    if (job->file && fclose(job->file) != 0)
        perror("job output");
    if (job->trace)
        trace_job_finish(job);
    free(job);
}

struct job_task *job_task_get(struct job *job, int tid)
{
    struct job_task **link = &job->tasks;
    while (*link && (unsigned)(*link)->tid < (unsigned)tid)
        link = &(*link)->next;
    if (*link && (*link)->tid == tid)
        return *link;
    struct job_task *task = calloc(1, sizeof *task);
    if (!task)
        return NULL;
    task->tid = tid;
    task->next = *link;
    *link = task;
    return task;
}

static void job_line_write(const struct job *job, int tid, const char *text, size_t length)
{
    struct json json = event_begin(text ? "output" : "end of output");
    json_number_member(&json, "job", job->number);
    json_tid_member(&json, "tid", tid);
    if (text) {
        json_key(&json, "text");
        json_bytes(&json, text, length);
    }
    event_end(&json);
}

void job_line_print(const struct job *job, int tid, const char *text, size_t length)
{
    FILE *file = job->file ? job->file : stdout;
    bool show_tids = pvm_getopt(PvmShowTids) != 0;
    if (job->json && !job->file) {
        job_line_write(job, tid, text, length);
        return;
    }
    if (show_tids)
        fprintf(file, "[%d:t%x] ", job->number, (unsigned)tid);
    if (text) {
        fwrite(text, 1, length, file);
        fputc('\n', file);
    } else if (show_tids) {
        fprintf(file, "EOF\n");
    }
}

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

void job_task_remove(struct job *job, int tid)
{
    struct job_task **link = &job->tasks;
    while (*link && (*link)->tid != tid)
        link = &(*link)->next;
    struct job_task *task = *link;
    if (task) {
        *link = task->next;
        job_task_free(task);
    }
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
