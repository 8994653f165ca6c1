/*
 * command_line.h - what a line asks for.
 */
#ifndef CONSOLE_COMMAND_LINE_H
#define CONSOLE_COMMAND_LINE_H

#include "console/console.h"

/* NULL: no command has this name. */
const struct command *command_find(const struct console *console, const char *name);

/* Carries out one line. */
void command_line(struct console *console, const char *line);

#endif
