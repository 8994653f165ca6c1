/*
 * output.h - codes, tids and tasks as text.
 */
#ifndef CONSOLE_OUTPUT_H
#define CONSOLE_OUTPUT_H

#include <stdbool.h>

#include <pvm3.h>

/* The text of an error code of pvm3.h. */
const char *error_text(int code);

/* A tid as the user writes it: hexadecimal, with or without a t before it; 0 when it is none. */
int tid_parse(const char *text);

/* An int, decimal or 0x hexadecimal. False when it is none, and a line says so. */
bool number_parse(const char *command, const char *text, int *number);

/* The table of tasks: its header and its rows. `console_tid` is shown as (cons). */
void task_header_print(bool full);
void task_print(const struct pvmtaskinfo *task, const char *host, int console_tid, bool full);

#endif
