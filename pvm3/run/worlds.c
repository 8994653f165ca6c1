/* worlds.c - unpacking requests, and answering. */
#include "run/worlds.h"

#include <stdlib.h>
#include <string.h>

#include <pvm3.h>

#include "run/protocol.h"
#include "run/start.h"

/* Requests with more parts, or more ranks of a part, come from nobody. */
#define PARTS_LIMIT 65536
#define RANKS_LIMIT 65536

/* To be freed; NULL for an empty text. */
static char *worlds_text(void)
{
    char *text = unpack_text();
    if (text && *text)
        return text;
    free(text);
    return NULL;
}

/* Hosts of the architecture, in place of none. */
static void worlds_choose_hosts(const struct run *run, const char *architecture,
                                struct words *hosts)
{
    for (int i = 0; i < run->hosts.count; i++)
        if (strcmp(run->hosts.items[i].arch, architecture) == 0)
            words_add(hosts, run->hosts.items[i].name);
}

/* 0, or an error of PVM. */
static int worlds_take_part(const struct run *run, struct part *part)
{
    part->count = received_number(0);
    part->folder = worlds_text();
    part->search = worlds_text();
    char *architecture = worlds_text();
    bool whole = unpack_words(&part->hosts);
    whole = unpack_words(&part->words) && whole;
    if (architecture && part->hosts.count == 0) {
        worlds_choose_hosts(run, architecture, &part->hosts);
        if (part->hosts.count == 0)
            whole = false;
    }
    free(architecture);
    if (!whole || part->words.count == 0 || part->count < 1 || part->count > RANKS_LIMIT)
        return PvmBadParam;
    for (int i = 0; i < part->hosts.count; i++)
        if (!hosts_find(&run->hosts, part->hosts.items[i]))
            return PvmNoHost;
    return 0;
}

/* What was asked for is in the job from now on, also when it fails. */
static int worlds_take_parts(struct run *run)
{
    struct job *job = &run->job;
    int error = job->tasks == TASKS_PROCESSES ? 0 : PvmNotImpl;
    int count = received_number(0);
    if (count < 1 || count > PARTS_LIMIT)
        error = PvmBadParam;
    for (int i = 0; error == 0 && i < count; i++) {
        job->parts = memory_resize(job->parts, (size_t)job->part_count + 1, sizeof *job->parts);
        struct part *part = &job->parts[job->part_count++];
        *part = (struct part){0};
        error = worlds_take_part(run, part);
    }
    return error;
}

/* The answer is in the active send buffer. */
static void worlds_send_answer(const struct world *world)
{
    int former = pvm_setcontext(world->context);
    pvm_send(world->asker, TAG_SPAWN);
    pvm_setcontext(former);
}

void worlds_answer(const struct run *run, const struct world *world)
{
    const int head[] = {0, world->size};
    pvm_initsend(PvmDataDefault);
    pvm_pkint(head, 2, 1);
    for (int i = 0; i < world->size; i++)
        pvm_pkint(&run->ranks[world->first + i].tid, 1, 1);
    worlds_send_answer(world);
}

void worlds_refuse(struct world *world, int error)
{
    world->failed = true;
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&error, 1, 1);
    worlds_send_answer(world);
}

struct world *worlds_spawn(struct run *run, int asker)
{
    int context = received_number(0), first_part = run->job.part_count;
    int error = worlds_take_parts(run);
    struct world refused = {.asker = asker, .context = context};
    if (error < 0) {
        worlds_refuse(&refused, error);
        return NULL;
    }
    struct world *world = start_place(run, first_part);
    world->asker = asker;
    world->context = context;
    return world;
}
