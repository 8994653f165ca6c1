/*
 * remote_session.h - a shell on another host, which the remote shell (PVM_RSH, else ssh) runs, as
 * it does for a pvmd: without a terminal.
 */
#ifndef CONSOLE_REMOTE_SESSION_H
#define CONSOLE_REMOTE_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define REMOTE_TEXT 2048

struct remote_session {
    pid_t pid;
    int input;
    int output;
    int errors;
    char text[REMOTE_TEXT]; /* read and not yet taken */
    size_t length;
    char line[REMOTE_TEXT];
    char complaint[REMOTE_TEXT]; /* the beginning of what it said on its standard error */
};

/*
 * `login` may be NULL. False when it cannot be run, errno says why. The shell gets SIGTERM when the
 * thread that started it ends, in whatever way, before it has finished it.
 */
bool remote_session_start(struct remote_session *session, const char *host, const char *login);

/* Ends it, and what it still runs here. */
void remote_session_finish(struct remote_session *session);

/* Gives it lines to carry out. */
void remote_session_say(struct remote_session *session, const char *text);

/* The end of its input. */
void remote_session_hang_up(struct remote_session *session);

enum remote_session_result {
    REMOTE_LINE,  /* session->line has it */
    REMOTE_OTHER, /* `other` can be read */
    REMOTE_ENDED,
    REMOTE_SILENT, /* nothing for that long */
};

/* Waits for the next line, or until descriptor `other` (-1: none) can be read, for `ms`. */
enum remote_session_result remote_session_wait(struct remote_session *session, int other, int ms);

#endif
