/*
 * mpi_check.h - what the programs that test MPI have in common.
 */
#ifndef TEST_SUPPORT_MPI_CHECK_H
#define TEST_SUPPORT_MPI_CHECK_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* Ends all ranks with a line that says what is wrong. */
#define CHECK(what)                                                                                \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            fprintf(stderr, "line %d: not %s\n", __LINE__, #what);                                 \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                          \
        }                                                                                          \
    } while (0)

/* A call that succeeds. */
#define GOOD(call) CHECK((call) == MPI_SUCCESS)

/* The class of the error that a call returns. */
static inline int class_of(int code)
{
    int class;
    GOOD(MPI_Error_class(code, &class));
    return class;
}

#define FAILS(class, call) CHECK(class_of(call) == (class))

#endif
