/* execute.c - fork and exec. */
#include "daemon/tasks/execute.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <pvm3.h>

#include "daemon/base/log.h"
#include "daemon/base/signals.h"
#include "daemon/tasks/output.h"
#include "daemon/tasks/task_room.h"
#include "daemon/tasks/tasker.h"
#include "daemon/tasks/trace.h"

#define COOKIE_VARIABLE "PVMEPID"
#define COOKIE_SIZE     32

#define DESCRIPTORS_OF_DAEMON 32
#define DESCRIPTORS_OF_TASK   2

/* What all processes of an order have in common. */
struct program {
    char *path; /* empty: it was not found */
    char **arguments;
    char **environment; /* the first one is the cookie, different for each process */
    char cookie[COOKIE_SIZE];
    const char *directory; /* where it starts; NULL for the usual place */
};

static size_t execute_name_length(const char *variable)
{
    return strcspn(variable, "=");
}

static bool execute_has_variable(char *const *list, size_t count, const char *variable)
{
    size_t length = execute_name_length(variable);
    for (size_t i = 0; i < count; i++)
        if (execute_name_length(list[i]) == length && strncmp(list[i], variable, length) == 0)
            return true;
    return false;
}

/* The cookie, then the order's list, then what the daemon has; the first one of a name counts. */
static bool execute_set_environment(struct program *program, const struct strings *list)
{
    size_t inherited = 0;
    while (environ[inherited])
        inherited++;
    char **variables = malloc((inherited + (size_t)list->count + 2) * sizeof *variables);
    if (!variables)
        return false;
    size_t count = 0;
    strcpy(program->cookie, COOKIE_VARIABLE "=");
    variables[count++] = program->cookie;
    for (int32_t i = 0; i < list->count; i++)
        if (!execute_has_variable(variables, count, list->items[i]))
            variables[count++] = list->items[i];
    for (size_t i = 0; i < inherited; i++)
        if (!execute_has_variable(variables, count, environ[i]))
            variables[count++] = environ[i];
    variables[count] = NULL;
    program->environment = variables;
    return true;
}

/*
 * The path and the order's arguments; in front of them the debugger, if it is to run the program.
 */
static bool execute_set_arguments(struct program *program, const struct execution *execution,
                                  char *debugger)
{
    char **arguments = malloc(((size_t)execution->arguments.count + 3) * sizeof *arguments);
    if (!arguments)
        return false;
    size_t count = 0;
    if (debugger)
        arguments[count++] = debugger;
    arguments[count++] = program->path;
    for (int32_t i = 0; i < execution->arguments.count; i++)
        arguments[count++] = execution->arguments.items[i];
    arguments[count] = NULL;
    program->arguments = arguments;
    return true;
}

/* 0, or the error code for the tasks of the order. */
static int execute_prepare(struct program *program, const struct daemon *daemon,
                           const struct execution *execution)
{
    if (*program->path == '\0')
        return PvmNoFile;
    char *debugger = execution->flags & PvmTaskDebug ? daemon->settings.debugger : NULL;
    if (!execute_set_arguments(program, execution, debugger) ||
        !execute_set_environment(program, &execution->environment))
        return PvmOutOfRes;
    return 0;
}

static void execute_forget(struct program *program)
{
    free(program->arguments);
    free(program->environment);
}

/*
 * In the child. If the folder does not exist, the program starts in the usual place, as in 3.4.6.
 */
static void execute_enter(const char *directory, int output)
{
    int folder = directory ? open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
    if (folder >= 0 && fchdir(folder) < 0)
        dprintf(output, "pvmd: cannot change the folder: %s\n", strerror(errno));
}

/*
 * In the child: becomes the program, or ends with status 1, as in 3.4.6. A daemon that is killed
 * cannot end its tasks by SIGTERM, as it does otherwise: the system sends them the signal then.
 */
static void __attribute__((noreturn))
execute_become(struct program *program, const struct settings *settings, int output, pid_t daemon)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != daemon)
        _exit(1);
    snprintf(program->cookie, sizeof program->cookie, COOKIE_VARIABLE "=%ld", (long)getpid());
    execute_enter(program->directory, output);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    setrlimit(RLIMIT_NOFILE, &settings->descriptors);
    signals_restore();
    execve(program->arguments[0], program->arguments, program->environment);
    dprintf(STDERR_FILENO, "pvmd: cannot execute %s: %s\n", program->arguments[0], strerror(errno));
    _exit(1);
}

static int execute_fail(const struct program *program, const char *what)
{
    log_write("cannot start %s: %s: %s", program->path, what, strerror(errno));
    return PvmOutOfRes;
}

/* 0, or an error code. */
static int execute_fork(struct task *task, struct program *program)
{
    struct daemon *daemon = task->daemon;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return execute_fail(program, "no pipe");
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    if (output_start(task, ends[0]) < 0) {
        close(ends[0]);
        close(ends[1]);
        return execute_fail(program, "its output cannot be watched");
    }
    pid_t own = getpid(), pid = fork();
    if (pid == 0)
        execute_become(program, &daemon->settings, ends[1], own);
    close(ends[1]);
    if (pid < 0)
        return execute_fail(program, "no process");
    task->pid = pid;
    task->flags |= TASK_IS_CHILD;
    return 0;
}

