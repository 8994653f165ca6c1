/* program.c - folders, variables, fork and exec. */
#include "run/program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run/binding.h"
#include "run/signals.h"

/* What a shell searches when there is no PATH. */
#define DEFAULT_PATH "/usr/local/bin:/usr/bin:/bin"

/* Variables that a daemon gives to its tasks, and what they say of this host. */
static const char *const given[] = {"PVMSOCK",   "PVMEPID",   "PVMCTX",     "PVMTMASK",
                                    "PVMTRCBUF", "PVMTRCOPT", "PVMSPAWNWD", "PVM_TMP",
                                    "PVM_VMID",  "PVM_ARCH",  "PVM_ROOT",   NULL};
/* Variables of a host, which mean nothing on another one. */
static const char *const of_host[] = {"HOME",     "USER",   "LOGNAME",         "SHELL",
                                      "HOSTNAME", "TMPDIR", "XDG_RUNTIME_DIR", NULL};

static void take_own(struct words *variables, const char *const *names)
{
    for (; *names; names++) {
        const char *value = getenv(*names);
        if (value)
            words_take(variables, memory_text("%s=%s", *names, value));
    }
}

static int is_own(const char *variable, const char *const *names)
{
    size_t length = strcspn(variable, "=");
    for (; *names; names++)
        if (strlen(*names) == length && strncmp(*names, variable, length) == 0)
            return 1;
    return 0;
}

static void set_number(struct words *variables, const char *name, int number)
{
    char *variable = memory_text("%s=%d", name, number);
    words_set(variables, variable);
    free(variable);
}

int program_is_given(const char *variable)
{
    return is_own(variable, given);
}

/* The variables of pvmrun, but for those that belong to this host, and what was asked for. */
static struct words environment_of(const struct order *order)
{
    struct words variables = {0};
    take_own(&variables, given);
    if (order->is_far)
        take_own(&variables, of_host);
    for (int i = 0; i < order->variables.count; i++) {
        const char *variable = order->variables.items[i];
        if (!is_own(variable, given) && !(order->is_far && is_own(variable, of_host)))
            words_add(&variables, variable);
    }
    set_number(&variables, "PVM_RUN_RANK", order->rank);
    set_number(&variables, "PVM_RUN_SIZE", order->size);
    if (!order->is_hidden)
        set_number(&variables, "PVM_RUN", order->world);
    for (int i = 0; i < order->settings.count; i++)
        words_set(&variables, order->settings.items[i]);
    return variables;
}

static int fail(struct program *program, int status, char *why)
{
    program->status = status;
    program->why = why;
    return 0;
}

static int is_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* The file of a name without a slash, to be freed; NULL if no folder of the search path has it. */
static char *search(const char *name, const char *folders)
{
    char *forbidden = NULL;
    for (const char *folder = folders, *end; folder; folder = *end ? end + 1 : NULL) {
        end = folder + strcspn(folder, ":");
        char *path = end == folder ? memory_text("./%s", name)
                                   : memory_text("%.*s/%s", (int)(end - folder), folder, name);
        if (is_file(path) && (access(path, X_OK) == 0 || !forbidden)) {
            free(forbidden);
            if (access(path, X_OK) == 0)
                return path;
            forbidden = path;
            continue;
        }
        free(path);
    }
    return forbidden;
}

char *program_find(const char *name, const char *folders, char **why, int *status)
{
    if (!folders)
        folders = DEFAULT_PATH;
    char *path = strchr(name, '/') ? memory_text("%s", name) : search(name, folders);
    if (path && is_file(path) && access(path, X_OK) == 0)
        return path;
    bool is_there = path && access(path, F_OK) == 0;
    *status = is_there ? STATUS_CANNOT_RUN : STATUS_NOT_FOUND;
    if (is_there)
        *why = memory_text("%s is no program that you may execute: see its mode", path);
    else if (path)
        *why = memory_text("there is no file %s", path);
    else
        *why = memory_text("%s is in none of the folders of PATH, %s%s%s", name, folders,
                           is_file(name) ? "; the one in the working folder is ./" : "",
                           is_file(name) ? name : "");
    free(path);
    return NULL;
}

struct pipes {
    int input[2], out[2], err[2], failure[2];
};

static int open_pipes(struct pipes *pipes, int has_input)
{
    int *const ends[] = {pipes->input, pipes->out, pipes->err, pipes->failure};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (pipe2(ends[i], O_CLOEXEC) < 0)
            return 0;
    if (!has_input) {
        close(pipes->input[0]);
        pipes->input[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
    }
    return pipes->input[0] >= 0;
}

/* In the child. The program goes when its supervisor does. */
static void __attribute__((noreturn))
become(const char *path, const struct order *order, const struct words *variables,
       const struct pipes *pipes, pid_t supervisor)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != supervisor)
        _exit(EXIT_FAILURE);
    dup2(pipes->input[0], STDIN_FILENO);
    dup2(pipes->out[1], STDOUT_FILENO);
    dup2(pipes->err[1], STDERR_FILENO);
    signals_restore();
    execvpe(path, order->words.items, variables->items);
    int error = errno;
    while (write(pipes->failure[1], &error, sizeof error) < 0 && errno == EINTR)
        ;
    _exit(EXIT_FAILURE);
}

/* 0, or why the child could not become the program. */
static int await_exec(int failure)
{
    int error = 0;
    while (read(failure, &error, sizeof error) < 0 && errno == EINTR)
        ;
    close(failure);
    return error;
}

static int run(struct program *program, const char *path, const struct order *order,
               const struct words *variables)
{
    struct pipes pipes;
    pid_t own = getpid();
    if (!open_pipes(&pipes, order->has_input) || (program->pid = fork()) < 0)
        return fail(program, STATUS_CANNOT_RUN,
                    memory_text("no process could be started: %s", strerror(errno)));
    if (program->pid == 0)
        become(path, order, variables, &pipes, own);
    setpgid(program->pid, program->pid);
    close(pipes.input[0]);
    close(pipes.out[1]);
    close(pipes.err[1]);
    close(pipes.failure[1]);
    program->input = pipes.input[1];
    program->out[0] = pipes.out[0];
    program->out[1] = pipes.err[0];
    fcntl(program->input, F_SETFL, O_NONBLOCK);
    fcntl(program->out[0], F_SETFL, O_NONBLOCK);
    fcntl(program->out[1], F_SETFL, O_NONBLOCK);
    int error = await_exec(pipes.failure[0]);
    if (error == 0)
        return 1;
    return fail(program, STATUS_CANNOT_RUN,
                memory_text("%s cannot be executed: %s", path, strerror(error)));
}

int program_start(struct program *program, const struct order *order)
{
    *program = (struct program){.input = -1, .out = {-1, -1}};
    if (chdir(order->folder) < 0)
        return fail(program, STATUS_CANNOT_RUN,
                    memory_text("the working folder %s: %s: name another one by --wdir",
                                order->folder, strerror(errno)));
    char *why = binding_apply(order->binding, order->number);
    if (why)
        return fail(program, STATUS_CANNOT_RUN, why);
    struct words variables = environment_of(order);
    const char *folders = *order->search ? order->search : words_value(&variables, "PATH");
    char *path = program_find(order->words.items[0], folders, &program->why, &program->status);
    int started = path && run(program, path, order, &variables);
    free(path);
    words_free(&variables);
    return started;
}
