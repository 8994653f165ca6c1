/* terminal.c - standard input and output, one at a time. */
#include "daemon/members/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

static struct terminal_turn *terminal_turn_at(struct list *node)
{
    return LIST_OWNER(node, struct terminal_turn, node);
}

static struct terminal_turn *terminal_owner(const struct terminal *terminal)
{
    return terminal->busy ? terminal_turn_at(terminal->turns.next) : NULL;
}

static void terminal_run_next(struct loop_work *work)
{
    struct terminal *terminal = LIST_OWNER(work, struct terminal, next);
    if (terminal->busy || list_is_empty(&terminal->turns))
        return;
    terminal->busy = true;
    struct terminal_turn *turn = terminal_owner(terminal);
    turn->begin(turn);
}

/* Gives the first whole line to the owner of the turn. False when there is no line or no owner. */
static bool terminal_take_line(struct terminal *terminal)
{
    char line[TERMINAL_LINE];
    struct terminal_turn *turn = terminal_owner(terminal);
    const char *end = memchr(terminal->line, '\n', terminal->length);
    if (!turn || (!end && terminal->length < TERMINAL_LINE - 1))
        return false;
    size_t length = end ? (size_t)(end - terminal->line) : terminal->length;
    size_t taken = length + (end != NULL);
    memcpy(line, terminal->line, length);
    line[length] = '\0';
    terminal->length -= taken;
    memmove(terminal->line, terminal->line + taken, terminal->length);
    turn->typed(turn, line);
    return true;
}

/* Lines that nobody has asked for yet stay, for whose turn comes. */
static void terminal_handle(struct loop_source *source, uint32_t events)
{
    struct terminal *terminal = LIST_OWNER(source, struct terminal, input);
    ssize_t size =
        read(source->fd, terminal->line + terminal->length, TERMINAL_LINE - 1 - terminal->length);
    (void)events;
    if (size < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (size > 0) {
        terminal->length += (size_t)size;
        terminal_take_line(terminal);
        return;
    }
    struct terminal_turn *turn = terminal_owner(terminal);
    loop_close(terminal->loop, source);
    if (turn)
        turn->typed(turn, NULL);
}

void terminal_start(struct terminal *terminal, struct loop *loop)
{
    *terminal = (struct terminal){.loop = loop};
    loop_source_start(&terminal->input, terminal_handle);
    loop_work_start(&terminal->next, terminal_run_next);
    list_start(&terminal->turns);
}

void terminal_finish(struct terminal *terminal)
{
    loop_close(terminal->loop, &terminal->input);
    loop_work_cancel(&terminal->next);
}

bool terminal_can_ask(void)
{
    int fd = open("/dev/tty", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return false;
    close(fd);
    return true;
}

void terminal_want(struct terminal *terminal, struct terminal_turn *turn)
{
    turn->waiting = true;
    list_append(&terminal->turns, &turn->node);
    loop_defer(terminal->loop, &terminal->next);
}

void terminal_leave(struct terminal *terminal, struct terminal_turn *turn)
{
    if (!turn->waiting)
        return;
    if (turn == terminal_owner(terminal)) {
        terminal->busy = false;
        loop_close(terminal->loop, &terminal->input);
        loop_defer(terminal->loop, &terminal->next);
    }
    turn->waiting = false;
    list_remove(&turn->node);
}

bool terminal_write(const char *text)
{
    size_t length = strlen(text);
    struct pollfd ready = {.fd = STDOUT_FILENO, .events = POLLOUT};
    if (poll(&ready, 1, 0) != 1 || !(ready.revents & POLLOUT)) {
        errno = EAGAIN;
        return false;
    }
    return write(STDOUT_FILENO, text, length) == (ssize_t)length;
}

/*
 * An open file of its own, which may be told not to block without telling the shell's. Where the
 * system gives none, as for a socket, the standard input itself is read when something is there.
 */
static int terminal_open_input(void)
{
    int fd = open("/proc/self/fd/0", O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    return fd >= 0 ? fd : fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

bool terminal_read(struct terminal *terminal)
{
    int fd = terminal->input.fd >= 0 ? -1 : terminal_open_input();
    if (fd >= 0 && loop_watch(terminal->loop, &terminal->input, fd, EPOLLIN) < 0) {
        int error = errno;
        close(fd);
        errno = error;
        return false;
    }
    if (terminal->input.fd >= 0)
        terminal_take_line(terminal);
    return terminal->input.fd >= 0;
}
