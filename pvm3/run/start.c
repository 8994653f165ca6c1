/* start.c - orders, host by host. */
#include "run/start.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pvm3.h>

#include "run/guests.h"
#include "run/input.h"
#include "run/protocol.h"

static void start_place_part(struct run *run, int world, int part)
{
    int count = hosts_count_tasks(&run->job.parts[part]);
    const struct host **places = memory_resize(NULL, (size_t)count, sizeof *places);
    run->ranks = memory_resize(run->ranks, (size_t)(run->size + count), sizeof *run->ranks);
    hosts_place(&run->hosts, &run->job.parts[part], places, count);
    for (int i = 0; i < count; i++)
        run->ranks[run->size++] = (struct rank){.world = world, .part = part, .host = places[i]};
    free(places);
}

struct world *start_place(struct run *run, int first_part)
{
    int number = run->world_count++, first = run->size;
    run->worlds = memory_resize(run->worlds, (size_t)run->world_count, sizeof *run->worlds);
    for (int i = first_part; i < run->job.part_count; i++)
        start_place_part(run, number, i);
    run->worlds[number] =
        (struct world){.first = first, .size = run->size - first, .first_part = first_part};
    return &run->worlds[number];
}

static void start_explain(const struct host *host, int code)
{
    const char *why =
        code == PvmNoFile
            ? "pvmrun is not installed there: put it in a folder of the daemon's PVM_PATH"
        : code == PvmOutOfRes ? "too many tasks: raise PVM_MAX_TASKS or 'ulimit -n' there"
        : code == PvmHostFail || code == PvmNoHost ? "the host has left the machine"
                                                   : "the log of its pvmd says why";
    fprintf(stderr, "pvmrun: cannot start tasks on %s: %s\n", host->name, why);
}

/*
 * The program that runs now is where it is on this host. Others may have it elsewhere: then their
 * daemons look for it.
 */
static int start_on(const struct run *run, const struct host *host, char **words, int count,
                    int *tids)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    int started = 0, flag = PvmTaskHost | (run->job.hides_parent ? PvmNoSpawnParent : 0);
    tids[0] = PvmNoFile;
    if (length > 0) {
        path[length] = '\0';
        started = pvm_spawn(path, words, flag, host->name, count, tids);
    }
    if (started == 0 && tids[0] == PvmNoFile)
        started = pvm_spawn("pvmrun", words, flag, host->name, count, tids);
    if (started < count)
        start_explain(host, started < 0 ? started : tids[started]);
    return started;
}

static void start_take_pids(struct run *run, const struct host *host)
{
    struct pvmtaskinfo *tasks;
    int count;
    if (pvm_tasks(host->tid, &count, &tasks) < 0)
        return;
    for (int i = 0; i < run->size; i++)
        for (int j = 0; run->ranks[i].host == host && j < count; j++)
            if (run->ranks[i].tid == tasks[j].ti_tid)
                run->ranks[i].pid = tasks[j].ti_pid;
}

/* Gives the tids to the ranks of a host, in their order. */
static void start_take_tids(struct run *run, const struct host *host, const int *tids, int count)
{
    for (int i = 0, taken = 0; i < run->size && taken < count; i++) {
        if (run->ranks[i].host != host || run->ranks[i].state != RANK_PLACED)
            continue;
        run->ranks[i].tid = tids[taken++];
        run->ranks[i].state = RANK_SPAWNED;
    }
    pvm_notify(PvmTaskExit, TAG_TASK_GONE, count, tids);
    start_take_pids(run, host);
}