/* The tid of a new task that runs the program, or an error code. */
static int32_t execute_one(struct daemon *daemon, const struct execution *execution,
                           struct program *program, uint32_t number)
{
    struct task *task = task_new(&daemon->post->tasks, execution->file);
    if (!task)
        return PvmOutOfRes;
    task->parent = execution->parent;
    task->spawn_flags = execution->flags;
    task->output = execution->output;
    task->trace = execution->trace;
    task->scheduler = services_scheduler(&daemon->task_room->services);
    int error = program->arguments ? 0 : execute_prepare(program, daemon, execution);
    if (error == 0)
        error = services_has_tasker(&daemon->task_room->services)
                    ? tasker_start(task, execution, program->path, number)
                    : execute_fork(task, program);
    if (error == 0)
        return (int32_t)task->tid;
    task_free(task);
    return error;
}

static void execute_announce(struct daemon *daemon, const int32_t *results, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        struct task *task =
            results[i] > 0 ? tasks_find(&daemon->post->tasks, (uint32_t)results[i]) : NULL;
        if (!task)
            continue;
        trace_task_start(task);
        output_tell_sink(task, OUTPUT_STARTED);
    }
}

/*
 * A task takes a pipe and a connection, but tasks of a lease share both. An order that cannot
 * succeed is refused at once: starting as many as fit would keep the daemon from all else, and help
 * nobody.
 */
static bool execute_has_room(const struct daemon *daemon, int32_t count)
{
    const struct tasks *tasks = &daemon->post->tasks;
    size_t owners = tasks->count - tasks->leased + (size_t)count;
    size_t wanted = DESCRIPTORS_OF_DAEMON + DESCRIPTORS_OF_TASK * owners;
    size_t limit = daemon->settings.descriptor_limit;
    if (wanted <= limit)
        return true;
    log_write("cannot start %d tasks: the daemon may open %zu files, and they would take %zu "
              "(raise 'ulimit -n')",
              count, limit, wanted);
    return false;
}

static void order_run(struct order *order)
{
    struct daemon *daemon = order->daemon;
    struct execution *execution = &order->execution;
    struct program program = {.path = order->finding.path, .directory = execution->directory};
    int32_t *results = order->results;
    bool room = execute_has_room(daemon, execution->count);
    services_complete(&daemon->task_room->services, execution);
    for (int32_t i = 0; i < execution->count; i++) {
        int32_t before = i > 0 ? results[i - 1] : room ? 0 : PvmOutOfRes;
        results[i] = before < 0 ? before : execute_one(daemon, execution, &program, (uint32_t)i);
    }
    execute_forget(&program);
    execute_announce(daemon, results, execution->count);
}

static void order_take_path(struct finding *finding)
{
    struct order *order = LIST_OWNER(finding, struct order, finding);
    order_run(order);
    order->done(order);
}

static void order_fail(struct order *order, int32_t error)
{
    for (int32_t i = 0; i < order->execution.count; i++)
        order->results[i] = error;
    order->done(order);
}

static bool order_begin(struct order *order, struct daemon *daemon, struct execution *execution,
                        void (*done)(struct order *))
{
    order->daemon = daemon;
    order->execution = *execution;
    order->done = done;
    order->results = calloc((size_t)execution->count, sizeof *order->results);
    if (!order->results)
        return false;
    *execution = (struct execution){0};
    list_append(&daemon->task_room->orders, &order->node);
    return true;
}

bool execute_at_once(struct order *order, struct daemon *daemon, struct execution *execution,
                     void (*done)(struct order *))
{
    if (!order_begin(order, daemon, execution, done))
        return false;
    finding_run(&order->finding, &daemon->loop, order->execution.file,
                daemon->settings.search_path);
    order_take_path(&order->finding);
    return true;
}

bool execute(struct order *order, struct daemon *daemon, struct execution *execution,
             void (*done)(struct order *))
{
    if (!order_begin(order, daemon, execution, done))
        return false;
    if (!finding_start(&order->finding, &daemon->loop, order->execution.file,
                       daemon->settings.search_path, order->execution.directory, order_take_path)) {
        log_write("cannot look for %s: %s", order->execution.file, strerror(errno));
        order_fail(order, PvmOutOfRes);
    }
    return true;
}

void order_finish(struct order *order)
{
    list_remove(&order->node);
    finding_finish(&order->finding);
    execution_free(&order->execution);
    free(order->results);
}

void orders_fail(struct daemon *daemon)
{
    while (!list_is_empty(&daemon->task_room->orders))
        order_fail(LIST_OWNER(daemon->task_room->orders.next, struct order, node), PvmDSysErr);
}
