/*
 * pvmslurm.c - pvmslurm: makes nodes of Slurm the hosts of a virtual machine.
 *
 * pvm and pvmrun start it as a task, the manager. On each node it runs as an agent (agent.h).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "slurm/agent.h"
#include "slurm/manager.h"

static const char help[] =
    "usage: pvmslurm [SECONDS]\n"
    "Makes nodes of Slurm the hosts of a virtual machine. pvm --slurm starts it as a task.\n"
    "Hosts that have a job of their own are given back after so many seconds without a task (300;\n"
    "0: never). See pvm_slurm(7).\n";

int main(int count, char **words)
{
    char *end;
    double idle = 300;
    if (count == 2 && strcmp(words[1], "--agent") == 0)
        return agent_run();
    if (count == 2 && strcmp(words[1], "--help") == 0) {
        fputs(help, stdout);
        return EXIT_SUCCESS;
    }
    if (count == 2 && strcmp(words[1], "--version") == 0) {
        printf("pvmslurm (PVM) %s\n", VERSION);
        return EXIT_SUCCESS;
    }
    if (count == 2)
        idle = strtod(words[1], &end);
    if (count > 2 ||
        (count == 2 && (end == words[1] || *end != '\0' || !(idle >= 0 && idle < 1e9)))) {
        fputs("pvmslurm: it needs no words, or a number of seconds (pvmslurm --help tells more)\n",
              stderr);
        return EXIT_FAILURE;
    }
    return manager_run(idle);
}
