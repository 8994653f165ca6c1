/*
 * console.h - what all commands of the console share.
 *
 * The console is an ordinary task with one thread. A command gets the words of its line, its own
 * name first; it prints its result to stdout. The command loop flushes.
 */
#ifndef CONSOLE_CONSOLE_H
#define CONSOLE_CONSOLE_H

#include <stdbool.h>

#include "console/alias.h"
#include "console/report.h"

struct command;
struct decoder;
struct job;

struct console {
    struct report report;
    const struct command *commands; /* by name; the entry behind the last has no name */
    int tid;
    struct alias *aliases;
    struct job *jobs;        /* in the order of their numbers */
    int last_job;            /* number of the newest job, 0 before the first */
    struct decoder *decoder; /* of all traced jobs; NULL before the first */
    int *own_hosts;          /* dtids that `add` has added, of which no notice has come yet */
    int own_host_count;
    bool finished; /* leave the command loop */
    int status;    /* and with this exit status */
};

/* Tags of messages that come unasked. Job n uses TAG_JOBS + n. */
enum { TAG_HOSTS_ADDED = 0, TAG_JOBS = 3 };

typedef void command_function(struct console *console, int count, char **word);

/* What the words behind a command are, for completion. */
enum argument_kind {
    ARGUMENTS_FREE,
    ARGUMENTS_ALIASES,
    ARGUMENTS_COMMANDS,
    ARGUMENTS_EVENTS,    /* to trace */
    ARGUMENTS_HOSTS,     /* of the virtual machine */
    ARGUMENTS_MOVE,      /* tids, and then a host */
    ARGUMENTS_NAMES,     /* of mailbox entries */
    ARGUMENTS_NEW_HOSTS, /* that may be added */
    ARGUMENTS_OPTIONS,   /* one, and then a value */
    ARGUMENTS_PS,
    ARGUMENTS_SPAWN,
    ARGUMENTS_TIDS,
    ARGUMENTS_VARIABLES, /* of the environment */
};

struct command {
    const char *name;
    command_function *run;
    int least; /* words, the name included */
    int most;
    bool hidden; /* not in the list of commands */
    enum argument_kind arguments;
    const char *summary;
    const char *syntax;      /* behind the name; further lines are whole */
    const char *details;     /* lines about options and fields, NULL: none */
    const char *explanation; /* lines: what it does, and an example */
};

#endif
