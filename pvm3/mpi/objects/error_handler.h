/* error_handler.h - error handlers, and what happens when an error is raised. */
#ifndef MPI_OBJECTS_ERROR_HANDLER_H
#define MPI_OBJECTS_ERROR_HANDLER_H

#include "mpi/objects/object.h"

struct error_handler {
    struct object object;
    enum object_kind
        subject; /* for which objects: OBJECT_COMM, _FILE, _SESSION, _WIN; 0: predefined */
    union {
        MPI_Comm_errhandler_function *comm;
        MPI_File_errhandler_function *file;
        MPI_Session_errhandler_function *session;
        MPI_Win_errhandler_function *win;
    } function;
};

/* The error handler of a handle; NULL: there is none. */
struct error_handler *error_handler_of(MPI_Errhandler handle);
MPI_Errhandler error_handler_handle(struct error_handler *handler);

/* A new one; NULL: no memory. It has one reference. */
struct error_handler *error_handler_make(enum object_kind subject);
void error_handler_keep(struct error_handler *handler);
void error_handler_drop(struct error_handler *handler);

/* What ends the processes of a communicator, or this one alone if handle is MPI_COMM_NULL:
 * messages/ names it at MPI_Init. Before that, and if it returns, the process ends itself. */
typedef void error_end(MPI_Comm handle, int code);
void error_handler_set_end(error_end *end);

/* Raises an error at a handler, for the object of a handle. function: "MPI_Send", or NULL.
 * Returns the code, if the handler returns; MPI_SUCCESS raises nothing. */
int error_raise(struct error_handler *handler, const void *handle, const char *function, int code);

struct communicator;

/* The handler of a communicator, with a reference for the caller; and another one. */
struct error_handler *communicator_handler(struct communicator *communicator);
void communicator_set_handler(struct communicator *communicator, struct error_handler *handler);

/* The handler of a handle, if a communicator can have it; otherwise NULL. */
struct error_handler *communicator_handler_of(MPI_Errhandler handle);

/* Raises the error that a communicator could not be made at the handler that it was to have; with
 * NULL as one that belongs to no communicator. Returns the code. */
int communicator_new_error(struct error_handler *handler, const char *function, int code);

/* Raises an error at a communicator; with NULL at MPI_COMM_SELF, at MPI_COMM_WORLD as long as
 * nobody has given MPI_COMM_SELF a handler, and at MPI_ERRORS_ARE_FATAL before MPI_Init. */
int communicator_error(struct communicator *communicator, const char *function, int code);

#endif
