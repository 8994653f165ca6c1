/* inquiry.c - a child, its pipe and its time. */
#include "daemon/base/inquiry.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "core/system.h"
#include "daemon/base/signals.h"

#define CHILD_OUTPUT 3

static void inquiry_handle(struct loop_source *source, uint32_t events)
{
    struct inquiry *inquiry = LIST_OWNER(source, struct inquiry, source);
    unsigned char piece[INQUIRY_PIECE];
    ssize_t size = read(source->fd, piece, sizeof piece);
    (void)events;
    if (size > 0) {
        inquiry->take(inquiry, piece, (size_t)size);
    } else if (size == 0 || errno != EINTR) {
        inquiry_end(inquiry);
        inquiry->ended(inquiry, true);
    }
}

static void inquiry_expire(struct loop_timer *timer)
{
    struct inquiry *inquiry = LIST_OWNER(timer, struct inquiry, deadline);
    inquiry_end(inquiry);
    inquiry->ended(inquiry, false);
}

void inquiry_prepare(struct inquiry *inquiry, struct loop *loop,
                     void (*take)(struct inquiry *, const void *, size_t),
                     void (*ended)(struct inquiry *, bool))
{
    *inquiry = (struct inquiry){.loop = loop, .child = -1, .take = take, .ended = ended};
    loop_source_start(&inquiry->source, inquiry_handle);
    loop_timer_start(&inquiry->deadline, inquiry_expire);
}

static void __attribute__((noreturn))
inquiry_answer(int output, void (*answer)(int, void *), void *argument)
{
    signals_restore();
    if (output != CHILD_OUTPUT)
        dup2(output, CHILD_OUTPUT);
    closefrom(CHILD_OUTPUT + 1);
    answer(CHILD_OUTPUT, argument);
    _exit(0);
}

bool inquiry_start(struct inquiry *inquiry, int seconds, void (*answer)(int output, void *argument),
                   void *argument)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return false;
    if (loop_watch(inquiry->loop, &inquiry->source, ends[0], EPOLLIN) < 0) {
        close(ends[0]);
        close(ends[1]);
        return false;
    }
    pid_t pid = fork();
    if (pid == 0)
        inquiry_answer(ends[1], answer, argument);
    close(ends[1]);
    if (pid < 0) {
        loop_close(inquiry->loop, &inquiry->source);
        return false;
    }
    inquiry->child = (int)syscall(SYS_pidfd_open, pid, 0);
    loop_timer_set(inquiry->loop, &inquiry->deadline, seconds * 1000);
    return true;
}

void inquiry_end(struct inquiry *inquiry)
{
    if (inquiry->child >= 0) {
        syscall(SYS_pidfd_send_signal, inquiry->child, SIGKILL, NULL, 0);
        close(inquiry->child);
        inquiry->child = -1;
    }
    loop_close(inquiry->loop, &inquiry->source);
    loop_timer_cancel(&inquiry->deadline);
}
