/* move.c - move, evacuate, and the part of delete that evacuates. */
#include "console/move.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pvm3.h>

#include "console/advice.h"
#include "console/commands.h"
#include "console/host_names.h"
#include "console/output.h"

/* The console runs on the libpvm3 of 3.4.6 as well, which cannot do it. */
static int migrate(int tid, int dtid)
{
    int (*function)(int tid, int host);
    *(void **)&function = dlsym(RTLD_DEFAULT, "pvm_migrate");
    return function ? function(tid, dtid) : PvmNotImpl;
}

/* Shows where a task is now, or why it has not moved; the library has printed more about that. */
static bool task_move(struct console *console, int tid, int dtid)
{
    struct report *report = &console->report;
    int result = migrate(tid, dtid);
    if (result < 0)
        failure(report, result, advice_move(result), "t%x: %s", (unsigned)tid, error_text(result));
    if (report->json) {
        json_open(&report->members, '{');
        json_tid_member(&report->members, "tid", tid);
        json_text_member(&report->members, "host", host_name_of(result < 0 ? 0 : dtid));
        json_close(&report->members, '}');
    } else if (result == 0) {
        printf("t%x  %s\n", (unsigned)tid, host_name_of(dtid));
    }
    return result == 0;
}

static void moves_begin(struct report *report)
{
    if (report->json) {
        json_key(&report->members, "moved");
        json_open(&report->members, '[');
    }
}

static void moves_end(struct report *report)
{
    if (report->json)
        json_close(&report->members, ']');
}

void command_move(struct console *console, int count, char **word)
{
    const char *host = word[count - 1];
    int dtid = host_find(console, host);
    if (dtid < 0) {
        problem(&console->report, dtid, advice_host(dtid), "unknown host %s", host);
        return;
    }
    moves_begin(&console->report);
    for (int i = 1; i < count - 1; i++)
        task_move(console, tid_parse(word[i]), dtid);
    moves_end(&console->report);
}

/* Evacuating. ---------------------------------------------------------------------------------- */

/* Hosts that take in tasks, and how many each has. */
struct refuges {
    struct refuge {
        int dtid;
        int tasks; /* -1: this one is to be left */
    } * hosts;
    int count;
};

static bool is_named(const char *name, int count, char **names)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* False, after saying so, if no host is left. */
static bool refuges_find(struct refuges *refuges, struct console *console, int count, char **names)
{
    bool any = false;
    struct pvmhostinfo *hosts;
    if (pvm_config(&refuges->count, NULL, &hosts) < 0 ||
        !(refuges->hosts = calloc((size_t)refuges->count, sizeof *refuges->hosts)))
        return false;
    for (int i = 0; i < refuges->count; i++) {
        bool left = is_named(hosts[i].hi_name, count, names);
        refuges->hosts[i] = (struct refuge){hosts[i].hi_tid, left ? -1 : 0};
        any |= !left;
    }
    if (!any)
        problem(&console->report, 0, "add another one", "no host is left for the tasks");
    return any;
}

/* NULL: it was added meanwhile. */
static struct refuge *refuges_host(const struct refuges *refuges, int dtid)
{
    for (int i = 0; i < refuges->count; i++)
        if (refuges->hosts[i].dtid == dtid)
            return &refuges->hosts[i];
    return NULL;
}

/* The one that has the fewest tasks; one more goes there. */
static int refuges_choose(const struct refuges *refuges)
{
    struct refuge *best = NULL;
    for (int i = 0; i < refuges->count; i++) {
        struct refuge *host = &refuges->hosts[i];
        if (host->tasks >= 0 && (!best || host->tasks < best->tasks))
            best = host;
    }
    best->tasks++;
    return best->dtid;
}

/* Processes that hold others are left: they end when they hold nothing. */
static bool is_to_move(const struct console *console, const struct pvmtaskinfo *task)
{
    return task->ti_tid != console->tid && strcmp(task->ti_a_out, "pvmulp") != 0;
}

/* Moves all tasks of the hosts that are to be left. Whether all have moved. */
static bool refuges_fill(const struct refuges *refuges, struct console *console)
{
    struct pvmtaskinfo *list;
    int count;
    bool all = true;
    int result = pvm_tasks(0, &count, &list);
    struct pvmtaskinfo *tasks = result < 0 ? NULL : calloc((size_t)count + 1, sizeof *tasks);
    if (!tasks)
        return false;
    memcpy(tasks, list, (size_t)count * sizeof *tasks); /* pvm_migrate may ask for another list */
    for (int i = 0; i < count; i++) {
        struct refuge *host = refuges_host(refuges, tasks[i].ti_host);
        if (host && host->tasks >= 0)
            host->tasks++;
    }
    for (int i = 0; i < count; i++) {
        const struct refuge *host = refuges_host(refuges, tasks[i].ti_host);
        if (host && host->tasks < 0 && is_to_move(console, &tasks[i]))
            all &= task_move(console, tasks[i].ti_tid, refuges_choose(refuges));
    }
    free(tasks);
    return all;
}

bool hosts_evacuate(struct console *console, int count, char **names)
{
    struct refuges refuges = {0};
    bool all = false;
    for (int i = 0; i < count; i++) {
        int dtid = host_find(console, names[i]);
        if (dtid < 0) {
            problem(&console->report, dtid, advice_host(dtid), "unknown host %s", names[i]);
            return false;
        }
    }
    moves_begin(&console->report);
    if (refuges_find(&refuges, console, count, names))
        all = refuges_fill(&refuges, console);
    moves_end(&console->report);
    free(refuges.hosts);
    return all;
}

void command_evacuate(struct console *console, int count, char **word)
{
    hosts_evacuate(console, count - 1, word + 1);
}
