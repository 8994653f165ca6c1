/* trace_job.c - a collector for each traced job. */
#include "console/trace_job.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pvm3.h>

#include "tracing/collect.h"
#include "tracing/sddf.h"

struct trace_job {
    struct job *job;
    FILE *file; /* NULL: the screen */
    struct sddf_writer writer;
    bool begun; /* a task has been heard of */
    struct collector collector;
};

static void trace_line_print(const struct job *job, int source, const char *text, size_t length)
{
    if (job->json) {
        struct json json = event_begin("trace");
        json_number_member(&json, "job", job->number);
        json_tid_member(&json, "tid", source);
        json_key(&json, "text");
        json_bytes(&json, text, length);
        event_end(&json);
        return;
    }
    if (pvm_getopt(PvmShowTids) != 0)
        printf("[T%d:t%x] ", job->number, (unsigned)source);
    printf("%.*s\n", (int)length, text);
}

/* Shows text on the screen, each line with the job and the tid that it is from. */
static void trace_text_print(const struct job *job, int source, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        trace_line_print(job, source, text, length);
        text += length + (text[length] == '\n');
    }
}

/* Writes a record, or the head of a trace if `record` is NULL. */
static void trace_write(struct trace_job *trace, FILE *file, const struct record *record)
{
    char machine[64];
    snprintf(machine, sizeof machine, "Console %s (PVM %s)", pvm_version(), pvm_version());
    trace->writer.file = file;
    if (record)
        sddf_write(&trace->writer, record);
    else
        sddf_write_head(&trace->writer, machine);
}

static void trace_show(struct trace_job *trace, int source, const struct record *record)
{
    char *text = NULL;
    size_t size;
    if (trace->file) {
        trace_write(trace, trace->file, record);
        return;
    }
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return;
    trace_write(trace, memory, record);
    fclose(memory);
    trace_text_print(trace->job, source, text);
    free(text);
}

/* What the collector finds. -------------------------------------------------------------------- */

static void on_record(void *owner, int source, struct record *record)
{
    trace_show(owner, source, record);
    record_free(record);
}

static void on_line(void *owner, int tid, const char *text, size_t length)
{
    const struct trace_job *trace = owner;
    if (trace->job->shown)
        job_line_print(trace->job, tid, text, length);
}

static void on_begun(void *owner, int tid)
{
    struct trace_job *trace = owner;
    trace->begun = true;
    fflush(stdout);
    fprintf(stderr, "[%d] libpvmtrc: Task TID=0x%x Connected to Console\n", trace->job->number,
            (unsigned)tid);
    if (!job_task_get(trace->job, tid))
        fprintf(stderr, "Console: out of memory, t%x is missing in the job\n", (unsigned)tid);
}

static void on_ended(void *owner, int tid)
{
    const struct trace_job *trace = owner;
    job_task_remove(trace->job, tid);
}

static const struct collector_owner functions = {on_record, on_line, on_begun, on_ended};

/* ---------------------------------------------------------------------------------------------- */

static FILE *trace_open(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (!file) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        if (fd >= 0)
            close(fd);
    }
    return file;
}

bool trace_job_start(struct console *console, struct job *job, const char *path)
{
    console->last_job++; /* the tag of the events counts as a job's */
    FILE *file = path ? trace_open(path) : NULL;
    if (path && !file)
        return false;
    if (!console->decoder) {
        console->decoder = record_allocate(NULL, sizeof *console->decoder);
        *console->decoder = (struct decoder){.tasks = NULL};
    }
    struct trace_job *trace = record_allocate(NULL, sizeof *trace);
    *trace = (struct trace_job){.job = job, .file = file};
    job->trace = trace;
    collector_start(&trace->collector, console->decoder, &functions, trace);
    trace_show(trace, console->tid, NULL);
    collector_update_hosts(&trace->collector);
    return true;
}

void trace_job_direct(const struct console *console, const struct job *job)
{
    pvm_setopt(PvmTraceTid, job ? console->tid : 0);
    if (job) {
        pvm_setopt(PvmTraceCode, TAG_JOBS + job->number + 1);
        pvm_setopt(PvmTraceContext, 0);
    }
}

void trace_job_take_events(struct job *job, int buffer)
{
    collector_take_events(&job->trace->collector, buffer);
}

void trace_job_take_output(struct job *job)
{
    collector_take_output(&job->trace->collector);
}

void trace_job_update_hosts(struct job *job)
{
    collector_update_hosts(&job->trace->collector);
}

void trace_jobs_end(struct console *console)
{
    if (console->decoder)
        decode_end(console->decoder);
    free(console->decoder);
    console->decoder = NULL;
}

void trace_job_finish(struct job *job)
{
    struct trace_job *trace = job->trace;
    fflush(stdout);
    if (trace->begun)
        fprintf(stderr, "[%d] libpvmtrc: Trace File Complete\n", job->number);
    if (trace->file && fclose(trace->file) != 0)
        perror("trace file");
    collector_finish(&trace->collector);
    sddf_write_end(&trace->writer);
    free(trace);
    job->trace = NULL;
}
