/* keeper.c - starting, watching, ending. */
#include "run/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run/memory.h"
#include "run/signals.h"

/* Milliseconds in which a daemon ends in order: it may have to tell other hosts. */
#define PATIENCE 30000

static int keeper_remove(const char *path, const struct stat *status, int type, struct FTW *where)
{
    (void)status;
    (void)type;
    (void)where;
    remove(path);
    return 0;
}

/* The daemon beside this program, or one of the search path. */
static void __attribute__((noreturn)) keeper_become_daemon(int line)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - sizeof "pvmd");
    char *slash = length > 0 ? memrchr(path, '/', (size_t)length) : NULL;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    dup2(line, STDOUT_FILENO);
    signals_restore();
    if (slash) {
        strcpy(slash + 1, "pvmd");
        execl(path, "pvmd", (char *)NULL);
    }
    execlp("pvmd", "pvmd", (char *)NULL);
    fprintf(stderr, "pvmrun: cannot start pvmd: %s\n", strerror(errno));
    _exit(EXIT_FAILURE);
}

static bool keeper_has_reaped(pid_t daemon)
{
    return waitpid(daemon, NULL, WNOHANG) != 0;
}

/* Ends the daemon in order, or, if it does not end, at once. */
static void keeper_end_daemon(pid_t daemon, int signals)
{
    struct pollfd fd = {.fd = signals, .events = POLLIN};
    kill(daemon, SIGTERM);
    while (!keeper_has_reaped(daemon)) {
        if (poll(&fd, 1, PATIENCE) == 0)
            kill(daemon, SIGKILL);
        signals_take(signals);
    }
}

/* Until pvmrun has ended, or the daemon. */
static void keeper_watch(pid_t daemon, int life, int signals)
{
    struct pollfd fds[] = {{.fd = life, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
    while (!keeper_has_reaped(daemon)) {
        poll(fds, 2, -1);
        signals_take(signals);
        if (fds[0].revents) {
            keeper_end_daemon(daemon, signals);
            return;
        }
    }
}

static void __attribute__((noreturn)) keeper_run(int life, int line, const char *folder)
{
    /* SIGHUP and others come to a process of the terminal, which this is not. */
    static const int awaited[] = {SIGCHLD, SIGTERM, SIGHUP, 0};
    setsid();
    int signals = signals_open(awaited), null = open("/dev/null", O_RDWR);
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    pid_t daemon = fork();
    if (daemon == 0)
        keeper_become_daemon(line);
    close(line);
    if (daemon > 0)
        keeper_watch(daemon, life, signals);
    nftw(folder, keeper_remove, 16, FTW_DEPTH | FTW_PHYS);
    _exit(EXIT_SUCCESS);
}

/* NULL when the daemon ended without a word. */
static char *keeper_read_address(int line)
{
    char *address = NULL;
    size_t room = 0;
    FILE *stream = fdopen(line, "r");
    if (stream && getline(&address, &room, stream) > 0) {
        address[strcspn(address, "\n")] = '\0';
    } else {
        free(address);
        address = NULL;
    }
    if (stream)
        fclose(stream);
    return address;
}

char *keeper_start(struct keeper *keeper, const char *folder)
{
    int life[2], line[2];
    if (pipe2(life, O_CLOEXEC) < 0 || pipe2(line, O_CLOEXEC) < 0 || (keeper->pid = fork()) < 0) {
        perror("pvmrun: cannot start a daemon");
        rmdir(folder);
        return NULL;
    }
    if (keeper->pid == 0) {
        close(life[1]);
        close(line[0]);
        keeper_run(life[0], line[1], folder);
    }
    close(life[0]);
    close(line[1]);
    keeper->life = life[1];
    char *address = keeper_read_address(line[0]);
    if (!address)
        keeper_end(keeper);
    return address;
}

void keeper_end(struct keeper *keeper)
{
    close(keeper->life);
    while (waitpid(keeper->pid, NULL, 0) < 0 && errno == EINTR)
        ;
}
