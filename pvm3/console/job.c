/* job.c - the jobs, their tasks, and a line of a task. */
#include "console/job.h"

#include <stdlib.h>
#include <string.h>

#include <pvm3.h>

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
