/*
 * pvmrun.c - pvmrun: runs a program as tasks of the virtual machine, and ends with their status.
 *
 * It spawns itself for each task: such a supervisor runs the program (protocol.h). pvmrun itself
 * places, starts and ends (start.h), and passes on what goes in and out (control.h).
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pvm3.h>

#include "run/allocation.h"
#include "run/check.h"
#include "run/control.h"
#include "run/options.h"
#include "run/start.h"
#include "run/supervisor.h"

/* Files that are opened must not be taken for what a caller has closed. */
static void open_standard_files(void)
{
    int fd;
    do
        fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    while (fd >= 0 && fd <= STDERR_FILENO);
    close(fd);
}

static bool start(struct run *run)
{
    if (run->job.input >= run->size) {
        fprintf(stderr, "pvmrun: --stdin %d: the ranks are 0 to %d\n", run->job.input,
                run->size - 1);
        return false;
    }
    run->context = pvm_newcontext();
    pvm_setcontext(run->context);
    return start_spawn(run);
}

static void run_all(struct run *run, int signals)
{
    if (!hosts_read(&run->hosts, run->machine.tid) ||
        (run->machine.is_private && !allocation_take(&run->job)) ||
        !hosts_add(&run->hosts, &run->job, run->machine.tid)) {
        run->status = EXIT_FAILURE;
        return;
    }
    outlet_start(&run->outlets[0], STDOUT_FILENO);
    outlet_start(&run->outlets[1], STDERR_FILENO);
    start_place(run, 0);
    if (run->job.check)
        check_plan(run);
    bool started = start(run);
    control_run(run, signals, started);
    free(run->ranks);
    free(run->worlds);
    free(run->holders);
}

/*
 * The tasks have the environment as it was: some of it would change what pvmrun itself does, and
 * pvmrun adds what it needs.
 */
static void set_variables(struct run *run)
{
    for (char **variable = environ; *variable; variable++)
        words_add(&run->variables, *variable);
    unsetenv("PVM_TASKS");
    unsetenv("PVMTASK");
}

static int supervise(char **words)
{
    return supervisor_run((int)strtoul(words[0], NULL, 16), atoi(words[1]));
}

int main(int count, char **words)
{
    struct run run = {0};
    open_standard_files();
    if (count == 4 && strcmp(words[1], "--supervise") == 0)
        return supervise(words + 2);
    if (count == 3 && strcmp(words[1], "--facts") == 0)
        return check_facts(words[2]);
    options_read(&run.job, words + 1);
    set_variables(&run);
    int signals = control_open_signals();
    run.status = EXIT_FAILURE;
    if (machine_open(&run.machine)) {
        run.status = EXIT_SUCCESS;
        run_all(&run, signals);
        machine_close(&run.machine);
    }
    hosts_free(&run.hosts);
    options_free(&run.job);
    words_free(&run.variables);
    return run.status;
}
