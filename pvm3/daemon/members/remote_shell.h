/*
 * remote_shell.h - one remote shell (PVM_RSH, else PVM_ROOT/bin/rsh where there is one, else ssh)
 * that runs a daemon on another host: what it prints, and its end. One thread.
 */
#ifndef DAEMON_MEMBERS_REMOTE_SHELL_H
#define DAEMON_MEMBERS_REMOTE_SHELL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "daemon/base/loop.h"

/* Lines are not longer than this. */
#define REMOTE_SHELL_LINE 256

struct starter_order;

struct remote_shell {
    struct loop *loop;         /* NULL: does not run */
    struct loop_source output; /* its standard output, */
    struct loop_source errors; /* and its standard error */
    const char *host;          /* for the log; the caller's */
    int input;                 /* its end lets the daemon go to the background */
    int process;               /* a descriptor of the process, or -1 */
    pid_t pid;
    bool alone; /* it is in a session of its own, without a terminal */
    bool ended; /* nobody holds its output open any more */
    char line[REMOTE_SHELL_LINE];
    size_t length;
    char error_line[REMOTE_SHELL_LINE];
    size_t error_length;
    void (*told)(struct remote_shell *shell, const char *line);
};

/*
 * Runs order->command; `told` is called once, with the line in which the daemon tells of itself or
 * with NULL when the shell ends without such a line; `told` may call remote_shell_finish. Other
 * lines go to the log. A shell that is not to ask anybody has no terminal. False, after a line on
 * the log, when it cannot be run.
 */
bool remote_shell_start(struct remote_shell *shell, struct loop *loop,
                        const struct starter_order *order,
                        void (*told)(struct remote_shell *, const char *));

/* Lets go of a shell that has done its work, and ends it otherwise. */
void remote_shell_finish(struct remote_shell *shell, bool done);

#endif
