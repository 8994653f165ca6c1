/*
 * starter.h - starts the daemon of another host through the remote shell, and waits for the line in
 * which it tells of itself (wire.md 3.10).
 *
 * All hosts of a request start at the same time; each has its own result and its own end of
 * patience. One thread.
 */
#ifndef DAEMON_STARTER_H
#define DAEMON_STARTER_H

#include <stddef.h>
#include <sys/types.h>

#include "daemon/loop.h"

/* A host that has not answered by then cannot be started. */
#define STARTER_SECONDS 60

/* Lines are not longer than this. */
#define STARTER_LINE 256

struct starter {
    struct loop *loop;
    struct loop_source output; /* of the remote shell, */
    struct loop_source errors; /* and its standard error */
    struct loop_timer patience;
    struct loop_work end;
    const char *host; /* for the log; the caller's */
    int input;        /* of the remote shell: its end lets the daemon go to the background */
    char line[STARTER_LINE];
    size_t length;
    char error_line[STARTER_LINE];
    size_t error_length;
    char result[STARTER_LINE]; /* the daemon's line, or the name of an error */
    void (*done)(struct starter *starter);
};

/*
 * Runs `command` on the host by the remote shell (PVM_RSH, else ssh), as `login` unless that is
 * NULL; `machine`, unless empty, is the virtual machine that the daemon is told. `done` is called
 * from the loop, once, with the result; starter_finish may be called there.
 */
void starter_start(struct starter *starter, struct loop *loop, const char *host,
                   const char *address, const char *login, const char *command, const char *machine,
                   void (*done)(struct starter *));

/* Lets go of it, whether it is done or not. */
void starter_finish(struct starter *starter);

#endif
