/*
 * schedule.h - a collective operation as a list of steps: messages, reductions and copies.
 *
 * One function builds the list of an operation, for its blocking, non-blocking and persistent form.
 * schedule_run goes through it in the calling thread; run.h makes a request of it.
 *
 * Steps are done in their order. Sends and receives are only begun when their turn comes, and
 * are done after the next schedule_wait. From its turn on a receive may write to its memory. In
 * each phase, that is between two waits, receives stand before the sends. Messages between two
 * ranks are matched in their order.
 *
 * An error while it is built is kept in `error`; the rest of the builder's calls do no harm. If a
 * step fails, the others are done nevertheless, so that other ranks do not wait for ever. If a rank
 * is dead, those that wait for its part by way of others are told by what they get.
 */
#ifndef MPI_SCHEDULES_SCHEDULE_H
#define MPI_SCHEDULES_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>

#include "mpi/datatypes/datatype.h"
#include "mpi/messages/messages.h"
#include "mpi/objects/communicator.h"
#include "mpi/operations/operation.h"

enum step_kind { STEP_RECEIVE, STEP_SEND, STEP_WAIT, STEP_REDUCE, STEP_COPY };

struct step {
    enum step_kind kind;
    int rank;                /* of the other side of a message */
    struct communicator *on; /* on which a message travels */
    struct items items;      /* sent or received; the second operand and result; the copy */
    struct items from;       /* the first operand of a reduction; what is copied */
    struct operation *operation;
};

enum { SCHEDULE_FEW = 16, SCHEDULE_BYTES = 512 };

struct schedule_block;

struct schedule {
    struct communicator *communicator;
    int tag;
    int error;
    struct step *steps;
    int count;
    int room;
    size_t used; /* of `bytes` */
    struct schedule_block *blocks;
    struct step few[SCHEDULE_FEW];
    _Alignas(max_align_t) char bytes[SCHEDULE_BYTES];
};

/* An empty schedule, with the tag of the next collective operation of the communicator. */
void schedule_begin(struct schedule *schedule, struct communicator *communicator);

/* One of an operation of which only some members of the communicator know: with a tag of theirs. */
void schedule_begin_tagged(struct schedule *schedule, struct communicator *communicator, int tag);

/* Frees what the schedule has. */
void schedule_end(struct schedule *schedule);

/* Does all steps. Returns MPI_SUCCESS or the class of the first error. */
int schedule_run(struct schedule *schedule);

/* Building. `on` is the communicator, or `local` of it. ------------------------------------------ */

void schedule_receive(struct schedule *schedule, struct communicator *on, int rank, void *to,
                      MPI_Count count, struct datatype *datatype);
void schedule_send(struct schedule *schedule, struct communicator *on, int rank, const void *from,
                   MPI_Count count, struct datatype *datatype);
void schedule_wait(struct schedule *schedule);

/* inout = in op inout: `in` is of lower ranks. */
void schedule_reduce(struct schedule *schedule, struct operation *operation, const void *in,
                     void *inout, MPI_Count count, struct datatype *datatype);
void schedule_copy(struct schedule *schedule, const void *from, MPI_Count from_count,
                   struct datatype *from_type, void *to, MPI_Count to_count,
                   struct datatype *to_type);

/* On the communicator itself, and only if there are bytes at all. */
void schedule_receive_items(struct schedule *schedule, int rank, const struct items *items);
void schedule_send_items(struct schedule *schedule, int rank, const struct items *items);
void schedule_copy_items(struct schedule *schedule, const struct items *from,
                         const struct items *to);

/* Memory that lives as long as the schedule; NULL with an error. */
void *schedule_memory(struct schedule *schedule, size_t size);

/* The address of a buffer in such memory for `count` items. */
void *schedule_items(struct schedule *schedule, MPI_Count count, const struct datatype *datatype);

void schedule_fail(struct schedule *schedule, int code);

/* For those that do the steps. ------------------------------------------------------------------ */

struct channel schedule_channel(const struct schedule *schedule, const struct step *step);

/* A reduction or a copy. */
int step_compute(const struct step *step);

#endif
