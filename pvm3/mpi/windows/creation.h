/*
 * creation.h - making and freeing windows, which all members of a communicator do at a time.
 */
#ifndef MPI_WINDOWS_CREATION_H
#define MPI_WINDOWS_CREATION_H

#include <mpi.h>
#include <stdbool.h>

struct communicator;
struct info;
struct window;

/* What a member wants of a window. */
struct window_plan {
    int flavor; /* MPI_WIN_FLAVOR_CREATE... */
    void *base; /* of MPI_Win_create */
    MPI_Aint size;
    MPI_Aint unit;
    struct info *info; /* hints, or NULL */
    bool apart;        /* the memory of each member is on pages of its own */
};

/*
 * MPI_SUCCESS and *made, which all members can use when this returns; otherwise an error class, at
 * all members: MPI_ERR_NO_MEM, or MPI_ERR_RMA_SHARED if not all can map the memory.
 */
int window_create(struct communicator *communicator, const struct window_plan *plan,
                  struct window **made);

/* MPI_ERR_RMA_SYNC if an epoch goes on, or the error of a function that deletes an attribute. */
int window_free(struct window *window);

/* The memory of a member that this task can use directly: its address, or NULL. */
char *window_shared_memory(const struct window *window, int rank);

#endif
