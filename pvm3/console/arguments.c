/* arguments.c - words for the console, and words that a pvmd takes. */
#include "console/arguments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMMAND_OPTION "--command="

static const char help[] =
    "usage: pvm [OPTION]... [HOSTFILE]\n"
    "The console of PVM. Enters the virtual machine, and starts a pvmd first if none runs,\n"
    "with these words:\n"
    "\n"
    "  -nHOSTNAME         the name by which other hosts find this one (the system's)\n"
    "  --log-level=LEVEL  of the pvmd: error, warning, info or debug\n"
    "  -dMASK             debugging of the pvmd and of the console's library\n"
    "\n"
    "  --slurm [N]        add the nodes of the Slurm job that it runs in, or get N jobs with one\n"
    "                     node each: see pvm_slurm(7)\n"
    "  --view             show the machine in a browser: see pvmview(1)\n"
    "\n"
    "What it does there:\n"
    "\n"
    "  -c LINE, --command=LINE\n"
    "                     carry out this line, print nothing but its result, wait for the\n"
    "                     jobs that it started, and end; may be given several times. The\n"
    "                     status is 1 if something failed\n"
    "  --check [HOST]...  find out why a machine does not come up, or why these hosts cannot\n"
    "                     be added to it, and say it; the status is 1 if there is a problem\n"
    "  --json             each result is a line of JSON\n"
    "  --help, --version  print this, or the version, and end\n"
    "\n"
    "Otherwise commands are read from the standard input, after those of ~/.pvmrc; the\n"
    "command help lists them.\n";

/* True for one that a pvmd takes; `files` counts host files. */
static bool pvmd_takes(const char *word, int *files)
{
    return (word[0] == '-' && (word[1] == 'd' || word[1] == 'n') && word[2]) ||
           strncmp(word, "--log-level=", strlen("--log-level=")) == 0 ||
           (word[0] != '-' && (*files)++ == 0);
}

/* A number may follow the option. Returns how many words that are beside it. */
static int slurm_take(struct arguments *arguments, const char *number)
{
    bool given = number && strspn(number, "0123456789") == strlen(number) && *number;
    free(arguments->slurm);
    if (asprintf(&arguments->slurm, "add slurm:%s", given ? number : "job") < 0)
        arguments->slurm = NULL;
    return given ? 1 : 0;
}

static enum arguments_result arguments_sort(struct arguments *arguments, int count, char **word)
{
    int files = 0;
    for (int i = 1; i < count; i++) {
        if (strcmp(word[i], "-c") == 0 && i + 1 < count) {
            arguments->commands[arguments->command_count++] = word[++i];
        } else if (strncmp(word[i], COMMAND_OPTION, strlen(COMMAND_OPTION)) == 0) {
            arguments->commands[arguments->command_count++] = word[i] + strlen(COMMAND_OPTION);
        } else if (strcmp(word[i], "--json") == 0) {
            arguments->json = true;
        } else if (strcmp(word[i], "--slurm") == 0) {
            i += slurm_take(arguments, word[i + 1]);
        } else if (strcmp(word[i], "--view") == 0) {
            arguments->view = true;
        } else if (strcmp(word[i], "--check") == 0) {
            arguments->check = true;
        } else if (arguments->check && word[i][0] != '-') {
            arguments->hosts[arguments->host_count++] = word[i];
        } else if (pvmd_takes(word[i], &files)) {
            if (strncmp(word[i], "-n", 2) == 0)
                arguments->name = word[i] + 2;
            arguments->pvmd[arguments->pvmd_count++] = word[i];
        } else if (strcmp(word[i], "-c") == 0) {
            fprintf(stderr, "pvm: -c needs a command, in quotes (pvm --help tells more)\n");
            return ARGUMENTS_BAD;
        } else {
            fprintf(stderr, "pvm: unknown argument %s (pvm --help tells more)\n", word[i]);
            return ARGUMENTS_BAD;
        }
    }
    return ARGUMENTS_GOOD;
}

enum arguments_result arguments_read(struct arguments *arguments, int count, char **word)
{
    if (count == 2 && strcmp(word[1], "--help") == 0) {
        fputs(help, stdout);
        return ARGUMENTS_ANSWERED;
    }
    if (count == 2 && strcmp(word[1], "--version") == 0) {
        printf("pvm (PVM) %s\n", VERSION);
        return ARGUMENTS_ANSWERED;
    }
    *arguments = (struct arguments){.commands = calloc((size_t)count + 1, sizeof(char *)),
                                    .hosts = calloc((size_t)count + 1, sizeof(char *)),
                                    .pvmd = calloc((size_t)count + 1, sizeof(char *))};
    enum arguments_result result = ARGUMENTS_BAD;
    if (arguments->commands && arguments->hosts && arguments->pvmd)
        result = arguments_sort(arguments, count, word);
    else
        perror("pvm");
    if (result != ARGUMENTS_GOOD)
        arguments_finish(arguments);
    return result;
}

void arguments_finish(struct arguments *arguments)
{
    free(arguments->commands);
    free(arguments->hosts);
    free(arguments->pvmd);
    free(arguments->slurm);
}

bool arguments_ask_quiet(const struct arguments *arguments)
{
    return arguments->json || arguments->command_count > 0;
}
