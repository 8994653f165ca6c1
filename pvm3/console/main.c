/*
 * main.c - pvm, the console: starts a pvmd if none runs, and carries out what the user types.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pvm3.h>

#include "console/arguments.h"
#include "console/check.h"
#include "console/command_line.h"
#include "console/commands.h"
#include "console/console.h"
#include "console/editor.h"
#include "console/events.h"
#include "console/input.h"
#include "console/job_record.h"
#include "console/output.h"
#include "console/trace_job.h"
#include "console/view.h"

#define PROMPT "pvm> "

/* Prints the reason why there is no virtual machine to enter, and what to do. */
static void machine_explain(bool address_there)
{
    const char *folder = getenv("PVM_TMP"), *id = getenv("PVM_VMID");
    const char *separator = id && *id ? "." : "";

    if (!folder || !*folder)
        folder = "/tmp";
    pvm_perror("Console");
    if (address_there)
        fprintf(stderr,
                "Console: no pvmd answers at the address in %s/pvmd.%d%s%s: "
                "remove this file if none runs\n",
                folder, (int)getuid(), separator, id ? id : "");
    else
        fprintf(stderr, "Console: the reason may be in the log, %s/pvml.%d%s%s\n", folder,
                (int)getuid(), separator, id ? id : "");
}

/* Starts a pvmd or finds the one that runs, and enrols. Returns the tid or an error. */
static int machine_enter(struct report *report, const struct arguments *arguments)
{
    char **word = arguments->pvmd;
    int count = arguments->pvmd_count;
    pvm_setopt(PvmAutoErr, 0);
    pvm_setopt(PvmResvTids, 1);
    pvm_setopt(PvmRoute, PvmDontRoute);
    int mask;
    if (count > 0 && strncmp(word[0], "-d", 2) == 0 &&
        number_parse(report, "-d", word[0] + 2, &mask))
        pvm_setopt(PvmDebugMask, mask);
    int result = pvm_start_pvmd(count, word, 1);
    int tid = result < 0 && result != PvmDupHost ? result : pvm_mytid();
    if (tid < 0)
        machine_explain(result == PvmDupHost);
    else if (result == PvmDupHost && !arguments_ask_quiet(arguments))
        printf("pvmd already running.\n");
    pvm_setopt(PvmAutoErr, !arguments->json);
    return tid;
}

/* What sets the console apart from other tasks: it is traced by nobody and outlives a reset. */
static void console_settle(void)
{
    pvm_setopt(PvmSelfOutputTid, -1);
    pvm_setopt(PvmSelfTraceTid, -1);
    pvm_setopt(PvmTraceOptions, PvmTraceFull);
    trace_choose_usual();
    pvm_setopt(PvmNoReset, 1);
    pvm_notify(PvmHostAdd, TAG_HOSTS_ADDED, -1, NULL);
}

/* Carries out the lines of a file, one by one. Returns what kept it from reading all, or 0. */
static int commands_read_file(struct console *console, int fd)
{
    struct input input;
    input_start(&input, fd);
    while (!console->finished && !input.ended) {
        const char *line;
        input_read(&input);
        while (!console->finished && (line = input_line(&input))) {
            printf("%s\n", line);
            command_line(console, line);
        }
    }
    int error = input.error;
    input_finish(&input);
    return error;
}

static void commands_read_profile(struct console *console)
{
    char path[4096];
    const char *home = getenv("HOME");

    if (!home || snprintf(path, sizeof path, "%s/.pvmrc", home) >= (int)sizeof path)
        return;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    int error = fd < 0 ? errno : commands_read_file(console, fd);
    if (fd >= 0)
        close(fd);
    if (error != 0 && error != ENOENT)
        fprintf(stderr, "Console: %s: %s\n", path, strerror(error));
}

