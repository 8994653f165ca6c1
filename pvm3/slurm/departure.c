/* departure.c - moving tasks, and deleting hosts. */
#include "slurm/departure.h"

#include <stdlib.h>
#include <string.h>

#include <pvm3.h>

#include "slurm/memory.h"

/* The name under which the virtual machine knows the host of a node; NULL: it has left. */
static char *departure_name(int host)
{
    struct pvmhostinfo *hosts;
    int count;
    if (pvm_config(&count, NULL, &hosts) < 0)
        return NULL;
    for (int i = 0; i < count; i++)
        if (hosts[i].hi_tid == host)
            return hosts[i].hi_name;
    return NULL;
}

void departure_delete(struct node *node)
{
    int status;
    char *name = departure_name(node->host);
    if (name)
        pvm_delhosts(&name, 1, &status);
    node->host = 0;
    node_close(node);
}

static bool departure_is_leaving(const struct nodes *nodes, int host)
{
    const struct node *node = nodes_find_host(nodes, host);
    return node && node->ending;
}

/* Fills in the hosts that stay, and returns how many. To be freed. */
static int departure_list_refuges(const struct nodes *nodes, int **refuges)
{
    struct pvmhostinfo *hosts;
    int count = 0, staying = 0;
    if (pvm_config(&count, NULL, &hosts) < 0)
        count = 0;
    *refuges = memory_check(calloc((size_t)count + 1, sizeof **refuges));
    for (int i = 0; i < count; i++)
        if (!departure_is_leaving(nodes, hosts[i].hi_tid))
            (*refuges)[staying++] = hosts[i].hi_tid;
    return staying;
}

/* The tasks that are to leave; pvm_migrate refuses those that cannot. To be freed. */
static int departure_list_tasks(const struct nodes *nodes, int **tids)
{
    struct pvmtaskinfo *tasks;
    int count = 0, leaving = 0;
    if (pvm_tasks(0, &count, &tasks) < 0)
        count = 0;
    *tids = memory_check(calloc((size_t)count + 1, sizeof **tids));
    for (int i = 0; i < count; i++)
        /* Processes that hold others end when they hold nothing. */
        if (departure_is_leaving(nodes, tasks[i].ti_host) && strcmp(tasks[i].ti_a_out, "pvmulp"))
            (*tids)[leaving++] = tasks[i].ti_tid;
    return leaving;
}

void departure_evacuate(struct nodes *nodes)
{
    int *refuges, *tids;
    int refuge_count = departure_list_refuges(nodes, &refuges);
    int count = departure_list_tasks(nodes, &tids);
    for (int i = 0; refuge_count > 0 && i < count; i++)
        pvm_migrate(tids[i], refuges[i % refuge_count]);
    for (int i = 0; i < nodes->count; i++)
        if (nodes->items[i]->ending && nodes->items[i]->host != 0)
            departure_delete(nodes->items[i]);
    free(refuges);
    free(tids);
}
