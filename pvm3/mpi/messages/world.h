/*
 * world.h - who belongs to MPI_COMM_WORLD: what mpiexec tells, or this process alone.
 */
#ifndef MPI_MESSAGES_WORLD_H
#define MPI_MESSAGES_WORLD_H

#include <stdint.h>

struct world {
    int size;
    int rank;
    uint32_t *tids; /* by rank; malloc */
    int part;       /* of an mpiexec command with several, counted from 0; or -1 */
};

/* MPI_SUCCESS, or MPI_ERR_OTHER after a line on stderr that says what is wrong. */
int world_find(struct world *world);

/* What mpiexec understands as the end of all with this status. Nothing if it has not started us. */
void world_abort(int code);

#endif
