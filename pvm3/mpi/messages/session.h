/*
 * session.h - what a handle of type MPI_Session stands for: a use of MPI without MPI_Init.
 *
 * Two sets of processes are known, mpi://WORLD and mpi://SELF. Threads: any thread may call anything,
 * but nobody uses a session that is being finalized.
 */
#ifndef MPI_MESSAGES_SESSION_H
#define MPI_MESSAGES_SESSION_H

#include "mpi/objects/object.h"

struct error_handler;
struct info;
struct send_buffer;

struct session {
    struct object object;
    struct error_handler *handler;
    struct info *info;
    struct send_buffer *send_buffer; /* attached by the program; NULL: none */
};

/* The session of a handle; NULL for MPI_SESSION_NULL and for what is no session. */
struct session *session_of(MPI_Session handle);
MPI_Session session_handle(struct session *session);

/* Begins one, with a copy of the info, which may be NULL, and the level of threads that it has.
 * MPI_SUCCESS, or the class of an error. */
int session_begin(struct info *info, struct error_handler *handler, struct session **session);
void session_end(struct session *session);

/* The handler from now on. */
void session_set_handler(struct session *session, struct error_handler *handler);

/* Raises an error at a session, or as one that belongs to nothing if that is NULL. Returns the
 * code. */
int session_error(struct session *session, const char *function, int code);

/* The name of a set of processes; NULL: there are not as many. */
const char *session_set_name(int number);

#endif
