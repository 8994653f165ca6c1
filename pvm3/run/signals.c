/* signals.c - signalfd. */
#include "run/signals.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

int signals_open(const int *numbers)
{
    sigset_t set;
    sigemptyset(&set);
    for (; *numbers; numbers++)
        sigaddset(&set, *numbers);
    sigprocmask(SIG_BLOCK, &set, NULL);
    int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (fd < 0) {
        perror("pvmrun: cannot wait for signals");
        exit(EXIT_FAILURE);
    }
    return fd;
}

int signals_take(int fd)
{
    struct signalfd_siginfo signal;
    return read(fd, &signal, sizeof signal) == sizeof signal ? (int)signal.ssi_signo : 0;
}

void signals_restore(void)
{
    sigset_t none;
    static const int ignored[] = {SIGPIPE, SIGTTIN, SIGTTOU, SIGINT, SIGQUIT, SIGHUP};
    for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++)
        signal(ignored[i], SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}
