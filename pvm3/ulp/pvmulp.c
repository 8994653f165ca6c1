/*
 * pvmulp.c - runs programs as user-level processes.
 *
 * usage: pvmulp                     as pvm_spawn with PvmTaskUlp has it started: holds such tasks
 *        pvmulp PROGRAM [WORD...]   runs one here
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pvm3.h>

#include "core/environment.h"
#include "core/expand.h"
#include "core/search.h"
#include "lib/spawn/stack_source.h"
#include "ulp/arrival.h"
#include "ulp/departure.h"
#include "ulp/heap_calls.h"
#include "ulp/layout.h"
#include "ulp/parking.h"
#include "ulp/region.h"
#include "ulp/run_status.h"
#include "ulp/ulp.h"

/* A task, which is named as it was in pvm_spawn. */
static int run(int count, char **words)
{
    char *folders = expand_variables(environment_get("PVM_PATH", SEARCH_PATH_DEFAULT));
    char *path = folders ? search_program(words[0], folders, AT_FDCWD) : NULL;
    int status = EXIT_CANNOT_RUN;
    if (path) {
        words[0] = path; /* as the pvmd calls programs */
        status = ulp_run(path, count, words);
    } else {
        fprintf(stderr, "pvmulp: %s: there is no such program%s%s\n", words[0],
                strchr(words[0], '/') ? "" : " in ", strchr(words[0], '/') ? "" : folders);
    }
    free(path);
    free(folders);
    if (status == EXIT_CANNOT_RUN)
        run_status_tell(getenv("PVM_RUN"), status);
    return status;
}

/* A program has been interrupted: it does what it has been told to. */
static void heed(void *context)
{
    if (own_program_destination() == OWN_PROGRAM_PARKS)
        parking_heed(context);
    else
        departure_heed(context);
}

int main(int argc, char **argv)
{
    layout_begin(argv);
    layout_open_libraries();
    if (argc > 1)
        return run(argc - 1, argv + 1);
    static const struct stack_source regions = {REGION_STACK_BASE,    region_take_stack,
                                                region_take_stack_at, region_stack_at,
                                                region_is_gone,       region_give_back};
    regions_begin();
    heap_calls_begin();
    stacks_come_from(&regions);
    pvm_register("", run);
    own_program_welcome(arrival_welcome);
    own_program_carry(ulp_may_suspend, heed);
    pvm_mytid();
    fprintf(stderr, "usage: pvmulp PROGRAM [WORD...]\n");
    return EXIT_FAILURE;
}
