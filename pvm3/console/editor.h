/*
 * editor.h - lines that a user edits at a terminal, with libedit.
 *
 * What comes unasked appears above the line that is being edited. Nothing polls.
 */
#ifndef CONSOLE_EDITOR_H
#define CONSOLE_EDITOR_H

#include "console/console.h"

struct editor;

/*
 * NULL when lines are to be read plainly: the standard input or output is no terminal, or one
 * without a cursor to move, or the console was built without libedit.
 */
struct editor *editor_start(struct console *console, const char *prompt);
void editor_finish(struct editor *editor);

/*
 * Waits for the next line, while what comes unasked is shown. Without its newline, valid until the
 * next call. NULL at the end of the input, and with console->finished set when the pvmd is lost.
 */
const char *editor_line(struct editor *editor);

#endif
