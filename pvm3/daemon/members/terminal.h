/*
 * terminal.h - whose turn is it to use the terminal that the daemon was started at?
 *
 * Hosts that are started by hand (so=ms) or that may ask for a password (so=pw) do so one after the
 * other. Typed lines are read from the standard input, which may be a pipe, and only by the owner
 * of the turn. Nothing blocks: text that the other side does not take is refused. One thread.
 */
#ifndef DAEMON_MEMBERS_TERMINAL_H
#define DAEMON_MEMBERS_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

#include "daemon/base/loop.h"

/* Lines that are typed are not longer than this. */
#define TERMINAL_LINE 256

/* A turn at the terminal; part of a larger structure. */
struct terminal_turn {
    struct list node;
    bool waiting;                                                /* or having it */
    void (*begin)(struct terminal_turn *turn);                   /* it is its turn now */
    void (*typed)(struct terminal_turn *turn, const char *line); /* NULL: no more can come */
};

struct terminal {
    struct loop *loop;
    struct loop_source input; /* watched while one reads */
    struct loop_work next;
    struct list turns; /* the first one has it */
    bool busy;         /* it has begun */
    char line[TERMINAL_LINE];
    size_t length;
};

void terminal_start(struct terminal *terminal, struct loop *loop);
void terminal_finish(struct terminal *terminal);

/* A terminal is there for programs that ask on it (/dev/tty). */
bool terminal_can_ask(void);

/* `turn` waits for its turn: begin is called from the loop. */
void terminal_want(struct terminal *terminal, struct terminal_turn *turn);
/* It is over, or not wanted any more; for one that has not asked, too. */
void terminal_leave(struct terminal *terminal, struct terminal_turn *turn);

/* By whose turn it is: writes to the standard output. False with errno. */
bool terminal_write(const char *text);
/* By whose turn it is: `typed` is called for each line from now on. False with errno. */
bool terminal_read(struct terminal *terminal);

#endif
