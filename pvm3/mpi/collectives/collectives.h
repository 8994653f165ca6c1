/*
 * collectives.h - the collective operations of MPI, each as a builder of its schedule.
 *
 * Arguments have been checked. A send buffer may be MPI_IN_PLACE where the standard allows it. Which
 * algorithm is taken depends only on what is the same at all ranks: their number, and the bytes of
 * the data. Reductions keep the order of the ranks unless the operation commutes. How operands are
 * grouped never depends on which message came first.
 *
 * On an inter-communicator `root` is MPI_ROOT, MPI_PROC_NULL or the root's rank in the remote group.
 */
#ifndef MPI_COLLECTIVES_COLLECTIVES_H
#define MPI_COLLECTIVES_COLLECTIVES_H

#include "mpi/schedules/blocks.h"
#include "mpi/schedules/schedule.h"

/* What is reduced: `count` items of `send` into `receive`. */
struct reduction {
    const void *send; /* or MPI_IN_PLACE */
    void *receive;
    MPI_Count count;
    struct datatype *datatype;
    struct operation *operation;
};

void build_barrier(struct schedule *schedule);
void build_bcast(struct schedule *schedule, const struct items *items, int root);

/* A layout belongs to the root alone; others need not have one. */
void build_gather(struct schedule *schedule, const struct items *send, const struct blocks *receive,
                  int root);
void build_scatter(struct schedule *schedule, const struct blocks *send,
                   const struct items *receive, int root);
void build_allgather(struct schedule *schedule, const struct items *send,
                     const struct blocks *receive);
void build_alltoall(struct schedule *schedule, const struct blocks *send,
                    const struct blocks *receive);

void build_reduce(struct schedule *schedule, const struct reduction *reduction, int root);
void build_allreduce(struct schedule *schedule, const struct reduction *reduction);

/* `counts` for each rank of the own group; without an array `count` is that of each. */
void build_reduce_scatter(struct schedule *schedule, const struct reduction *reduction,
                          struct numbers counts);

/* With those of the ranks before, and the own one if it is `inclusive`. */
void build_scan(struct schedule *schedule, const struct reduction *reduction, bool inclusive);

/* Along the edges of the communicator's topology. */
void build_neighbor_allgather(struct schedule *schedule, const struct items *send,
                              const struct blocks *receive);
void build_neighbor_alltoall(struct schedule *schedule, const struct blocks *send,
                             const struct blocks *receive);

#endif