/* Waits for the next line, while what comes unasked is shown. NULL at the end of the input. */
static const char *commands_next(struct console *console, struct input *input)
{
    const char *line;
    if (!console->report.json)
        printf(PROMPT);
    fflush(stdout);
    while (!(line = input_line(input)) && !input->ended) {
        if (!events_wait_for(console, input->fd)) {
            console->finished = true;
            console->status = EXIT_FAILURE;
            return NULL;
        }
        input_read(input);
    }
    return line;
}

/* What no user waits for ends with the jobs that were started. */
static void console_await_jobs(struct console *console)
{
    if (!console->finished && !events_wait_for_jobs(console))
        console->status = EXIT_FAILURE;
    console->finished = true;
}

/* The end of the input is as good as the command. */
static void console_quit(struct console *console)
{
    static char quit[] = "quit";
    char *words[] = {quit, NULL};
    if (console->report.json) {
        console_await_jobs(console);
        return;
    }
    printf("%s\n", quit);
    command_quit(console, 1, words);
}

static void commands_read(struct console *console, bool echo)
{
    struct input input;
    struct editor *editor = console->report.json ? NULL : editor_start(console, PROMPT);
    input_start(&input, STDIN_FILENO);
    while (!console->finished) {
        const char *line = editor ? editor_line(editor) : commands_next(console, &input);
        if (line && echo)
            printf("%s\n", line);
        if (line)
            command_line(console, line);
        else if (!console->finished)
            console_quit(console);
        fflush(stdout);
    }
    input_finish(&input);
    editor_finish(editor);
}

/* Carries out the commands that are among the arguments, and waits for the jobs they started. */
static void commands_given(struct console *console, const struct arguments *arguments)
{
    for (int i = 0; i < arguments->command_count && !console->finished; i++)
        command_line(console, arguments->commands[i]);
    console_await_jobs(console);
}

static void console_work(struct console *console, const struct arguments *arguments)
{
    if (arguments->slurm)
        command_line(console, arguments->slurm);
    if (arguments->command_count > 0) {
        commands_given(console, arguments);
        return;
    }
    if (!arguments->json)
        commands_read_profile(console);
    /* A terminal echoes what is typed; for a script the console does. */
    if (!console->finished)
        commands_read(console, !arguments->json && !isatty(STDIN_FILENO));
}

/* pvm --check: needs no virtual machine. */
static int machine_check(struct report *report, struct arguments *arguments)
{
    pvm_setopt(PvmAutoErr, 0);
    report_begin(report);
    int problems =
        check_machine(report, false, arguments->name, arguments->host_count, arguments->hosts);
    report_end(report, "check");
    return problems > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* The console itself, from a virtual machine that is there or started to its end. */
static int console_run(struct console *console, struct arguments *arguments)
{
    if (arguments->command_count == 0)
        signal(SIGINT, SIG_IGN);
    console->tid = machine_enter(&console->report, arguments);
    if (console->tid < 0)
        return EXIT_FAILURE;
    console_settle();
    if (arguments->view && !view_start())
        console->status = EXIT_FAILURE;
    console_work(console, arguments);
    if (arguments_ask_quiet(arguments) && console->report.ever_failed)
        console->status = EXIT_FAILURE;
    fflush(stdout);
    /* Nobody is told that the pvmd is gone: the user has halted it, or knows already. */
    pvm_setopt(PvmAutoErr, 0);
    pvm_exit();
    alias_clear(&console->aliases);
    while (console->jobs)
        job_remove(console, console->jobs);
    trace_jobs_end(console);
    free(console->own_hosts);
    return console->status;
}

int main(int argc, char **argv)
{
    struct console console = {.commands = commands, .status = EXIT_SUCCESS};
    struct arguments arguments;

    switch (arguments_read(&arguments, argc, argv)) {
    case ARGUMENTS_GOOD:
        break;
    case ARGUMENTS_ANSWERED:
        return EXIT_SUCCESS;
    case ARGUMENTS_BAD:
        return EXIT_FAILURE;
    }
    report_start(&console.report, arguments.json);
    int status = arguments.check ? machine_check(&console.report, &arguments)
                                 : console_run(&console, &arguments);
    arguments_finish(&arguments);
    return status;
}
