/*
 * accumulator.h - a value that takes in the values of other ranks, one after the other, without
 * more copies than the order of operands asks for.
 */
#ifndef MPI_COLLECTIVES_ACCUMULATOR_H
#define MPI_COLLECTIVES_ACCUMULATOR_H

#include "mpi/collectives/collectives.h"

struct accumulator {
    struct schedule *schedule;
    const struct reduction *reduction;
    const void *value; /* so far: the send buffer, or one of the two */
    bool strict;       /* keep the order of operands even if the operation commutes */
    void *buffers[2];  /* the first is the result's, if there is a place for it; NULL: not yet */
};

/* Begins with the own value, not strict. `result` NULL: this rank has no place for the result. */
void accumulator_begin(struct accumulator *accumulator, struct schedule *schedule,
                       const struct reduction *reduction, void *result);

/* Where the next value is to come; it is not the place of the own one. */
void *accumulator_free_buffer(struct accumulator *accumulator);

/* Takes in the value there, which comes from ranks below the own ones, or above. */
void accumulator_take(struct accumulator *accumulator, bool from_below);

/* Puts the value to where the result belongs. */
void accumulator_end(struct accumulator *accumulator, void *result);

#endif
