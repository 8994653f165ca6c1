/*
 * starter.h - starts the daemon of another host, by one of the ways that so= names, and waits for
 * the line in which it tells of itself.
 *
 * All hosts of a request start at the same time, but for those that need the terminal
 * (terminal.h); each has its own result and its own end of patience. One thread.
 */
#ifndef DAEMON_MEMBERS_STARTER_H
#define DAEMON_MEMBERS_STARTER_H

#include "daemon/base/loop.h"
#include "daemon/members/remote_shell.h"
#include "daemon/members/terminal.h"
#include "daemon/post/machine_key.h"

struct daemon;

enum starter_way {
    STARTER_SHELL,        /* the remote shell, which cannot ask */
    STARTER_ASKING_SHELL, /* so=pw: the remote shell may ask for a password on the terminal */
    STARTER_BY_HAND,      /* so=ms: the user is asked to */
};

/* The strings stay the caller's and are needed until the end, but for the two commands. */
struct starter_order {
    enum starter_way way;
    const char *host;                /* for the log, and for the user */
    const char *address;             /* to be reached at */
    const char *login;               /* NULL: the own one */
    const char *machine;             /* PVM_VMID there, may be empty */
    char key[MACHINE_KEY_TEXT_SIZE]; /* for the daemon there; empty: it gets none */
    char *command;                   /* what to run; freed here */
    char *windows_command; /* what the user may run on Windows instead, or NULL; freed here */
};

struct starter {
    struct daemon *daemon; /* NULL: was never started */
    struct starter_order order;
    struct remote_shell shell;
    struct terminal_turn turn;
    struct loop_timer patience;
    struct loop_work end;
    char result[REMOTE_SHELL_LINE]; /* the daemon's line, or the name of an error */
    void (*done)(struct starter *starter);
};

/* `done` is called from the loop, once, with the result; starter_finish may be called there. */
void starter_start(struct starter *starter, struct daemon *daemon,
                   const struct starter_order *order, void (*done)(struct starter *));

/* Lets go of it, whether it is done or not. */
void starter_finish(struct starter *starter);

#endif
