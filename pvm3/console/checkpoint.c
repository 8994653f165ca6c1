/* checkpoint.c - checkpoint and restart. */
#include "lib/calls/checkpoint.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <pvm3.h>

#include "console/commands.h"
#include "console/members.h"
#include "console/output.h"

/* The console runs on the libpvm3 of 3.4.6 as well, which has neither. */
static void *find(struct console *console, const char *name)
{
    void *function = dlsym(RTLD_DEFAULT, name);
    if (!function)
        problem(&console->report, PvmNotImpl, NULL, "this libpvm3 cannot do it");
    return function;
}

/* A line each second, for people who wait. */
static void show_progress(struct checkpoint_result *result, int done, int count)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (result->told != 0 && now.tv_sec > result->told && done < count)
        printf("%d of %d, %.1f MB\n", done, count, (double)result->bytes / 1e6);
    if (now.tv_sec > result->told)
        result->told = now.tv_sec;
    fflush(stdout);
}

static struct checkpoint_result result_for(const struct console *console)
{
    return (struct checkpoint_result){.progress = console->report.people ? show_progress : NULL};
}

static void show(struct console *console, const char *what, const struct checkpoint_result *result)
{
    struct json *members = &console->report.members;
    if (console->report.json) {
        json_number_member(members, "processes", result->processes);
        json_number_member(members, "bytes", (long)result->bytes);
        json_number_member(members, "others", result->others);
        return;
    }
    printf("%d process%s %s, %.1f MB\n", result->processes, result->processes == 1 ? "" : "es",
           what, (double)result->bytes / 1e6);
    if (result->others > 0)
        printf("%d task%s not of that kind, and not in the file\n", result->others,
               result->others == 1 ? " is" : "s are");
}

/* What was done, or why nothing. */
static void tell(struct console *console, int error, const char *file, const char *what,
                 const struct checkpoint_result *result)
{
    if (error == PvmOk)
        show(console, what, result);
    else if (result->tid != 0)
        problem(&console->report, error, NULL, "t%x: %s", (unsigned)result->tid, result->why);
    else
        problem(&console->report, error, NULL, "%s: %s", file, result->why);
}

void command_checkpoint(struct console *console, int count, char **word)
{
    int (*function)(const char *, const int *, int, checkpoint_hinders *,
                    struct checkpoint_result *);
    int *tids = calloc((size_t)count, sizeof *tids);
    struct checkpoint_result result = result_for(console);
    *(void **)&function = find(console, "checkpoint_write");
    for (int i = 2; tids && i < count; i++)
        tids[i - 2] = tid_parse(word[i]);
    if (function && tids)
        tell(console, function(word[1], tids, count - 2, members_hinder, &result), word[1],
             "put away", &result);
    free(tids);
}

void command_restart(struct console *console, int count, char **word)
{
    int (*function)(const char *, struct checkpoint_result *);
    struct checkpoint_result result = result_for(console);
    (void)count;
    *(void **)&function = find(console, "checkpoint_restart");
    if (function)
        tell(console, function(word[1], &result), word[1], "brought back", &result);
}
