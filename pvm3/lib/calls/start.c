/* start.c - starting a pvmd from a program. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/system.h"
#include "lib/calls/machine.h"
#include "lib/link/pvmd_address.h"
#include "lib/link/pvmd_link.h"
#include "lib/task/process.h"
#include "lib/task/public.h"
#include "lib/task/variables.h"
#include "places.h"

/* The process that becomes the pvmd: its first line comes back through `line`. Does not return. */
static void start_run(char **command, int line)
{
    int null = open("/dev/null", O_RDWR);
    dup2(null, STDIN_FILENO);
    dup2(line, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    signal(SIGTSTP, SIG_IGN);
    closefrom(STDERR_FILENO + 1);
    execv(command[0], command);
    _exit(EXIT_FAILURE);
}

/* Starts `command` as nobody's child. The descriptor of its first line, or -1. */
static int start_detached(char **command)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return -1;
    pid_t child = fork();
    if (child == 0) {
        if (fork() == 0)
            start_run(command, ends[1]);
        _exit(EXIT_SUCCESS);
    }
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return -1;
    }
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
    return ends[0];
}

/* Reads the address that the pvmd prints when it is ready. False when it printed none. */
static bool start_read_address(int line, char *address, size_t size)
{
    FILE *stream = fdopen(line, "r");
    if (!stream) {
        close(line);
        return false;
    }
    bool read = fgets(address, (int)size, stream) != NULL;
    fclose(stream);
    address[read ? strcspn(address, "\n") : 0] = '\0';
    return read && address[0];
}

/* An address file that a dead pvmd left does not count: ours takes it over. */
static bool start_is_running(struct task *task)
{
    char path[ENVIRONMENT_PATH_SIZE];
    return variables_address_file(task, path, getuid()) && access(path, F_OK) == 0 &&
           pvmd_address_is_answered(path);
}

/*
 * Waits until the hosts of the host file have been added: until then a further addition is refused.
 * Each request is for the master host, which is there already, so that none adds a host. The pauses
 * are those of 3.4.6, whose pvmd has no way of telling.
 */
static int start_await_hosts(struct task *task)
{
    unsigned pause = 1;
    int status;
    char *master = machine_master_name(task);
    if (!master)
        return PvmSysErr;
    while (machine_add_hosts(task, &master, 1, &status) == PvmAlready) {
        sleep(pause);
        pause = pause < 8 ? 2 * pause : pause;
    }
    free(master);
    return PvmOk;
}

static int start_pvmd(struct task *task, int argc, char *const *argv)
{
    char address[ENVIRONMENT_PATH_SIZE];
    if (start_is_running(task))
        return PvmDupHost;
    if (argc < 0 || !argv)
        argc = 0;
    char **command = calloc((size_t)argc + 2, sizeof *command);
    if (!command)
        return PvmNoMem;
    char *program = strdup(PVM_DEFAULT_PVMD);
    command[0] = program;
    for (int i = 0; i < argc; i++)
        command[i + 1] = argv[i];
    int line = program ? start_detached(command) : -1;
    free(program);
    free(command);
    if (line < 0)
        return PvmSysErr;
    if (!start_read_address(line, address, sizeof address)) /* another one may have been faster */
        return start_is_running(task) ? PvmDupHost : PvmCantStart;
    int error = variables_set(task, "PVMSOCK", address);
    return error < 0 ? error : pvmd_link_enrol(task);
}

int pvm_start_pvmd(int argc, char *const *argv, int block)
{
    struct task *task = caller_self()->task;
    pvmd_link_try(task);
    int error = start_pvmd(task, argc, argv);
    if (error == 0 && block)
        error = start_await_hosts(task);
    return task_result(task, "pvm_start_pvmd", error);
}
