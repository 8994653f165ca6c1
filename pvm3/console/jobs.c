/* jobs.c - jobs, spawn. */
#include <errno.h>
#include <fcntl.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pvm3.h>

#include "console/advice.h"
#include "console/commands.h"
#include "console/host_names.h"
#include "console/job_record.h"
#include "console/output.h"
#include "console/trace_job.h"

#define HOST_OPTION "-host="

/* What the options of spawn ask for. */
struct spawn {
    int count;
    int flags;
    char *where;
    bool collect;     /* output comes to the console */
    const char *path; /* and goes to this file; NULL: to the screen */
    bool append;
    bool trace;             /* what it calls is told */
    const char *trace_path; /* in this file; NULL: on the screen */
};

static void spawn_set_output(struct spawn *spawn, char *text)
{
    spawn->collect = true;
    spawn->append = *text == '>';
    if (spawn->append)
        text++;
    spawn->path = *text ? text : NULL;
}

/* Where tasks shall run: `text` is an architecture, with a capital, or else a host. */
static void spawn_set_place(struct spawn *spawn, char *text)
{
    spawn->flags |= isupper((unsigned char)*text) ? PvmTaskArch : PvmTaskHost;
    spawn->where = text;
}

/*
 * Reads one option word, the - left out. If there is no such option, prints a line and returns
 * false.
 */
static bool spawn_parse_option(struct report *report, struct spawn *spawn, char *text)
{
    size_t host_option = strlen(HOST_OPTION);
    unsigned char first = (unsigned char)*text;
    if (isdigit(first))
        return number_parse(report, "spawn", text, &spawn->count);
    if (first == '>') {
        spawn_set_output(spawn, text + 1);
    } else if (first == '@') {
        spawn->trace = true;
        spawn->trace_path = text[1] ? text + 1 : NULL;
    } else if (first == '?') {
        spawn->flags |= PvmTaskDebug;
    } else if (first == '~') {
        spawn->flags |= PvmHostCompl;
        spawn_set_place(spawn, text + 1);
    } else if (first == ':') {
        spawn->where = text;
    } else if (strcmp(text, "ulp") == 0) {
        spawn->flags |= PvmTaskUlp;
    } else if (strncmp(text, HOST_OPTION, host_option) == 0) {
        spawn->flags |= PvmTaskHost;
        spawn->where = text + host_option;
    } else if (first == '.' || isalpha(first)) {
        spawn_set_place(spawn, text);
    } else {
        problem(report, 0, "help spawn tells the options", "spawn: unknown option -%s", text);
        return false;
    }
    return true;
}

/* Where the job's lines go. False when the file cannot be made, which is reported. */
static bool job_open(struct report *report, struct job *job, const struct spawn *spawn)
{
    if (!spawn->path)
        return true;
    int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (spawn->append ? O_APPEND : O_EXCL);
    int fd = open(spawn->path, flags, 0600);
    job->file = fd < 0 ? NULL : fdopen(fd, "a");
    if (!job->file) {
        const char *reason = strerror(errno);
        if (!report->json)
            fprintf(stderr, "%s: %s\n", spawn->path, reason);
        failure(report, 0, ">>FILE appends to a file that is there", "%s: %s", spawn->path, reason);
        if (fd >= 0)
            close(fd);
    }
    return job->file;
}

/*
 * Spawns with what is printed going to `job`, or, if it is NULL, to where the output of all tasks
 * goes. These options stay, as in 3.4.6.
 */
static int spawn_start(const struct console *console, const struct spawn *spawn,
                       const struct job *job, char **word, int *tids)
{
    pvm_setopt(PvmOutputTid, job ? console->tid : 0);
    if (job) {
        pvm_setopt(PvmOutputCode, TAG_JOBS + job->number);
        pvm_setopt(PvmOutputContext, 0);
    }
    trace_job_direct(console, spawn->trace ? job : NULL);
    return pvm_spawn(word[0], word + 1, spawn->flags, spawn->where, spawn->count, tids);
}

static void spawn_write(struct json *json, int count, const int *tids)
{
    json_key(json, "tasks");
    json_open(json, '[');
    for (int i = 0; i < count; i++) {
        json_open(json, '{');
        json_tid_member(json, "tid", tids[i]);
        json_text_member(json, "status", tids[i] < 0 ? error_text(tids[i]) : "ok");
        json_close(json, '}');
    }
    json_close(json, ']');
}

/* Reports each error once, with the number of tasks that have it. */
static void spawn_complain(struct report *report, const char *program, int count, const int *tids)
{
    int last = 0;
    for (int i = 0; i < count; i++) {
        if (tids[i] < 0 && tids[i] != last)
            failure(report, tids[i], advice_spawn(tids[i]), "%s: %s", program, error_text(tids[i]));
        last = tids[i] < 0 ? tids[i] : last;
    }
}

