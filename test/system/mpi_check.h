/* mpi_check.h - what is wrong with MPI? A program of a test has the rank that says so. */
#ifndef MPI_CHECK_H
#define MPI_CHECK_H

#include <mpi.h>
#include <stdio.h>

static int rank;

#define CHECK(what)                                                                                \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            fprintf(stderr, "rank %d, line %d: not %s\n", rank, __LINE__, #what);                  \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                          \
        }                                                                                          \
    } while (0)

#define WORLD MPI_COMM_WORLD

static int class_of(int code)
{
    int class;
    CHECK(MPI_Error_class(code, &class) == MPI_SUCCESS);
    return class;
}

#endif
