/* world.c - what mpiexec has started. */
#include "mpi/messages/world.h"

#include <mpi.h>
#include <pvm3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/calls/kernel.h"

/* mpiexec says by it which of its worlds this is, from 1 on. */
#define STARTED "PVM_RUN"

/* A message to mpiexec with this tag has the status with which all are to end. */
#define ABORT 0x4d504941

static int world_complain(const char *what)
{
    fprintf(stderr, "libmpi_abi: %s\n", what);
    return MPI_ERR_OTHER;
}

/* A world of this process alone. */
static int world_of_one(struct world *world)
{
    world->tids = malloc(sizeof *world->tids);
    if (!world->tids)
        return world_complain("out of memory");
    world->tids[0] = kernel_address();
    world->size = 1;
    world->rank = 0;
    world->part = -1;
    world->spawner = 0;
    return MPI_SUCCESS;
}

/* Reads what the active receive buffer has: a count, the tids by rank, the parts, the spawner. */
static int world_unpack(struct world *world)
{
    if (pvm_upkint(&world->size, 1, 1) < 0 || world->size < 1)
        return world_complain("what mpiexec tells of the ranks makes no sense");
    world->tids = malloc((size_t)world->size * sizeof *world->tids);
    int *parts = malloc((size_t)world->size * sizeof *parts);
    int error = MPI_SUCCESS;
    world->rank = -1;
    if (!world->tids || !parts)
        error = world_complain("out of memory");
    else if (pvm_upkint((int *)world->tids, world->size, 1) < 0 ||
             pvm_upkint(parts, world->size, 1) < 0 || pvm_upkint((int *)&world->spawner, 1, 1) < 0)
        error = world_complain("what mpiexec tells of the ranks is not whole");
    for (int rank = 0; error == MPI_SUCCESS && rank < world->size; rank++)
        if (world->tids[rank] == kernel_address())
            world->rank = rank;
    if (error == MPI_SUCCESS && world->rank < 0)
        error = world_complain("mpiexec does not know this process, which has its environment");
    if (error == MPI_SUCCESS)
        world->part = parts[world->rank];
    else
        free(world->tids);
    free(parts);
    return error;
}

/* Waits for the entry of the mpiexec that has started us. */
static int world_of_mpiexec(struct world *world)
{
    char name[48];
    int number = atoi(getenv(STARTED));
    snprintf(name, sizeof name, number > 1 ? "pvmrun.%x.%d" : "pvmrun.%x", (unsigned)pvm_parent(),
             number);
    int mine = pvm_setrbuf(0);
    int found = pvm_recvinfo(name, 0, PvmMboxWaitForInfo);
    int error = found > 0 ? MPI_SUCCESS : world_complain("mpiexec is gone, or the pvmd is");
    if (found > 0) {
        pvm_setrbuf(found);
        error = world_unpack(world);
        pvm_freebuf(found);
    }
    pvm_setrbuf(mine);
    return error;
}

int world_enrol(void)
{
    if (!getenv(STARTED) && kernel_enrol_or_stay() < 0)
        return world_complain("the system has no file descriptor left");
    if (getenv(STARTED) && kernel_enrol() < 0)
        return MPI_ERR_OTHER;
    if (kernel_shares_process())
        return world_complain("each rank has to be a process: mpiexec --tasks process does that");
    return MPI_SUCCESS;
}

int world_find(struct world *world)
{
    return getenv(STARTED) ? world_of_mpiexec(world) : world_of_one(world);
}

bool world_has_mpiexec(void)
{
    return getenv(STARTED) && kernel_is_enrolled();
}

void world_abort(int code)
{
    if (!world_has_mpiexec())
        return;
    int mine = pvm_setsbuf(0), context = pvm_setcontext(PvmBaseContext);
    int buffer = pvm_mkbuf(PvmDataDefault);
    pvm_setsbuf(buffer);
    pvm_pkint(&code, 1, 1);
    pvm_send(pvm_parent(), ABORT);
    pvm_setsbuf(mine);
    pvm_freebuf(buffer);
    /* Others may be beginning in this process: mpiexec ends it when it knows them all. */
    if (kernel_shares_process())
        pvm_recv(pvm_mytid(), ABORT);
    pvm_setcontext(context);
}
