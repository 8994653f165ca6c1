/*
 * commands.h - the commands, and the functions behind them by the file that they are in.
 */
#ifndef CONSOLE_COMMANDS_H
#define CONSOLE_COMMANDS_H

#include "console/console.h"

/* All commands by name; the entry behind the last has no name. */
extern const struct command commands[];

/* hosts.c */
command_function command_add, command_conf, command_delete, command_halt, command_mstat;

/* check.c */
command_function command_check;

/* checkpoint.c */
command_function command_checkpoint, command_restart;

/* tasks.c */
command_function command_kill, command_ps, command_pstat, command_reset, command_sig;

/* jobs.c */
command_function command_jobs, command_spawn;

/* mailbox.c */
command_function command_names, command_put;

/* move.c */
command_function command_evacuate, command_move;

/* settings.c */
command_function command_alias, command_export, command_getopt, command_setenv, command_setopt,
    command_unalias, command_unexport;

/* help.c */
command_function command_help;

/* simple.c */
command_function command_echo, command_id, command_idump, command_quit, command_tickle,
    command_version;

/* trace.c */
command_function command_trace;

/* The events that are traced unless the user wants others. */
void trace_choose_usual(void);

#endif
