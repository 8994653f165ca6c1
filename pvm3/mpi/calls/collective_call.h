/*
 * collective_call.h - one call of a collective operation, from the check of its arguments on.
 */
#ifndef MPI_CALLS_COLLECTIVE_CALL_H
#define MPI_CALLS_COLLECTIVE_CALL_H

#include "mpi/calls/collective_calls.h"
#include "mpi/collectives/collectives.h"

struct collective_call {
    const struct form *form;
    struct communicator *communicator; /* NULL: a wrong handle */
    int code;                          /* of the first argument that is wrong */
    struct schedule *schedule;
    struct schedule own; /* of a blocking call */
};

/* Checks what all operations have. The checks below do nothing once one has failed. */
void call_begin(struct collective_call *call, const struct form *form);

/* False if an argument was wrong: then call_end raises the error. Otherwise the schedule is there. */
bool call_ready(struct collective_call *call);

/* Runs the schedule, or makes a request of it. Returns what the function returns. */
int call_end(struct collective_call *call);

void call_wrong(struct collective_call *call, int code);

/* Checks. An intra-communicator, a topology, a root. */
void check_intra(struct collective_call *call);
void check_topology(struct collective_call *call);
void check_root(struct collective_call *call, int root);

/* Whether the calling rank is the root, on either kind of communicator. */
bool is_root(const struct collective_call *call, int root);

/* Whether a buffer is MPI_IN_PLACE, which is wrong unless it is `allowed`. */
bool check_in_place(struct collective_call *call, const void *buffer, bool allowed);

/* Both buffers are the same one, which should have been MPI_IN_PLACE. */
void check_alias(struct collective_call *call, const void *send, const void *receive,
                 MPI_Count count);

/* What the caller gives to its own block: neither the buffer of the blocks nor that block is it. */
void check_alias_own(struct collective_call *call, const struct items *own,
                     const struct blocks *blocks);

/* Likewise for a block of each of `size` ranks; buffers without a byte may lie anywhere. */
void check_alias_blocks(struct collective_call *call, const struct blocks *send,
                        const struct blocks *receive, int size);

struct items check_items(struct collective_call *call, const void *buffer, MPI_Count count,
                         MPI_Datatype datatype);
/* A block of `count` items for each of `size` ranks. */
struct blocks check_blocks(struct collective_call *call, void *buffer, MPI_Count count,
                           MPI_Datatype datatype);
struct blocks check_vector(struct collective_call *call, void *buffer, struct numbers counts,
                           struct numbers displacements, MPI_Datatype datatype, int size);
struct blocks check_vector_of(struct collective_call *call, void *buffer, struct numbers counts,
                              struct numbers displacements, const MPI_Datatype datatypes[],
                              int size);

struct reduction check_reduction(struct collective_call *call, const void *send, void *receive,
                                 MPI_Count count, MPI_Datatype datatype, MPI_Op op);

#endif
