/* starter.c - one remote shell. */
#include "daemon/starter.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "core/environment.h"
#include "daemon/log.h"
#include "daemon/signals.h"

#define SHELL_DEFAULT "ssh"

/* What a line begins with that a daemon tells of itself in. */
#define RESULT_START "ddpro<"

static void starter_run_done(struct loop_work *work)
{
    struct starter *starter = LIST_OWNER(work, struct starter, end);
    starter->done(starter);
}

static void starter_close(struct starter *starter)
{
    loop_timer_cancel(&starter->patience);
    loop_close(starter->loop, &starter->output);
    loop_close(starter->loop, &starter->errors);
    if (starter->input >= 0)
        close(starter->input);
    starter->input = -1;
}

static void starter_end(struct starter *starter, const char *result)
{
    snprintf(starter->result, sizeof starter->result, "%s", result);
    starter_close(starter);
    loop_defer(starter->loop, &starter->end);
}

static void starter_lose_patience(struct loop_timer *timer)
{
    struct starter *starter = LIST_OWNER(timer, struct starter, patience);
    log_write("the daemon on %s was not there within %d seconds", starter->host, STARTER_SECONDS);
    starter_end(starter, "PvmCantStart");
}

/* True when the line is the daemon's; others are shown on the log. */
static bool starter_take_line(struct starter *starter, const char *stream, const char *line)
{
    if (strcmp(stream, "stdout") == 0 && strncmp(line, RESULT_START, strlen(RESULT_START)) == 0) {
        starter_end(starter, line);
        return true;
    }
    if (strcmp(stream, "stdout") == 0 && strcmp(line, "PvmDupHost") == 0) {
        starter_end(starter, line);
        return true;
    }
    if (*line)
        log_write("%s@%s: %s", stream, starter->host, line);
    return false;
}

/* Reads once, and takes whole lines, and what is too long for one. False at the end. */
static bool starter_read(struct starter *starter, struct loop_source *source, const char *stream,
                         char line[STARTER_LINE], size_t *length)
{
    ssize_t size = read(source->fd, line + *length, STARTER_LINE - 1 - *length);
    if (size <= 0)
        return size < 0 && (errno == EAGAIN || errno == EINTR);
    *length += (size_t)size;
    line[*length] = '\0';
    char *end;
    while ((end = strchr(line, '\n')) != NULL || *length == STARTER_LINE - 1) {
        size_t taken = end ? (size_t)(end - line) + 1 : *length;
        if (end)
            *end = '\0';
        if (starter_take_line(starter, stream, line))
            return true;
        *length -= taken;
        memmove(line, line + taken, *length + 1);
    }
    return true;
}

static void starter_handle_output(struct loop_source *source, uint32_t events)
{
    struct starter *starter = LIST_OWNER(source, struct starter, output);
    (void)events;
    if (starter_read(starter, source, "stdout", starter->line, &starter->length))
        return;
    log_write("the remote shell for %s ended without a daemon", starter->host);
    starter_end(starter, "PvmCantStart");
}

static void starter_handle_errors(struct loop_source *source, uint32_t events)
{
    struct starter *starter = LIST_OWNER(source, struct starter, errors);
    (void)events;
    if (!starter_read(starter, source, "stderr", starter->error_line, &starter->error_length))
        loop_close(starter->loop, source);
}

/* In the child: becomes the remote shell. */
static void __attribute__((noreturn))
starter_become(int input, int output, int errors, const char *address, const char *login,
               const char *command)
{
    const char *shell = environment_get("PVM_RSH", SHELL_DEFAULT);
    char *arguments[] = {(char *)(uintptr_t)shell,   (char *)(uintptr_t)address,
                         (char *)(uintptr_t) "-l",   (char *)(uintptr_t)login,
                         (char *)(uintptr_t)command, NULL};
    if (!login) {
        arguments[2] = arguments[4];
        arguments[3] = NULL;
    }
    dup2(input, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);
    close_range(STDERR_FILENO + 1, ~0U, 0);
    signals_restore();
    execvp(shell, arguments);
    dprintf(STDERR_FILENO, "cannot run the remote shell %s (PVM_RSH): %s\n", shell,
            strerror(errno));
    _exit(1);
}

static bool starter_watch(struct starter *starter, struct loop_source *source, int fd)
{
    fcntl(fd, F_SETFL, O_NONBLOCK);
    if (loop_watch(starter->loop, source, fd, EPOLLIN) == 0)
        return true;
    close(fd);
    return false;
}

static bool starter_fork(struct starter *starter, const char *address, const char *login,
                         const char *command)
{
    int input[2] = {-1, -1}, output[2] = {-1, -1}, errors[2] = {-1, -1};
    bool good = pipe2(input, O_CLOEXEC) == 0 && pipe2(output, O_CLOEXEC) == 0 &&
                pipe2(errors, O_CLOEXEC) == 0;
    pid_t pid = good ? fork() : -1;
    if (pid == 0)
        starter_become(input[0], output[1], errors[1], address, login, command);
    close(input[0]);
    close(output[1]);
    close(errors[1]);
    starter->input = input[1];
    if (pid > 0 && starter_watch(starter, &starter->output, output[0]) &&
        starter_watch(starter, &starter->errors, errors[0]))
        return true;
    log_write("cannot run a remote shell for %s: %s", starter->host, strerror(errno));
    return false;
}

void starter_start(struct starter *starter, struct loop *loop, const char *host,
                   const char *address, const char *login, const char *command, const char *machine,
                   void (*done)(struct starter *))
{
    *starter = (struct starter){.loop = loop, .host = host, .input = -1, .done = done};
    loop_source_start(&starter->output, starter_handle_output);
    loop_source_start(&starter->errors, starter_handle_errors);
    loop_timer_start(&starter->patience, starter_lose_patience);
    loop_work_start(&starter->end, starter_run_done);
    if (!starter_fork(starter, address, login, command)) {
        starter_end(starter, "PvmCantStart");
        return;
    }
    if (*machine)
        dprintf(starter->input, "PVM_VMID=%s\n", machine);
    loop_timer_set(loop, &starter->patience, STARTER_SECONDS * 1000);
}

void starter_finish(struct starter *starter)
{
    if (!starter->loop)
        return;
    starter_close(starter);
    loop_work_cancel(&starter->end);
}
