/*
 * remote.h - accesses to the memory of other members, as the calls of MPI make them, and waiting
 * until they are done.
 *
 * Arguments have been checked: the target is a rank, and an operation fits its elements. Results
 * are error classes: MPI_ERR_RMA_RANGE if the memory is not in the window, MPI_ERR_TRUNCATE if the
 * items do not fit where they go.
 */
#ifndef MPI_WINDOWS_REMOTE_H
#define MPI_WINDOWS_REMOTE_H

#include "mpi/messages/messages.h"

struct mpi_request;
struct window;

/* Items at a place in the memory of a member. */
struct place {
    int rank;
    MPI_Aint displacement;
    MPI_Count count;
    struct datatype *datatype;
};

/* The items may change when it returns. */
int remote_put(struct window *window, const struct place *place, const struct items *items);
int remote_accumulate(struct window *window, const struct place *place, const struct items *items,
                      MPI_Op operation);

/*
 * The items are there when the request is done, or after a flush. Without `request` nobody asks.
 */
int remote_get(struct window *window, const struct place *place, const struct items *items,
               MPI_Request *request);

/* `result` gets what was there before; with MPI_NO_OP `items` count for nothing. */
int remote_fetch(struct window *window, const struct place *place, const struct items *items,
                 const struct items *result, MPI_Op operation, MPI_Request *request);

/* One element: the first of the two at `values`, if the second is there. */
int remote_swap(struct window *window, const struct place *place, const void *values,
                const struct items *result);

/* A request that is done: of an access whose items may change. MPI_ERR_NO_MEM. */
int remote_request_done(struct window *window, MPI_Request *request);

/* Waits until all accesses of this task to a member are done there; or until the own memory that
 * they use is as it will be. Returns what went wrong since the last flush. */
int remote_flush(struct window *window, int rank);
int remote_flush_local(struct window *window, int rank);
int remote_flush_all(struct window *window);
int remote_flush_local_all(struct window *window);

/* Gets the lock of a member's memory; gives it back after all accesses to it are done. */
int remote_lock(struct window *window, int rank, int kind);
int remote_unlock(struct window *window, int rank, int kind);

/* Likewise of all members at once; the kind is MPI_LOCK_SHARED. */
int remote_lock_all(struct window *window);
int remote_unlock_all(struct window *window);

#endif
