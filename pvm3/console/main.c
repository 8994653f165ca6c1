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

#include "console/commands.h"
#include "console/console.h"
#include "console/events.h"
#include "console/input.h"
#include "console/job.h"
#include "console/output.h"

#define PROMPT "pvm> "

/* What is asked for by one word alone, whether a virtual machine runs or not. */
static bool arguments_answer(int count, char **argument)
{
    static const char help[] =
        "usage: pvm [OPTION]... [HOSTFILE]\n"
        "The console of PVM. Enters the virtual machine, and starts a pvmd first if none runs,\n"
        "with these words:\n"
        "\n"
        "  -nHOSTNAME         the name by which other hosts find this one (the system's)\n"
        "  --log-level=LEVEL  of the pvmd: error, warning, info or debug\n"
        "  -dMASK             debugging of the pvmd and of the console's library\n"
        "  --help, --version  print this, or the version, and end\n"
        "\n"
        "The command help lists what can be typed then. Lines of ~/.pvmrc come first.\n";
    if (count == 2 && strcmp(argument[1], "--help") == 0)
        fputs(help, stdout);
    else if (count == 2 && strcmp(argument[1], "--version") == 0)
        printf("pvm (PVM) %s\n", VERSION);
    else
        return false;
    return true;
}

/* False, and lines say why, unless all arguments are ones that a pvmd takes. */
static bool arguments_check(int count, char **argument)
{
    int files = 0;
    for (int i = 1; i < count; i++) {
        const char *word = argument[i];
        bool known = (word[0] == '-' && (word[1] == 'd' || word[1] == 'n') && word[2]) ||
                     strncmp(word, "--log-level=", strlen("--log-level=")) == 0 ||
                     (word[0] != '-' && files++ == 0);
        if (!known) {
            fprintf(stderr, "pvm: unknown argument %s (pvm --help tells more)\n", word);
            return false;
        }
    }
    return true;
}

/* Prints the reason why there is no virtual machine to enter, and what to do. */
static void machine_explain(bool address_there)
{
    const char *folder = getenv("PVM_TMP"), *id = getenv("PVM_VMID");
    const char *separator = id && *id ? "." : "";

    if (!folder || !*folder)
        folder = "/tmp";
    pvm_perror("Console");
    if (address_there)
        fprintf(stderr, "Console: no pvmd answers at the address in %s/pvmd.%d%s%s: "
                "remove this file if none runs\n",
                folder, (int)getuid(), separator, id ? id : "");
    else
        fprintf(stderr, "Console: the reason may be in the log, %s/pvml.%d%s%s\n", folder,
                (int)getuid(), separator, id ? id : "");
}

/* Starts a pvmd or finds the one that runs, and enrols. Returns the tid or an error. */
static int machine_enter(int count, char **argument)
{
    pvm_setopt(PvmAutoErr, 0);
    pvm_setopt(PvmResvTids, 1);
    pvm_setopt(PvmRoute, PvmDontRoute);
    int mask;
    if (count > 1 && strncmp(argument[1], "-d", 2) == 0 &&
        number_parse("-d", argument[1] + 2, &mask))
        pvm_setopt(PvmDebugMask, mask);
    int result = pvm_start_pvmd(count - 1, argument + 1, 1);
    int tid = result < 0 && result != PvmDupHost ? result : pvm_mytid();
    if (tid < 0)
        machine_explain(result == PvmDupHost);
    else if (result == PvmDupHost)
        printf("pvmd already running.\n");
    pvm_setopt(PvmAutoErr, 1);
    return tid;
}

/* What sets the console apart from other tasks: it is traced by nobody and outlives a reset. */
static void console_settle(void)
{
    pvm_setopt(PvmSelfOutputTid, -1);
    pvm_setopt(PvmSelfTraceTid, -1);
    pvm_setopt(PvmTraceOptions, PvmTraceFull);
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

/* The end of the input is as good as the command. */
static void console_quit(struct console *console)
{
    static char quit[] = "quit";
    char *words[] = {quit, NULL};
    printf("%s\n", quit);
    command_quit(console, 1, words);
}

static void commands_read(struct console *console, bool echo)
{
    struct input input;
    input_start(&input, STDIN_FILENO);
    while (!console->finished) {
        const char *line = commands_next(console, &input);
        if (line && echo)
            printf("%s\n", line);
        if (line)
            command_line(console, line);
        else if (!console->finished)
            console_quit(console);
        fflush(stdout);
    }
    input_finish(&input);
}

int main(int argc, char **argv)
{
    struct console console = {.status = EXIT_SUCCESS};

    if (arguments_answer(argc, argv))
        return EXIT_SUCCESS;
    if (!arguments_check(argc, argv))
        return EXIT_FAILURE;
    signal(SIGINT, SIG_IGN);
    console.tid = machine_enter(argc, argv);
    if (console.tid < 0)
        return EXIT_FAILURE;
    console_settle();
    commands_read_profile(&console);
    /* A terminal echoes what is typed; for a script the console does. */
    if (!console.finished)
        commands_read(&console, !isatty(STDIN_FILENO));
    fflush(stdout);
    /* Nobody is told that the pvmd is gone: the user has halted it, or knows already. */
    pvm_setopt(PvmAutoErr, 0);
    pvm_exit();
    alias_clear(&console.aliases);
    while (console.jobs)
        job_remove(&console, console.jobs);
    free(console.own_hosts);
    return console.status;
}
