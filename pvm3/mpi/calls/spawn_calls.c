/*
 * spawn_calls.c - processes that a program starts while it runs, and those that have started it.
 */
#include <stdlib.h>

#include "mpi/calls/calls.h"
#include "mpi/communicators/exchange.h"
#include "mpi/communicators/inter.h"
#include "mpi/messages/process.h"
#include "mpi/messages/spawn.h"
#include "mpi/objects/communicator.h"
#include "mpi/objects/error_handler.h"
#include "mpi/objects/info.h"

/* What the root passes. */
struct request {
    int count;
    char *const *commands;
    char **const *words; /* NULL: no program has any */
    const int *maximums;
    const MPI_Info *infos;
};

static int check_part(const struct spawn_part *part, MPI_Info info)
{
    if (!part->command || !*part->command)
        return MPI_ERR_ARG;
    if (part->count < 1)
        return MPI_ERR_ARG;
    return info == MPI_INFO_NULL || part->info ? MPI_SUCCESS : MPI_ERR_INFO;
}

/* What the root does. `total` counts ranks also if they are not started. */
static int start(const struct request *request, uint32_t *first, int *total)
{
    *total = 0;
    if (request->count < 1 || !request->commands || !request->maximums || !request->infos)
        return MPI_ERR_ARG;
    struct spawn_part *parts = calloc((size_t)request->count, sizeof *parts);
    int code = parts ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    for (int i = 0; code == MPI_SUCCESS && i < request->count; i++) {
        parts[i] = (struct spawn_part){.command = request->commands[i],
                                       .words = request->words ? request->words[i] : NULL,
                                       .count = request->maximums[i],
                                       .info = info_of(request->infos[i])};
        code = check_part(&parts[i], request->infos[i]);
        *total += request->maximums[i];
    }
    int started;
    if (code == MPI_SUCCESS)
        code = spawn_start(parts, request->count, first, &started);
    free(parts);
    return code;
}

/* All are told by the root how it went. */
static int spawn_all(struct communicator *local, int root, const struct request *request,
                     int codes[], struct communicator **made)
{
    uint32_t first = 0;
    int words[2] = {MPI_SUCCESS, 0};
    if (local->rank == root)
        words[0] = start(request, &first, &words[1]);
    int code = exchange_bcast(local, root, words, sizeof words);
    if (code != MPI_SUCCESS)
        return code;
    for (int i = 0; codes != MPI_ERRCODES_IGNORE && i < words[1]; i++)
        codes[i] = words[0];
    return words[0] == MPI_SUCCESS ? intercomm_of_leaders(local, root, first, SPAWN_MEETING, made)
                                   : words[0];
}

static int spawn(const char *function, const struct request *request, int root, MPI_Comm comm,
                 MPI_Comm *intercomm, int codes[])
{
    struct communicator *local = communicator_of(comm);
    struct communicator *made = NULL;
    int code = local && !local->remote ? MPI_SUCCESS : MPI_ERR_COMM;
    if (code == MPI_SUCCESS && !intercomm)
        code = MPI_ERR_ARG;
    if (code == MPI_SUCCESS && (root < 0 || root >= local->group->size))
        code = MPI_ERR_ROOT;
    if (code == MPI_SUCCESS)
        code = spawn_all(local, root, request, codes, &made);
    if (code != MPI_SUCCESS)
        return communicator_error(local, function, code);
    *intercomm = communicator_handle(made);
    return MPI_SUCCESS;
}

MPI_CALL(int, Comm_spawn)
(const char *command, char *argv[], int maxprocs, MPI_Info info, int root, MPI_Comm comm,
 MPI_Comm *intercomm, int array_of_errcodes[])
{
    char *const commands[] = {(char *)command};
    char **const words[] = {argv};
    const struct request request = {1, commands, words, &maxprocs, &info};
    return spawn("MPI_Comm_spawn", &request, root, comm, intercomm, array_of_errcodes);
}

MPI_CALL(int, Comm_spawn_multiple)
(int count, char *array_of_commands[], char **array_of_argv[], const int array_of_maxprocs[],
 const MPI_Info array_of_info[], int root, MPI_Comm comm, MPI_Comm *intercomm,
 int array_of_errcodes[])
{
    const struct request request = {count, array_of_commands, array_of_argv, array_of_maxprocs,
                                    array_of_info};
    return spawn("MPI_Comm_spawn_multiple", &request, root, comm, intercomm, array_of_errcodes);
}

MPI_CALL(int, Comm_get_parent)(MPI_Comm *parent)
{
    if (!parent)
        return call_error("MPI_Comm_get_parent", MPI_ERR_ARG);
    struct communicator *communicator = process_parent();
    *parent = communicator ? communicator_handle(communicator) : MPI_COMM_NULL;
    return MPI_SUCCESS;
}