static bool start_on_host(struct run *run, const struct host *host)
{
    char own[16], context[16];
    char *words[] = {"--supervise", own, context, NULL};
    int wanted = 0;
    for (int i = 0; i < run->size; i++)
        wanted += run->ranks[i].host == host && run->ranks[i].state == RANK_PLACED;
    if (wanted == 0)
        return true;
    snprintf(own, sizeof own, "%x", (unsigned)run->machine.tid);
    snprintf(context, sizeof context, "%d", run->context);
    int *tids = memory_resize(NULL, (size_t)wanted, sizeof *tids);
    /* A program begins in the context of its spawner. */
    pvm_setcontext(PvmBaseContext);
    int started = start_on(run, host, words, wanted, tids);
    pvm_setcontext(run->context);
    if (started > 0)
        start_take_tids(run, host, tids, started);
    free(tids);
    return started == wanted;
}

/* Counted from 1 on. */
static int start_world_number(const struct run *run, const struct world *world)
{
    return (int)(world - run->worlds) + 1;
}

/*
 * By it each task knows who the others are, and who has spawned them. It goes when pvmrun does. The
 * world of the command line has the name without a number.
 */
static void start_put_list(const struct run *run, const struct world *world)
{
    char name[48];
    int number = start_world_number(run, world);
    snprintf(name, sizeof name, number == 1 ? "pvmrun.%x" : "pvmrun.%x.%d",
             (unsigned)run->machine.tid, number);
    const struct rank *ranks = &run->ranks[world->first];
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&world->size, 1, 1);
    for (int i = 0; i < world->size; i++)
        pvm_pkint(&ranks[i].tid, 1, 1);
    for (int i = 0; i < world->size; i++) {
        int part = ranks[i].part - world->first_part;
        pvm_pkint(&part, 1, 1);
    }
    pvm_pkint(&world->asker, 1, 1);
    pvm_putinfo(name, pvm_getsbuf(), PvmMboxDefault);
}

bool start_spawn(struct run *run)
{
    if (run->job.tasks != TASKS_PROCESSES) {
        bool all = guests_spawn(run);
        start_put_list(run, run->worlds); /* the tasks run already: those who want it wait for it */
        return all;
    }
    bool started = true;
    for (int i = 0; started && i < run->hosts.count; i++)
        started = start_on_host(run, &run->hosts.items[i]);
    return started;
}

/* What all tasks of a part are told, in a buffer of its own. */
static int start_pack_part(const struct run *run, const struct part *part, char *own_folder)
{
    struct order order = {.binding = part->binding,
                          .folder = part->folder ? part->folder : own_folder,
                          .search = part->search,
                          .words = part->words,
                          .variables = run->variables,
                          .settings = part->settings};
    int buffer = pvm_mkbuf(PvmDataDefault), former = pvm_setsbuf(buffer);
    order_pack_common(&order);
    pvm_setsbuf(former);
    return buffer;
}

static void start_program(struct run *run, const struct world *world, int number, int common)
{
    struct rank *rank = &run->ranks[number];
    int before = 0;
    for (int i = 0; i < number; i++)
        before += run->ranks[i].host == rank->host;
    const struct order order = {.rank = number - world->first,
                                .size = world->size,
                                .world = start_world_number(run, world),
                                .has_input = input_is_for(run, number),
                                .is_private = run->machine.is_private,
                                .number = before,
                                .is_hidden = run->job.hides_parent,
                                .is_far = rank->host != &run->hosts.items[0]};
    pvm_initsend(PvmDataDefault);
    order_pack_own(&order);
    pvm_pkmesgbody(common);
    pvm_send(rank->supervisor, TAG_START);
    rank->state = RANK_RUNS;
}

void start_go(struct run *run, const struct world *world)
{
    char *folder = getcwd(NULL, 0);
    if (!folder)
        folder = memory_text("/");
    start_put_list(run, world);
    int end = world->first + world->size;
    for (int i = world->first, next; i < end; i = next) {
        int part = run->ranks[i].part;
        int common = start_pack_part(run, &run->job.parts[part], folder);
        for (next = i; next < end && run->ranks[next].part == part; next++)
            if (run->ranks[next].state == RANK_READY)
                start_program(run, world, next, common);
        pvm_freebuf(common);
    }
    free(folder);
}
