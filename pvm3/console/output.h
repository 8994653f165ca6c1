/*
 * output.h - codes, tids and tasks as text.
 */
#ifndef CONSOLE_OUTPUT_H
#define CONSOLE_OUTPUT_H

#include <stdbool.h>

#include <pvm3.h>

#include "console/report.h"
#include "console/table.h"

/* The text of an error code of pvm3.h. */
const char *error_text(int code);

/* A tid as the user writes it: hexadecimal, with or without a t before it; 0 when it is none. */
int tid_parse(const char *text);

/* An int, decimal or 0x hexadecimal. False when it is none, which is reported. */
bool number_parse(struct report *report, const char *command, const char *text, int *number);

/*
 * The table of tasks, with parent and process id if it is `full`. `console_tid` is (cons). A task
 * that is a `thread` among other tasks of its process is shown with the process.
 */
void task_table_start(struct table *table, bool full, bool people);
void task_add(struct table *table, const struct pvmtaskinfo *task, const char *host,
              int console_tid, bool thread);

/* A task in JSON. */
void task_write(struct json *json, const struct pvmtaskinfo *task, const char *host);

#endif
