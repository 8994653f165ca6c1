/* allocation.c - nodes and slots of a job of Slurm. */
#include "run/allocation.h"

#include <stdio.h>
#include <stdlib.h>

#include <pvm3.h>

#include "slurm/ask.h"

/*
 * How many slots a node has: the number at a place of a list such as 2(x3),1 or 1 if the list has
 * none there.
 */
static int allocation_slots(const char *list, int place)
{
    int slots, times, length;
    while (list && sscanf(list, "%d%n", &slots, &length) == 1) {
        list += length;
        times = 1;
        if (sscanf(list, "(x%d)%n", &times, &length) == 1)
            list += length;
        if (place < times)
            return slots > 0 ? slots : 1;
        place -= times;
        list += *list == ',';
    }
    return 1;
}

static void allocation_give(struct part *part, const struct slurm_nodes *nodes)
{
    const char *slots = getenv("SLURM_TASKS_PER_NODE");
    if (part->hosts.count > 0)
        return;
    for (int i = 0; i < nodes->count; i++)
        words_take(&part->hosts, memory_text("%s:%d", nodes->names[i], allocation_slots(slots, i)));
}

bool allocation_take(struct job *job)
{
    struct slurm_nodes nodes;
    if (!job->uses_slurm || !slurm_has_job())
        return true;
    if (slurm_ask_job(&nodes) < 0 || nodes.count == 0) {
        fputs("pvmrun: cannot use the nodes of the Slurm job: --no-slurm does without\n", stderr);
        return false;
    }
    for (int i = 0; i < job->part_count; i++)
        allocation_give(&job->parts[i], &nodes);
    slurm_nodes_free(&nodes);
    return true;
}
