/* tasks.c - kill, ps, pstat, reset, sig. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pvm3.h>

#include "console/advice.h"
#include "console/commands.h"
#include "console/host_names.h"
#include "console/output.h"

/* Of libpvm3, in no header of 3.4.6: see the command reset. */
int pvmreset(int mytid, int killtasks, char *class, int index);

/* Which tasks ps shows, and how. */
struct selection {
    int where;     /* dtid, 0: all hosts */
    bool everyone; /* also the console, and entries that are no task yet */
    bool full;
};

/* The letters of ps; n and h take the rest of the word. */
static void selection_parse(struct selection *selection, struct console *console,
                            const char *letters)
{
    if (*letters == '-')
        letters++;
    for (; *letters; letters++) {
        if (*letters == 'a') {
            selection->where = 0;
        } else if (*letters == 'x') {
            selection->everyone = true;
        } else if (*letters == 'l') {
            selection->full = true;
        } else if (*letters == 'h') {
            selection->where = tid_parse(letters + 1);
            return;
        } else if (*letters == 'n') {
            int dtid = host_find(console, letters + 1);
            if (dtid < 0)
                problem(&console->report, dtid, advice_host(dtid), "unknown host %s", letters + 1);
            else
                selection->where = dtid;
            return;
        } else {
            problem(&console->report, 0, "help ps tells the flags", "unknown flag -%c", *letters);
        }
    }
}

static bool is_selected(const struct selection *selection, const struct console *console,
                        const struct pvmtaskinfo *task)
{
    return selection->everyone || (task->ti_tid != console->tid && task->ti_flag != 0);
}

/* Whether the process of a task has other tasks in the list: then each is a thread of it. */
static bool is_thread(const struct pvmtaskinfo *task, const struct pvmtaskinfo *list, int count)
{
    for (int i = 0; i < count; i++)
        if (&list[i] != task && task->ti_pid > 0 && list[i].ti_host == task->ti_host &&
            list[i].ti_pid == task->ti_pid)
            return true;
    return false;
}

static void tasks_print(const struct console *console, const struct selection *selection,
                        const struct pvmtaskinfo *task, int tasks)
{
    struct table table;
    task_table_start(&table, selection->full, console->report.people);
    for (int i = 0; i < tasks; i++)
        if (is_selected(selection, console, &task[i]))
            task_add(&table, &task[i], host_name_of(task[i].ti_host), console->tid,
                     is_thread(&task[i], task, tasks));
    table_print(&table);
    table_finish(&table);
}

static void tasks_write(struct console *console, const struct selection *selection,
                        const struct pvmtaskinfo *task, int tasks)
{
    struct json *json = &console->report.members;
    json_key(json, "tasks");
    json_open(json, '[');
    for (int i = 0; i < tasks; i++)
        if (is_selected(selection, console, &task[i]))
            task_write(json, &task[i], host_name_of(task[i].ti_host));
    json_close(json, ']');
}

void command_ps(struct console *console, int count, char **word)
{
    struct selection selection = {.where = pvm_tidtohost(console->tid)};
    struct pvmtaskinfo *task;
    int tasks;

    if (count > 1)
        selection_parse(&selection, console, word[1]);
    int result = pvm_tasks(selection.where, &tasks, &task);
    if (result < 0)
        failure(&console->report, result, advice_host(result), "%s", error_text(result));
    else if (console->report.json)
        tasks_write(console, &selection, task, tasks);
    else
        tasks_print(console, &selection, task, tasks);
}

void command_pstat(struct console *console, int count, char **word)
{
    struct report *report = &console->report;
    struct json *json = &report->members;

    if (report->json) {
        json_key(json, "tasks");
        json_open(json, '[');
    }
    for (int i = 1; i < count; i++) {
        int tid = tid_parse(word[i]);
        int status = pvm_pstat(tid);
        const char *text = status < 0 ? error_text(status) : "run";
        if (report->json) {
            json_open(json, '{');
            json_text_member(json, "tid", word[i]);
            json_text_member(json, "status", text);
            json_close(json, '}');
        } else {
            printf("t%8x  %s\n", (unsigned)tid, text);
        }
        if (status < 0)
            failure(report, status, advice_task(status), "%s: %s", word[i], text);
    }
    if (report->json)
        json_close(json, ']');
}

/* Reports the result of a call for the task that the user named, if the result is an error. */
static void task_check(struct report *report, const char *name, int result)
{
    if (result < 0)
        failure(report, result, advice_task(result), "%s: %s", name, error_text(result));
}

/* The tasks that `parent` has spawned, but the console. */
static void children_kill(const struct console *console, int parent)
{
    struct pvmtaskinfo *task;
    int tasks;

    if (pvm_tasks(0, &tasks, &task) < 0)
        return;
    for (int i = 0; i < tasks; i++)
        if (task[i].ti_ptid == parent && task[i].ti_tid != console->tid)
            pvm_kill(task[i].ti_tid);
}

void command_kill(struct console *console, int count, char **word)
{
    bool children = false;
    int first = 1;

    for (; first < count && word[first][0] == '-'; first++) {
        for (const char *letter = word[first] + 1; *letter; letter++) {
            if (*letter == 'c')
                children = true;
            else
                problem(&console->report, 0, "the only one is -c", "unknown flag -%c", *letter);
        }
    }
    if (first == count)
        problem(&console->report, 0, "which tasks? ps -a lists them", "incorrect arg count");
    for (int i = first; i < count; i++) {
        int tid = tid_parse(word[i]);
        if (children)
            children_kill(console, tid);
        else if (tid == console->tid)
            problem(&console->report, 0, "quit leaves the console", "t%x: that's me.",
                    (unsigned)tid);
        else
            task_check(&console->report, word[i], pvm_kill(tid));
    }
}

void command_sig(struct console *console, int count, char **word)
{
    int number;

    if (!number_parse(&console->report, "sig", word[1], &number))
        return;
    for (int i = 2; i < count; i++)
        task_check(&console->report, word[i], pvm_sendsig(tid_parse(word[i]), number));
}

void command_reset(struct console *console, int count, char **word)
{
    static char every_class[] = "";
    int index = -1;

    if (count == 1)
        pvmreset(console->tid, 1, every_class, -1);
    else if (strcmp(word[1], "info") != 0)
        problem(&console->report, 0, "help reset tells what can be reset",
                "\"%s\" arg to reset not valid", word[1]);
    else if (count < 4 || number_parse(&console->report, "reset", word[3], &index))
        pvmreset(console->tid, 0, count > 2 ? word[2] : every_class, index);
}
