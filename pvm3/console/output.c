/* output.c - the columns of 3.4.6, which scripts read. */
#include "console/output.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of libpvm3, in no header of 3.4.6. */
extern char *pvm_errlist[];
extern int pvm_nerr;

const char *error_text(int code)
{
    return code <= 0 && code > -pvm_nerr ? pvm_errlist[-code] : "Unknown Error";
}

int tid_parse(const char *text)
{
    char *end;
    if (*text == 't')
        text++;
    if (!isxdigit((unsigned char)*text))
        return 0;
    unsigned long value = strtoul(text, &end, 16);
    return *end || value > UINT_MAX ? 0 : (int)value;
}

bool number_parse(struct report *report, const char *command, const char *text, int *number)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, 0);
    if (end == text || *end || errno || value > UINT_MAX || value < INT_MIN) {
        problem(report, 0, NULL, "%s: \"%s\" is not a number", command, text);
        return false;
    }
    *number = (int)value;
    return true;
}

/*
 * The flags in hexadecimal, and the letters of flags that have a letter, from the highest flag
 * down.
 */
static void flags_format(char *text, size_t size, int flags)
{
    static const struct {
        int flag;
        char letter;
    } letters[] = {{0x400, 'T'}, {0x200, 'H'}, {0x100, 'R'}, {0x20, 's'},
                   {0x10, 'o'},  {0x8, 'a'},   {0x4, 'c'},   {0x2, 'f'}};
    int used = snprintf(text, size, "%x", (unsigned)flags);
    char separator = '/';
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++) {
        if (!(flags & letters[i].flag))
            continue;
        used += snprintf(text + used, size - (size_t)used, "%c%c", separator, letters[i].letter);
        separator = ',';
    }
}

/* Columns of tasks; the short form leaves out the columns in the middle. */
static const struct column full_columns[] = {
    {.title = "HOST", .gap = "", .width = 24, .text = true},
    {.title = "TID", .gap = " ", .width = 8},
    {.title = "PTID", .gap = " ", .width = 8},
    {.title = "PID", .gap = " ", .width = 6},
    {.title = "FLAG 0x", .gap = " ", .width = 9, .text = true},
    {.title = "COMMAND", .gap = " ", .width = 12, .fill_right = true, .text = true}};
static const struct column short_columns[] = {
    {.title = "HOST", .gap = "", .width = 24, .text = true},
    {.title = "TID", .gap = " ", .width = 8},
    {.title = "FLAG 0x", .gap = " ", .width = 9, .text = true},
    {.title = "COMMAND", .gap = " ", .width = 12, .fill_right = true, .text = true}};

void task_table_start(struct table *table, bool full, bool people)
{
    if (full)
        table_start(table, full_columns, sizeof full_columns / sizeof *full_columns, people);
    else
        table_start(table, short_columns, sizeof short_columns / sizeof *short_columns, people);
}

static void tid_add(struct table *table, int tid, int console_tid)
{
    if (tid == console_tid)
        table_add(table, "(cons)");
    else if (tid == 0)
        table_add(table, "-");
    else
        table_add(table, "%x", (unsigned)tid);
}

void task_add(struct table *table, const struct pvmtaskinfo *task, const char *host,
              int console_tid, bool thread)
{
    const char *command = task->ti_a_out && *task->ti_a_out ? task->ti_a_out : "-";
    char flags[32];
    flags_format(flags, sizeof flags, task->ti_flag);
    table_add(table, "%s", host);
    tid_add(table, task->ti_tid, console_tid);
    if (table->columns == full_columns) {
        tid_add(table, task->ti_ptid, console_tid);
        table_add(table, "%d", task->ti_pid);
    }
    table_add(table, "%s", flags);
    if (thread)
        table_add(table, "%s (thread of %d)", command, task->ti_pid);
    else
        table_add(table, "%s", command);
}

void task_write(struct json *json, const struct pvmtaskinfo *task, const char *host)
{
    json_open(json, '{');
    json_text_member(json, "host", host);
    json_tid_member(json, "tid", task->ti_tid);
    json_tid_member(json, "parent", task->ti_ptid);
    json_number_member(json, "pid", task->ti_pid);
    json_number_member(json, "flags", task->ti_flag);
    json_text_member(json, "command", task->ti_a_out && *task->ti_a_out ? task->ti_a_out : NULL);
    json_close(json, '}');
}
