/* tasks.c - kill, ps, pstat, reset, sig. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pvm3.h>

#include "console/commands.h"
#include "console/hosts.h"
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
static void selection_parse(struct selection *selection, const struct console *console,
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
                printf("unknown host %s\n", letters + 1);
            else
                selection->where = dtid;
            return;
        } else {
            printf("unknown flag -%c\n", *letters);
        }
    }
}

void command_ps(struct console *console, int count, char **word)
{
    struct selection selection = {.where = pvm_tidtohost(console->tid)};
    struct pvmtaskinfo *task;
    int tasks;

    if (count > 1)
        selection_parse(&selection, console, word[1]);
    if (pvm_tasks(selection.where, &tasks, &task) < 0)
        return;
    task_header_print(selection.full);
    for (int i = 0; i < tasks; i++)
        if (selection.everyone || (task[i].ti_tid != console->tid && task[i].ti_flag != 0))
            task_print(&task[i], host_name_of(task[i].ti_host), console->tid, selection.full);
}

void command_pstat(struct console *console, int count, char **word)
{
    (void)console;
    for (int i = 1; i < count; i++) {
        int tid = tid_parse(word[i]);
        int status = pvm_pstat(tid);
        printf("t%8x  %s\n", (unsigned)tid, status < 0 ? error_text(status) : "run");
    }
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
                printf("unknown flag -%c\n", *letter);
        }
    }
    if (first == count)
        printf("incorrect arg count\n");
    for (int i = first; i < count; i++) {
        int tid = tid_parse(word[i]);
        if (children)
            children_kill(console, tid);
        else if (tid == console->tid)
            printf("t%x: that's me.\n", (unsigned)tid);
        else
            pvm_kill(tid);
    }
}

void command_sig(struct console *console, int count, char **word)
{
    int number;

    (void)console;
    if (!number_parse("sig", word[1], &number))
        return;
    for (int i = 2; i < count; i++)
        pvm_sendsig(tid_parse(word[i]), number);
}

void command_reset(struct console *console, int count, char **word)
{
    static char every_class[] = "";
    int index = -1;

    if (count == 1)
        pvmreset(console->tid, 1, every_class, -1);
    else if (strcmp(word[1], "info") != 0)
        printf("\"%s\" arg to reset not valid\n", word[1]);
    else if (count < 4 || number_parse("reset", word[3], &index))
        pvmreset(console->tid, 0, count > 2 ? word[2] : every_class, index);
}
