/* agent.c - waits for lines, signals and the ends of children in one place. */
#include "slurm/agent.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Milliseconds that the pvmd has to end in order. Then Slurm kills it with the step. */
#define PATIENCE 5000

struct agent {
    sigset_t awaited, former;
    char text[8192]; /* the two lines */
    size_t length;
    bool started; /* the pvmd */
    bool ending;  /* it has been told to end */
};

/* Starts the pvmd. Its input ends at once, so that it goes to the background when it is ready. */
static void agent_start(struct agent *agent, const char *input, const char *command)
{
    int ends[2];
    if (pipe(ends) < 0)
        return;
    pid_t child = fork();
    if (child == 0) {
        sigprocmask(SIG_SETMASK, &agent->former, NULL);
        dup2(ends[0], STDIN_FILENO);
        close(ends[0]);
        close(ends[1]);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    close(ends[0]);
    dprintf(ends[1], "%s\n", input);
    close(ends[1]);
    agent->started = child > 0;
}

/* False at the end of the input. */
static bool agent_read(struct agent *agent)
{
    size_t room = sizeof agent->text - 1 - agent->length;
    ssize_t size = read(STDIN_FILENO, agent->text + agent->length, room);
    if (size < 0 && errno == EINTR)
        return true;
    if (size <= 0)
        return false;
    agent->length += (size_t)size;
    agent->text[agent->length] = '\0';
    char *first = strchr(agent->text, '\n'), *second = first ? strchr(first + 1, '\n') : NULL;
    if (second && !agent->started) {
        *first = *second = '\0';
        agent_start(agent, agent->text, first + 1);
        return agent->started;
    }
    return true;
}

/* The pvmd is a child of the agent since the process that started it has ended. */
static void agent_end_children(struct agent *agent)
{
    char path[64];
    int child;
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *children = fopen(path, "re");
    while (children && fscanf(children, "%d", &child) == 1)
        kill(child, SIGTERM);
    if (children)
        fclose(children);
    agent->ending = true;
}

static bool agent_has_children(void)
{
    pid_t child;
    while ((child = waitpid(-1, NULL, WNOHANG)) > 0)
        continue;
    return child == 0;
}

static void agent_take_signal(struct agent *agent, int signals)
{
    struct signalfd_siginfo signal;
    if (read(signals, &signal, sizeof signal) != sizeof signal)
        return;
    if (signal.ssi_signo == AGENT_SIGNAL)
        puts(AGENT_WARNING);
    if (signal.ssi_signo == SIGTERM)
        agent_end_children(agent);
}

/* Until there is nothing left to wait for. */
static void agent_serve(struct agent *agent, int signals)
{
    struct pollfd fds[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                           {.fd = signals, .events = POLLIN}};
    while (agent_has_children() || !(agent->started || agent->ending)) {
        if (poll(fds, 2, agent->ending ? PATIENCE : -1) == 0)
            return;
        if (fds[1].revents)
            agent_take_signal(agent, signals);
        if (fds[0].revents && !agent_read(agent)) {
            agent_end_children(agent);
            fds[0].fd = -1;
        }
    }
}

/* A folder of the manager's host that this host does not have is of no use to the pvmd. */
static void agent_clear_environment(void)
{
    struct stat status;
    const char *folder = getenv("PVM_TMP");
    if (folder && (stat(folder, &status) < 0 || !S_ISDIR(status.st_mode)))
        unsetenv("PVM_TMP");
    unsetenv("PVMSOCK");
    unsetenv("PVMEPID");
}

int agent_run(void)
{
    static const int awaited[] = {SIGCHLD, SIGTERM, SIGPIPE, AGENT_SIGNAL};
    struct agent agent = {.length = 0};
    char own[256] = "";
    const char *name = getenv("SLURMD_NODENAME");
    gethostname(own, sizeof own - 1);
    sigemptyset(&agent.awaited);
    for (size_t i = 0; i < sizeof awaited / sizeof awaited[0]; i++)
        sigaddset(&agent.awaited, awaited[i]);
    sigprocmask(SIG_BLOCK, &agent.awaited, &agent.former);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    setvbuf(stdout, NULL, _IOLBF, 0);
    agent_clear_environment();
    puts(name ? name : own);
    agent_serve(&agent, signalfd(-1, &agent.awaited, SFD_CLOEXEC));
    return EXIT_SUCCESS;
}
