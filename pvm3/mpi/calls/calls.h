/* calls.h - what the exported functions have in common.
 *
 * A function of the standard is defined as
 *
 *     MPI_CALL(int, Send)(const void *buf, int count, ...)
 *     {
 *         ...
 *
 * with MPI_CALL at the beginning of a line: unsupported.awk looks for that. It defines
 * PMPI_Send, and MPI_Send for the same, which a tool can define itself. Each file is named for
 * its family, X_calls.c; no two files of pvm3/mpi have the same name.
 */
#ifndef MPI_CALLS_CALLS_H
#define MPI_CALLS_CALLS_H

#include <mpi.h>

#define MPI_CALL(type, name)                                                                       \
    extern __typeof__(PMPI_##name) MPI_##name                                                      \
        __attribute__((weak, alias("PMPI_" #name), visibility("default")));                        \
    __attribute__((visibility("default"))) type PMPI_##name

/* Raises an error that belongs to no communicator (communicator_error). Returns the code.
 * function: "MPI_Send" */
int call_error(const char *function, int code);

/* Raises the error that a function is not supported. number: its place in function_names */
int call_unsupported(int number);

#endif
