/* jobs.c - jobs, spawn. */
#include <errno.h>
#include <fcntl.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pvm3.h>

#include "console/commands.h"
#include "console/hosts.h"
#include "console/job.h"
#include "console/output.h"

#define HOST_OPTION "-host="

/* What the options of spawn ask for. */
struct spawn {
    int count;
    int flags;
    char *where;
    bool collect;     /* output comes to the console */
    const char *path; /* and goes to this file; NULL: to the screen */
    bool append;
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

/* Reads one option word, the - left out. False, and a line says why, when there is none like it. */
static bool spawn_parse_option(struct spawn *spawn, char *text)
{
    size_t host_option = strlen(HOST_OPTION);
    unsigned char first = (unsigned char)*text;
    if (isdigit(first))
        return number_parse("spawn", text, &spawn->count);
    if (first == '>') {
        spawn_set_output(spawn, text + 1);
    } else if (first == '?') {
        spawn->flags |= PvmTaskDebug;
    } else if (first == '~') {
        spawn->flags |= PvmHostCompl;
        spawn_set_place(spawn, text + 1);
    } else if (first == ':') {
        spawn->where = text;
    } else if (strncmp(text, HOST_OPTION, host_option) == 0) {
        spawn->flags |= PvmTaskHost;
        spawn->where = text + host_option;
    } else if (first == '.' || isalpha(first)) {
        spawn_set_place(spawn, text);
    } else {
        printf("spawn: unknown option -%s\n", text);
        return false;
    }
    return true;
}

/* Where the job's lines go. False when the file cannot be made; the reason is on stderr. */
static bool job_open(struct job *job, const struct spawn *spawn)
{
    if (!spawn->path)
        return true;
    int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (spawn->append ? O_APPEND : O_EXCL);
    int fd = open(spawn->path, flags, 0600);
    job->file = fd < 0 ? NULL : fdopen(fd, "a");
    if (!job->file) {
        fprintf(stderr, "%s: %s\n", spawn->path, strerror(errno));
        if (fd >= 0)
            close(fd);
    }
    return job->file;
}

/* Spawns with what is printed going to `job`, or nowhere that we know if it is NULL. */
static int spawn_start(const struct console *console, const struct spawn *spawn,
                       const struct job *job, char **word, int *tids)
{
    static const int options[] = {PvmOutputTid, PvmOutputCode, PvmOutputContext};
    int before[3];

    if (job) {
        for (int i = 0; i < 3; i++)
            before[i] = pvm_getopt(options[i]);
        pvm_setopt(PvmOutputTid, console->tid);
        pvm_setopt(PvmOutputCode, TAG_JOBS + job->number);
        pvm_setopt(PvmOutputContext, 0);
    }
    int started = pvm_spawn(word[0], word + 1, spawn->flags, spawn->where, spawn->count, tids);
    for (int i = 2; job && i >= 0; i--)
        pvm_setopt(options[i], before[i]);
    return started;
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
        printf("spawn: out of memory\n");
        return;
    }
    int started = spawn_start(console, spawn, job, word, tids);
    if (started >= 0)
        spawn_print(started, spawn->count, tids);
    for (int i = 0; job && i < started; i++)
        if (!job_task_get(job, tids[i]))
            printf("spawn: out of memory\n");
    free(tids);
}

void command_spawn(struct console *console, int count, char **word)
{
    struct spawn spawn = {.count = 1, .flags = PvmNoSpawnParent, .where = ""};
    struct job *job = NULL;
    int first = 1;

    for (; first < count && word[first][0] == '-'; first++)
        if (!spawn_parse_option(&spawn, word[first] + 1))
            return;
    if (first == count) {
        printf("incorrect arg count\n");
        return;
    }
    if (spawn.collect) {
        job = job_create(console);
        if (!job) {
            printf("spawn: out of memory\n");
            return;
        }
        printf("[%d]\n", job->number);
    }
    if (!job || job_open(job, &spawn))
        spawn_run(console, &spawn, job, word + first);
    if (job && !job->tasks)
        job_remove(console, job);
}

static void job_print_short(const struct job *job)
{
    for (const struct job_task *task = job->tasks; task; task = task->next)
        printf(" t%x", (unsigned)task->tid);
    printf("\n");
}

static void job_print_long(const struct console *console, const struct job *job)
{
    int tasks;
    struct pvmtaskinfo *info;

    printf("\n");
    for (const struct job_task *task = job->tasks; task; task = task->next)
        if (pvm_tasks(task->tid, &tasks, &info) == 0 && tasks == 1)
            task_print(info, host_name_of(info->ti_host), console->tid, false);
}

void command_jobs(struct console *console, int count, char **word)
{
    bool full = count > 1 && strcmp(word[1], "-l") == 0;
    if (count > 1 && !full)
        printf("unknown flag %s\n", word[1]);
    if (full)
        task_header_print(false);
    for (const struct job *job = console->jobs; job; job = job->next) {
        printf(" %d:", job->number);
        if (full)
            job_print_long(console, job);
        else
            job_print_short(job);
    }
}
