/*
 * world.h - who belongs to MPI_COMM_WORLD: what mpiexec tells, or this process alone.
 *
 * mpiexec also starts the worlds that ranks spawn (spawn.h).
 */
#ifndef MPI_MESSAGES_WORLD_H
#define MPI_MESSAGES_WORLD_H

#include <stdbool.h>
#include <stdint.h>

struct world {
    int size;
    int rank;
    uint32_t *tids;   /* by rank; malloc */
    int part;         /* of an mpiexec command with several, counted from 0; or -1 */
    uint32_t spawner; /* the task that has spawned all of them, or 0 */
};

/*
 * Makes this process a task, if mpiexec has started it or a virtual machine would take it. Of a
 * process that is to hold thread tasks this does not return. MPI_SUCCESS, or MPI_ERR_OTHER after a
 * line on stderr that says what is wrong, as of the next one.
 */
int world_enrol(void);
int world_find(struct world *world);

/* Whether mpiexec has started this process, which is a task still. */
bool world_has_mpiexec(void);

/*
 * What mpiexec understands as the end of all with this status. Nothing if it has not started us. Of
 * a task that shares its process this does not return: mpiexec ends the task.
 */
void world_abort(int code);

#endif
