/*
 * edges.c - collects the edges of a distributed graph: rank 0 gets all, and all get them from it.
 */
#include "mpi/communicators/edges.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/schedules/trees.h"

/* How many edges each rank names, by rank, in memory of the schedule; an error class. */
static int exchange_counts(struct schedule *schedule, int count, int **counts)
{
    struct communicator *communicator = schedule->communicator;
    *counts = schedule_memory(schedule, (size_t)communicator->group->size * sizeof **counts);
    if (*counts) {
        (*counts)[communicator->rank] = count;
        tree_exchange(schedule, communicator, *counts, sizeof **counts);
    }
    return schedule_run(schedule);
}

static int exchange_edges(struct communicator *communicator, const struct edge *named,
                          const int *counts, struct edge *all, size_t total)
{
    struct schedule schedule;
    schedule_begin(&schedule, communicator);
    struct edge *place = all;
    for (int rank = 0; rank < communicator->group->size; rank++) {
        MPI_Count size = counts[rank] * (MPI_Count)sizeof *place;
        if (rank == communicator->rank && rank != 0)
            schedule_send(&schedule, communicator, 0, named, size, NULL);
        else if (rank == communicator->rank)
            memcpy(place, named, (size_t)size);
        else if (communicator->rank == 0)
            schedule_receive(&schedule, communicator, rank, place, size, NULL);
        place += counts[rank];
    }
    schedule_wait(&schedule);
    struct items items = {all, (MPI_Count)(total * sizeof *all), NULL};
    tree_bcast(&schedule, communicator, &items, 0);
    int code = schedule_run(&schedule);
    schedule_end(&schedule);
    return code;
}

static struct topology *own_edges(const struct edge *all, size_t total, int rank, bool weighted)
{
    int in = 0;
    int out = 0;
    for (size_t i = 0; i < total; i++) {
        in += all[i].destination == rank;
        out += all[i].source == rank;
    }
    struct topology *topology = topology_new_edges(in, out, weighted);
    if (!topology)
        return NULL;
    struct edges edges = topology_edges(topology);
    for (size_t i = 0; i < total; i++) {
        if (all[i].destination == rank) {
            *edges.sources++ = all[i].source;
            *edges.source_weights++ = all[i].weight;
        }
        if (all[i].source == rank) {
            *edges.destinations++ = all[i].destination;
            *edges.destination_weights++ = all[i].weight;
        }
    }
    return topology;
}

int edges_collect(struct communicator *communicator, const struct edge *named, int count,
                  bool weighted, struct topology **topology)
{
    struct schedule schedule;
    int *counts;
    schedule_begin(&schedule, communicator);
    int code = exchange_counts(&schedule, count, &counts);
    size_t total = 0;
    for (int rank = 0; code == MPI_SUCCESS && rank < communicator->group->size; rank++)
        total += (size_t)counts[rank];
    struct edge *all = malloc((total + 1) * sizeof *all);
    if (code == MPI_SUCCESS && !all)
        code = MPI_ERR_NO_MEM;
    if (code == MPI_SUCCESS)
        code = exchange_edges(communicator, named, counts, all, total);
    if (code == MPI_SUCCESS) {
        *topology = own_edges(all, total, communicator->rank, weighted);
        code = *topology ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    }
    free(all);
    schedule_end(&schedule);
    return code;
}
