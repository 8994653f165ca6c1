/* signals.c - signalfd. */
#include "daemon/base/signals.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "daemon/base/daemon.h"
#include "daemon/base/log.h"

static void signals_handle(struct loop_source *source, uint32_t events)
{
    struct daemon *daemon = LIST_OWNER(source, struct daemon, signals.source);
    struct signalfd_siginfo signal;
    (void)events;
    if (read(source->fd, &signal, sizeof signal) == (ssize_t)sizeof signal)
        daemon->signals.take(daemon, (int)signal.ssi_signo);
}

static void signals_set(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGCHLD);
    sigaddset(set, SIGTERM);
    struct sigaction interrupt;
    if (sigaction(SIGINT, NULL, &interrupt) == 0 && interrupt.sa_handler != SIG_IGN)
        sigaddset(set, SIGINT);
}

int signals_start(struct daemon *daemon, void (*take)(struct daemon *daemon, int number))
{
    sigset_t set;
    signals_set(&set);
    daemon->signals.take = take;
    loop_source_start(&daemon->signals.source, signals_handle);
    if (sigprocmask(SIG_SETMASK, &set, NULL) < 0 || signal(SIGCHLD, SIG_DFL) == SIG_ERR ||
        signal(SIGPIPE, SIG_IGN) == SIG_ERR || signal(SIGXFSZ, SIG_IGN) == SIG_ERR ||
        signal(SIGHUP, SIG_IGN) == SIG_ERR || signal(SIGTTIN, SIG_IGN) == SIG_ERR ||
        signal(SIGTTOU, SIG_IGN) == SIG_ERR)
        return -1;
    int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return fd < 0 ? -1 : loop_watch(&daemon->loop, &daemon->signals.source, fd, EPOLLIN);
}

void signals_restore(void)
{
    sigset_t none;
    sigemptyset(&none);
    signal(SIGXFSZ, SIG_DFL); /* a log that grew too long was the daemon's trouble alone, */
    signal(SIGTTIN, SIG_DFL); /* and so was a terminal that it may not use */
    signal(SIGTTOU, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Process 1 and groups are never meant, whatever a task says of itself. */
void signals_send(pid_t process, uint32_t tid, int number)
{
    if (process <= 1)
        return;
    if (kill(process, number) < 0 && errno != ESRCH)
        log_write("cannot send signal %d to t%x (process %ld): %s", number, tid, (long)process,
                  strerror(errno));
}
