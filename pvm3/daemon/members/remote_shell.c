/* remote_shell.c - a child process and its three pipes. */
#include "daemon/members/remote_shell.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "core/environment.h"
#include "core/system.h"
#include "daemon/base/log.h"
#include "daemon/base/signals.h"
#include "daemon/members/slave.h"
#include "daemon/members/starter.h"
#include "places.h"

/* The beginning of the line in which a daemon tells of itself. */
#define RESULT_START "ddpro<"

/* True when the line is the daemon's; others are shown on the log. */
static bool remote_shell_take_line(struct remote_shell *shell, const char *stream, const char *line)
{
    if (strcmp(stream, "stdout") == 0 && (strncmp(line, RESULT_START, strlen(RESULT_START)) == 0 ||
                                          strcmp(line, "PvmDupHost") == 0)) {
        shell->told(shell, line);
        return true;
    }
    if (*line)
        log_write("%s@%s: %s", stream, shell->host, line);
    return false;
}

/* Reads once, and takes whole lines, and what is too long for one. False at the end. */
static bool remote_shell_read(struct remote_shell *shell, struct loop_source *source,
                              const char *stream, char line[REMOTE_SHELL_LINE], size_t *length)
{
    ssize_t size = read(source->fd, line + *length, REMOTE_SHELL_LINE - 1 - *length);
    if (size <= 0)
        return size < 0 && (errno == EAGAIN || errno == EINTR);
    *length += (size_t)size;
    line[*length] = '\0';
    char *end;
    while ((end = strchr(line, '\n')) != NULL || *length == REMOTE_SHELL_LINE - 1) {
        size_t taken = end ? (size_t)(end - line) + 1 : *length;
        if (end)
            *end = '\0';
        if (remote_shell_take_line(shell, stream, line))
            return true;
        *length -= taken;
        memmove(line, line + taken, *length + 1);
    }
    return true;
}

static void remote_shell_handle_output(struct loop_source *source, uint32_t events)
{
    struct remote_shell *shell = LIST_OWNER(source, struct remote_shell, output);
    (void)events;
    if (remote_shell_read(shell, source, "stdout", shell->line, &shell->length))
        return;
    shell->ended = true;
    log_write("the remote shell for %s ended without a daemon", shell->host);
    shell->told(shell, NULL);
}

static void remote_shell_handle_errors(struct loop_source *source, uint32_t events)
{
    struct remote_shell *shell = LIST_OWNER(source, struct remote_shell, errors);
    (void)events;
    if (!remote_shell_read(shell, source, "stderr", shell->error_line, &shell->error_length))
        loop_close(shell->loop, source);
}

/* In the child: becomes the remote shell. */
static void __attribute__((noreturn))
remote_shell_become(const int ends[3], const struct starter_order *order, bool alone)
{
    const char *standard = access(PVM_DEFAULT_SHELL, X_OK) == 0 ? PVM_DEFAULT_SHELL : "ssh";
    const char *name = environment_get("PVM_RSH", standard);
    char *arguments[] = {(char *)(uintptr_t)name,  (char *)(uintptr_t)order->address,
                         (char *)(uintptr_t) "-l", (char *)(uintptr_t)order->login,
                         order->command,           NULL};
    if (!order->login) {
        arguments[2] = arguments[4];
        arguments[3] = NULL;
    }
    if (alone)
        setsid();
    for (int i = 0; i < 3; i++)
        dup2(ends[i], i);
    closefrom(STDERR_FILENO + 1);
    signals_restore();
    execvp(name, arguments);
    dprintf(STDERR_FILENO, "cannot run the remote shell %s (PVM_RSH): %s\n", name, strerror(errno));
    _exit(1);
}

static void remote_shell_close_pipe(int pipe[2])
{
    for (int i = 0; i < 2; i++)
        if (pipe[i] >= 0)
            close(pipe[i]);
}

