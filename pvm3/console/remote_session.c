/* remote_session.c - a child, a socket for its input and two pipes for its output. */
#include "console/remote_session.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <pvm3.h>

/*
 * In the child: becomes the remote shell, in a session without a terminal. Ctrl-C at the console
 * does not get there, and a console that a signal ends cannot pass it on: the system does.
 */
static void __attribute__((noreturn))
session_become(int ends[3][2], const char *host, const char *login, pid_t console)
{
    char shell[] = "sh", option[] = "-l";
    char *words[] = {pvmgetrsh(), (char *)host, option, (char *)login, shell, NULL};
    if (!login) {
        words[2] = shell;
        words[3] = NULL;
    }
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != console)
        _exit(1);
    setsid();
    dup2(ends[0][0], STDIN_FILENO);
    dup2(ends[1][1], STDOUT_FILENO);
    dup2(ends[2][1], STDERR_FILENO);
    signal(SIGINT, SIG_DFL);
    execvp(words[0], words);
    dprintf(STDERR_FILENO, "cannot run the remote shell %s (PVM_RSH): %s\n", words[0],
            strerror(errno));
    _exit(127);
}

static void ends_close(int ends[3][2])
{
    for (int i = 0; i < 6; i++)
        if (ends[i / 2][i % 2] >= 0)
            close(ends[i / 2][i % 2]);
}

bool remote_session_start(struct remote_session *session, const char *host, const char *login)
{
    int ends[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}};

    *session = (struct remote_session){.pid = -1, .input = -1, .output = -1, .errors = -1};
    /* A socket for its input: a pipe whose reader is gone would send a signal. */
    bool good = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends[0]) == 0;
    for (int i = 1; i < 3; i++)
        good = good && pipe2(ends[i], O_CLOEXEC) == 0;
    pid_t own = getpid();
    session->pid = good ? fork() : -1;
    if (session->pid == 0)
        session_become(ends, host, login, own);
    if (session->pid < 0) {
        ends_close(ends);
        return false;
    }
    session->input = ends[0][1];
    session->output = ends[1][0];
    session->errors = ends[2][0];
    ends[0][1] = ends[1][0] = ends[2][0] = -1;
    ends_close(ends);
    return true;
}

static void descriptor_close(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

void remote_session_hang_up(struct remote_session *session)
{
    descriptor_close(&session->input);
}

void remote_session_finish(struct remote_session *session)
{
    descriptor_close(&session->input);
    descriptor_close(&session->output);
    descriptor_close(&session->errors);
    if (session->pid > 0) {
        kill(-session->pid, SIGKILL);
        while (waitpid(session->pid, NULL, 0) < 0 && errno == EINTR)
            continue;
    }
    session->pid = -1;
}

void remote_session_say(struct remote_session *session, const char *text)
{
    size_t left = strlen(text);
    while (session->input >= 0 && left > 0) {
        ssize_t sent = send(session->input, text, left, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR)
            return; /* its end is seen when a line is waited for */
        text += sent > 0 ? sent : 0;
        left -= sent > 0 ? (size_t)sent : 0;
    }
}

/* Takes a whole line out of what was read; at the end also what is left. */
static bool session_take_line(struct remote_session *session)
{
    char *end = memchr(session->text, '\n', session->length);
    bool full = session->length == sizeof session->text - 1;
    if (!end && !(session->length > 0 && (full || session->output < 0)))
        return false;
    size_t length = end ? (size_t)(end - session->text) : session->length;
    size_t taken = length + (end != NULL);
    memcpy(session->line, session->text, length);
    session->line[length] = '\0';
    session->length -= taken;
    memmove(session->text, session->text + taken, session->length);
    return true;
}

/* Reads once from `*fd` behind what is there; closes it at its end. */
static void session_read(int *fd, char *text, size_t size, size_t *length)
{
    char rest[512];
    size_t room = size - 1 - *length;
    ssize_t got = read(*fd, room > 0 ? text + *length : rest, room > 0 ? room : sizeof rest);
    if (got > 0 && room > 0)
        *length += (size_t)got;
    else if (got == 0 || (got < 0 && errno != EINTR))
        descriptor_close(fd);
    text[*length] = '\0';
}

static long now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

enum remote_session_result remote_session_wait(struct remote_session *session, int other, int ms)
{
    long end = now_ms() + ms;
    while (!session_take_line(session)) {
        if (session->output < 0 && session->errors < 0)
            return REMOTE_ENDED;
        long left = end - now_ms();
        struct pollfd wait[] = {{.fd = session->output, .events = POLLIN},
                                {.fd = session->errors, .events = POLLIN},
                                {.fd = other, .events = POLLIN}};
        int ready = poll(wait, 3, left > 0 ? (int)left : 0);
        if (ready == 0)
            return REMOTE_SILENT;
        if (ready < 0)
            continue;
        if (wait[2].revents)
            return REMOTE_OTHER;
        if (wait[0].revents)
            session_read(&session->output, session->text, sizeof session->text, &session->length);
        size_t said = strlen(session->complaint);
        if (wait[1].revents)
            session_read(&session->errors, session->complaint, sizeof session->complaint, &said);
    }
    return REMOTE_LINE;
}
