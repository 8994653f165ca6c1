/*
 * request.h - what a handle of type MPI_Request stands for.
 *
 * Threads: a request belongs to the thread that waits or tests; MPI forbids two at a time. Others
 * may cancel it.
 */
#ifndef MPI_MESSAGES_REQUEST_H
#define MPI_MESSAGES_REQUEST_H

#include <stdatomic.h>

#include "mpi/messages/messages.h"
#include "mpi/messages/work.h"
#include "mpi/objects/object.h"

enum mpi_request_kind {
    REQUEST_MESSAGE,     /* a send or a receive: posted */
    REQUEST_WORK,        /* work in steps */
    REQUEST_GENERALIZED, /* the program says when it is done */
};

struct mpi_request;

/*
 * What a persistent request does to start, and what any request does at its end: `finish` when it is
 * done, to fill in the status and the error; `release` when nobody has the handle any more. Each may
 * be NULL. All return MPI_SUCCESS or an error.
 */
struct mpi_request_calls {
    int (*start)(struct mpi_request *request);
    int (*finish)(struct mpi_request *request, MPI_Status *status);
    int (*release)(struct mpi_request *request);
    int (*cancel)(struct mpi_request *request);
};

#define REQUEST_COMPLETED 1
#define REQUEST_FREED     2

struct mpi_request {
    struct object object;
    enum mpi_request_kind kind;
    const struct mpi_request_calls *calls;
    struct communicator *communicator; /* whose error handler is called; kept, or NULL */
    bool persistent;
    bool active;
    struct posted posted; /* of a message */
    struct work work;     /* of work; `error` says how it ended */
    int error;
    atomic_int state; /* of a generalized one: bits that follow */
    void *owner;      /* for who made it */
};

/*
 * A new request with a handle, for `calls`, which is active unless it is persistent. NULL without
 * memory. Freed by the calls that wait, or by request_release if it never gets to the program.
 */
struct mpi_request *mpi_request_new(enum mpi_request_kind kind,
                                    const struct mpi_request_calls *calls,
                                    struct communicator *communicator);
int mpi_request_release(struct mpi_request *request);

MPI_Request mpi_request_handle(struct mpi_request *request);

/* NULL for MPI_REQUEST_NULL and for what is no request. */
struct mpi_request *mpi_request_of(MPI_Request handle);

/* Whether there is something to wait for. NULL: no. */
bool mpi_request_is_active(const struct mpi_request *request);

/* Of active requests: whether it is done, after a look. */
bool mpi_request_is_done(struct mpi_request *request);

/* Waits until it is done. MPI_SUCCESS, or MPI_ERR_INTERN when that cannot be. */
int mpi_request_wait(struct mpi_request *request);

/*
 * The first of `count` that is done, among which NULL may be; -1 when none is, or when waiting
 * cannot be. At least one is active.
 */
int mpi_request_test_any(struct mpi_request *const *requests, int count);
int mpi_request_wait_any(struct mpi_request *const *requests, int count);

/* What is to be told of a request that is done, and stays. `status` may be MPI_STATUS_IGNORE. */
int mpi_request_look_up(struct mpi_request *request, MPI_Status *status);

/*
 * It is done and looked up: not active any more, and released unless it is persistent. Returns the
 * error of the release.
 */
int mpi_request_end(struct mpi_request *request);

/* Starts a persistent request that is not active. */
int mpi_request_start(struct mpi_request *request);

/* Ends it early if that can still be. */
int mpi_request_cancel(struct mpi_request *request);

/* The program says that a generalized request is done. */
void mpi_request_complete(struct mpi_request *request);

/* The program gives up the handle; what goes on ends by itself. */
int mpi_request_free(struct mpi_request *request);

#endif