/* Keeps the daemon's ends of the pipes, and watches two of them. */
static bool remote_shell_keep(struct remote_shell *shell, int input, int output, int errors)
{
    shell->input = input;
    fcntl(output, F_SETFL, O_NONBLOCK);
    fcntl(errors, F_SETFL, O_NONBLOCK);
    bool good = loop_watch(shell->loop, &shell->output, output, EPOLLIN) == 0;
    if (!good)
        close(output);
    if (loop_watch(shell->loop, &shell->errors, errors, EPOLLIN) < 0) {
        close(errors);
        good = false;
    }
    return good;
}

/*
 * In one line, since a daemon of 3.4.6 reads one, and passes over words that it does not know. It
 * does not wait for the line: so the line is there before the remote shell begins.
 */
static void remote_shell_write(int input, const struct starter_order *order)
{
    const char *machine = order->machine;
    if (*order->key)
        dprintf(input, "%s%s%s%s%s\n", *machine ? "PVM_VMID=" : "", machine, *machine ? " " : "",
                SLAVE_KEY_WORD, order->key);
    else if (*machine)
        dprintf(input, "PVM_VMID=%s\n", machine);
}

static bool remote_shell_fork(struct remote_shell *shell, const struct starter_order *order)
{
    int pipes[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
    bool good = true;
    for (int i = 0; i < 3; i++)
        good = good && pipe2(pipes[i], O_CLOEXEC) == 0;
    if (good)
        remote_shell_write(pipes[0][1], order);
    shell->pid = good ? fork() : -1;
    const int ends[] = {pipes[0][0], pipes[1][1], pipes[2][1]};
    if (shell->pid == 0)
        remote_shell_become(ends, order, shell->alone);
    if (shell->pid < 0) {
        int error = errno;
        for (int i = 0; i < 3; i++)
            remote_shell_close_pipe(pipes[i]);
        errno = error;
        return false;
    }
    shell->process = (int)syscall(SYS_pidfd_open, shell->pid, 0);
    for (int i = 0; i < 3; i++)
        close(ends[i]);
    return remote_shell_keep(shell, pipes[0][1], pipes[1][0], pipes[2][0]);
}

bool remote_shell_start(struct remote_shell *shell, struct loop *loop,
                        const struct starter_order *order,
                        void (*told)(struct remote_shell *, const char *))
{
    *shell = (struct remote_shell){.loop = loop,
                                   .host = order->host,
                                   .input = -1,
                                   .process = -1,
                                   .alone = order->way == STARTER_SHELL,
                                   .told = told};
    loop_source_start(&shell->output, remote_shell_handle_output);
    loop_source_start(&shell->errors, remote_shell_handle_errors);
    log_debug(LOG_STARTS, "%s: %s", order->host, order->command);
    if (!remote_shell_fork(shell, order)) {
        log_write("cannot run a remote shell for %s: %s", order->host, strerror(errno));
        return false;
    }
    return true;
}

/*
 * The number of the process, which is also that of its group, is not given to others before the
 * process has been collected and its session is empty. While the output is open, a process of the
 * session holds it.
 */
static void remote_shell_kill(const struct remote_shell *shell)
{
    bool there =
        shell->process >= 0 && syscall(SYS_pidfd_send_signal, shell->process, 0, NULL, 0) == 0;
    if (shell->pid > 0 && shell->alone && (there || !shell->ended))
        kill(-shell->pid, SIGTERM);
    if (there)
        syscall(SYS_pidfd_send_signal, shell->process, SIGTERM, NULL, 0);
}

void remote_shell_finish(struct remote_shell *shell, bool done)
{
    if (!shell->loop)
        return;
    if (!done)
        remote_shell_kill(shell);
    loop_close(shell->loop, &shell->output);
    loop_close(shell->loop, &shell->errors);
    if (shell->input >= 0)
        close(shell->input);
    if (shell->process >= 0)
        close(shell->process);
    shell->loop = NULL;
}
