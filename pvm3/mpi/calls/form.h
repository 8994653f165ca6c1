/*
 * form.h - how a function was called that has several forms: blocking, non-blocking and persistent,
 * with int and with large counts.
 */
#ifndef MPI_CALLS_FORM_H
#define MPI_CALLS_FORM_H

#include <stdbool.h>

#include <mpi.h>

enum form_kind { FORM_BLOCKING, FORM_STARTED, FORM_PERSISTENT };

struct form {
    const char *function;
    enum form_kind kind;
    bool large; /* with large counts */
    MPI_Comm comm;
    MPI_Info info;        /* of a window, and of a collective operation of FORM_PERSISTENT */
    MPI_Request *request; /* not of FORM_BLOCKING */
    MPI_Status *status;   /* to fill in; NULL also where a form has none */
};

#endif