static void spawn_print(int started, int count, const int *tids)
{
    printf("%d successful\n", started);
    for (int i = 0; i < count; i++) {
        if (tids[i] < 0)
            printf("%s\n", error_text(tids[i]));
        else
            printf("t%x\n", (unsigned)tids[i]);
    }
}

/* Spawns, shows the result, and leaves the job with the tasks that started. */
static void spawn_run(struct console *console, const struct spawn *spawn, struct job *job,
                      char **word)
{
    int places = spawn->count > 0 ? spawn->count : 1;
    int *tids = calloc((size_t)places, sizeof *tids);
    if (!tids) {
        problem(&console->report, 0, NULL, "spawn: out of memory");
        return;
    }
    int started = spawn_start(console, spawn, job, word, tids);
    if (started < 0)
        failure(&console->report, started, advice_spawn(started), "%s: %s", word[0],
                error_text(started));
    else if (console->report.json)
        spawn_write(&console->report.members, spawn->count, tids);
    else
        spawn_print(started, spawn->count, tids);
    if (started >= 0)
        spawn_complain(&console->report, word[0], spawn->count, tids);
    for (int i = 0; job && i < started; i++)
        if (!job_task_get(job, tids[i]))
            problem(&console->report, 0, NULL, "spawn: out of memory");
    free(tids);
}

static void job_tell(struct report *report, const struct job *job)
{
    if (report->json) {
        json_number_member(&report->members, "job", job->number);
    } else {
        printf("[%d]\n", job->number);
    }
}

void command_spawn(struct console *console, int count, char **word)
{
    struct spawn spawn = {.count = 1, .flags = PvmNoSpawnParent, .where = ""};
    struct job *job = NULL;
    int first = 1;

    for (; first < count && word[first][0] == '-'; first++)
        if (!spawn_parse_option(&console->report, &spawn, word[first] + 1))
            return;
    if (first == count) {
        problem(&console->report, 0, "which program? help spawn lists the options",
                "incorrect arg count");
        return;
    }
    if (spawn.collect || spawn.trace) {
        job = job_create(console);
        if (!job) {
            problem(&console->report, 0, NULL, "spawn: out of memory");
            return;
        }
        job->shown = spawn.collect;
        job_tell(&console->report, job);
    }
    if (!job || (job_open(&console->report, job, &spawn) &&
                 (!spawn.trace || trace_job_start(console, job, spawn.trace_path))))
        spawn_run(console, &spawn, job, word + first);
    if (job && !job->tasks)
        job_remove(console, job);
}

static void jobs_print_short(const struct console *console)
{
    for (const struct job *job = console->jobs; job; job = job->next) {
        printf("%c%d:", job->trace ? 'T' : ' ', job->number);
        for (const struct job_task *task = job->tasks; task; task = task->next)
            printf(" t%x", (unsigned)task->tid);
        printf("\n");
    }
}

/* Adds the tasks of a job to the table; gives how many rows the table has then. */
static int job_add_tasks(struct table *table, const struct console *console, const struct job *job)
{
    int tasks;
    struct pvmtaskinfo *info;

    for (const struct job_task *task = job->tasks; task; task = task->next)
        if (pvm_tasks(task->tid, &tasks, &info) == 0 && tasks == 1)
            task_add(table, info, host_name_of(info->ti_host), console->tid, false);
    return table_rows(table);
}

static void jobs_print_long(const struct console *console)
{
    struct table table;
    int jobs = 0, row = 0;

    for (const struct job *job = console->jobs; job; job = job->next)
        jobs++;
    int *end = calloc((size_t)jobs + 1, sizeof *end);
    task_table_start(&table, false, console->report.people);
    jobs = 0;
    for (const struct job *job = console->jobs; end && job; job = job->next)
        end[jobs++] = job_add_tasks(&table, console, job);
    table_print_header(&table);
    jobs = 0;
    for (const struct job *job = console->jobs; end && job; job = job->next) {
        printf("%c%d:\n", job->trace ? 'T' : ' ', job->number);
        table_print_rows(&table, row, end[jobs]);
        row = end[jobs++];
    }
    table_finish(&table);
    free(end);
}

static void jobs_write(struct console *console)
{
    struct json *json = &console->report.members;

    json_key(json, "jobs");
    json_open(json, '[');
    for (const struct job *job = console->jobs; job; job = job->next) {
        json_open(json, '{');
        json_number_member(json, "job", job->number);
        json_key(json, "tasks");
        json_open(json, '[');
        for (const struct job_task *task = job->tasks; task; task = task->next)
            json_tid(json, task->tid);
        json_close(json, ']');
        json_close(json, '}');
    }
    json_close(json, ']');
}

void command_jobs(struct console *console, int count, char **word)
{
    bool full = count > 1 && strcmp(word[1], "-l") == 0;
    if (count > 1 && !full)
        problem(&console->report, 0, "the only one is -l", "unknown flag %s", word[1]);
    if (console->report.json)
        jobs_write(console);
    else if (full)
        jobs_print_long(console);
    else
        jobs_print_short(console);
}
