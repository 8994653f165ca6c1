/* check.c - the plan and the facts. */
#include "run/check.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include <pvm3.h>

#include "run/program.h"

static void check_print_ranks(const struct run *run)
{
    for (int first = 0, next; first < run->size; first = next) {
        const struct rank *rank = &run->ranks[first];
        for (next = first; next < run->size && run->ranks[next].host == rank->host &&
                           run->ranks[next].part == rank->part;
             next++)
            ;
        if (next - first == 1)
            printf("rank %d", first);
        else
            printf("ranks %d to %d", first, next - 1);
        printf(": %s on %s\n", run->job.parts[rank->part].words.items[0], rank->host->name);
    }
}

static bool check_is_known(const struct run *run, int kept, const struct rank *rank)
{
    for (int i = 0; i < kept; i++)
        if (run->ranks[i].host == rank->host && run->ranks[i].part == rank->part)
            return true;
    return false;
}

/* This program itself, wherever it is on a host, runs in place of the one that was asked for. */
static void check_replace_program(struct part *part)
{
    struct words words = {0};
    words_add(&words, "/proc/self/exe");
    words_add(&words, "--facts");
    words_add(&words, part->words.items[0]);
    words_free(&part->words);
    part->words = words;
}

void check_plan(struct run *run)
{
    int kept = 0;
    printf("%s virtual machine, %d host%s\n", run->machine.is_private ? "a private" : "the running",
           run->hosts.count, run->hosts.count == 1 ? "" : "s");
    check_print_ranks(run);
    fflush(stdout);
    for (int i = 0; i < run->size; i++)
        if (!check_is_known(run, kept, &run->ranks[i]))
            run->ranks[kept++] = run->ranks[i];
    run->size = run->worlds[0].size = kept;
    run->job.input = INPUT_NONE;
    for (int i = 0; i < run->job.part_count; i++)
        check_replace_program(&run->job.parts[i]);
}

int check_facts(const char *program)
{
    struct utsname system;
    cpu_set_t allowed;
    int status;
    const char *network = getenv("PVM_NETWORK"), *folders = getenv("PATH");
    uname(&system);
    CPU_ZERO(&allowed);
    sched_getaffinity(0, sizeof allowed, &allowed);
    printf("%s: %s %s %s, processors: %d, pvmrun %s, network: %s\n", system.nodename,
           system.sysname, system.release, system.machine, CPU_COUNT(&allowed), VERSION,
           network ? network : "tcp");
    char *why = NULL, *path = program_find(program, folders, &why, &status);
    printf("%s: %s\n", system.nodename, path ? path : why);
    free(path);
    free(why);
    return path ? EXIT_SUCCESS : status;
}
