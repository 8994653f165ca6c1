/* process_calls.c - the beginning and the end of MPI in this process, and its clock. */
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "mpi/calls/calls.h"
#include "mpi/communicators/inter.h"
#include "mpi/messages/process.h"
#include "mpi/messages/spawn.h"
#include "mpi/objects/communicator.h"
#include "mpi/objects/error_handler.h"

/* All of a world that was spawned meet those who have spawned it. */
static int meet_parent(void)
{
    struct communicator *parent = NULL;
    int error = intercomm_of_leaders(communicator_of(MPI_COMM_WORLD), 0, process_spawner(),
                                     SPAWN_MEETING, &parent);
    if (parent)
        snprintf(parent->name, sizeof parent->name, "MPI_COMM_PARENT");
    process_set_parent(parent);
    return error;
}

/* All calls are thread-safe, whatever the program asks for. */
static int init(const char *function, int required, int *provided)
{
    int error = process_init(required, provided);
    if (error == MPI_SUCCESS && process_spawner() != 0)
        error = meet_parent();
    return error == MPI_SUCCESS ? error : call_error(function, error);
}

MPI_CALL(int, Init)(int *argc, char ***argv)
{
    int provided;
    (void)argc;
    (void)argv;
    return init("MPI_Init", MPI_THREAD_MULTIPLE, &provided);
}

MPI_CALL(int, Init_thread)(int *argc, char ***argv, int required, int *provided)
{
    int level;
    (void)argc;
    (void)argv;
    (void)required;
    int error = init("MPI_Init_thread", MPI_THREAD_MULTIPLE, provided ? provided : &level);
    if (error == MPI_SUCCESS && !provided)
        error = call_error("MPI_Init_thread", MPI_ERR_ARG);
    return error;
}

MPI_CALL(int, Finalize)(void)
{
    int error = process_finalize();
    return error == MPI_SUCCESS ? error : call_error("MPI_Finalize", error);
}

/* What may be called at any time. */
static int tell(const char *function, int *flag, int value)
{
    if (!flag)
        return call_error(function, MPI_ERR_ARG);
    *flag = value;
    return MPI_SUCCESS;
}

MPI_CALL(int, Initialized)(int *flag)
{
    return tell("MPI_Initialized", flag, process_is_initialized());
}

MPI_CALL(int, Finalized)(int *flag)
{
    return tell("MPI_Finalized", flag, process_is_finalized());
}

MPI_CALL(int, Query_thread)(int *provided)
{
    return tell("MPI_Query_thread", provided, process_thread_level());
}

MPI_CALL(int, Is_thread_main)(int *flag)
{
    return tell("MPI_Is_thread_main", flag, process_is_main_thread());
}

/* Ends all ranks that mpiexec has started, whatever the communicator. */
MPI_CALL(int, Abort)(MPI_Comm comm, int errorcode)
{
    (void)comm;
    process_abort(errorcode);
}

MPI_CALL(int, Pcontrol)(const int level, ...)
{
    (void)level;
    return MPI_SUCCESS;
}

/* The clock of the system that is never set; each rank has its own start. */
MPI_CALL(double, Wtime)(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

MPI_CALL(double, Wtick)(void)
{
    struct timespec tick;
    clock_getres(CLOCK_MONOTONIC, &tick);
    return (double)tick.tv_sec + (double)tick.tv_nsec / 1e9;
}
