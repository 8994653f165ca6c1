/*
 * program_numbers.h - integers in memory of the program's: of int, or of the wide integers of the
 * functions for large counts and for addresses.
 */
#ifndef MPI_VALUES_PROGRAM_NUMBERS_H
#define MPI_VALUES_PROGRAM_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>

#include <mpi.h>

/* An array that is read. */
struct numbers {
    const void *array; /* NULL: none */
    size_t width;      /* of an element, in bytes */
};

MPI_Count numbers_at(struct numbers numbers, MPI_Count index);

/* One that is read and written. */
struct number {
    void *place; /* NULL: none */
    size_t width;
};

MPI_Count number_get(struct number number);

/* Writes MPI_UNDEFINED, and returns false, for a value that an int cannot have. */
bool number_put(struct number number, MPI_Count value);

#endif
