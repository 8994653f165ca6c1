/* property_calls.c - names and hints of communicators. */
#include <pthread.h>
#include <string.h>

#include "mpi/calls/calls.h"
#include "mpi/objects/communicator.h"
#include "mpi/objects/error_handler.h"
#include "mpi/objects/info.h"
#include "mpi/objects/names.h"

/* For the names and hints of all communicators. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

MPI_CALL(int, Comm_set_name)(MPI_Comm comm, const char *comm_name)
{
    struct communicator *communicator = communicator_of(comm);

    if (!communicator)
        return call_error("MPI_Comm_set_name", MPI_ERR_COMM);
    if (!comm_name)
        return communicator_error(communicator, "MPI_Comm_set_name", MPI_ERR_ARG);
    pthread_mutex_lock(&lock);
    name_set(communicator->name, comm_name);
    pthread_mutex_unlock(&lock);
    return MPI_SUCCESS;
}

/* What a communicator is called as long as nobody has named it. */
static const char *first_name(MPI_Comm comm)
{
    if (comm == MPI_COMM_WORLD)
        return "MPI_COMM_WORLD";
    if (comm == MPI_COMM_SELF)
        return "MPI_COMM_SELF";
    return comm == MPI_COMM_NULL ? "MPI_COMM_NULL" : "";
}

MPI_CALL(int, Comm_get_name)(MPI_Comm comm, char *comm_name, int *resultlen)
{
    struct communicator *communicator = communicator_of(comm);
    char name[MPI_MAX_OBJECT_NAME];

    if (!communicator && comm != MPI_COMM_NULL)
        return call_error("MPI_Comm_get_name", MPI_ERR_COMM);
    if (!comm_name || !resultlen)
        return communicator_error(communicator, "MPI_Comm_get_name", MPI_ERR_ARG);
    name_set(name, first_name(comm));
    pthread_mutex_lock(&lock);
    if (communicator && communicator->name[0])
        memcpy(name, communicator->name, sizeof name);
    pthread_mutex_unlock(&lock);
    name_get(name, comm_name, resultlen);
    return MPI_SUCCESS;
}

MPI_CALL(int, Comm_set_info)(MPI_Comm comm, MPI_Info info)
{
    struct communicator *communicator = communicator_of(comm);
    struct info *given = info_of(info), *copy, *old;

    if (!communicator)
        return call_error("MPI_Comm_set_info", MPI_ERR_COMM);
    if (!given)
        return communicator_error(communicator, "MPI_Comm_set_info", MPI_ERR_INFO);
    copy = info_copy(given);
    if (!copy)
        return communicator_error(communicator, "MPI_Comm_set_info", MPI_ERR_NO_MEM);
    pthread_mutex_lock(&lock);
    old = communicator->info;
    communicator->info = copy;
    pthread_mutex_unlock(&lock);
    if (old)
        info_free(old);
    return MPI_SUCCESS;
}

MPI_CALL(int, Comm_get_info)(MPI_Comm comm, MPI_Info *info_used)
{
    struct communicator *communicator = communicator_of(comm);
    struct info *copy;

    if (!communicator)
        return call_error("MPI_Comm_get_info", MPI_ERR_COMM);
    if (!info_used)
        return communicator_error(communicator, "MPI_Comm_get_info", MPI_ERR_ARG);
    pthread_mutex_lock(&lock);
    copy = communicator->info ? info_copy(communicator->info) : info_make();
    pthread_mutex_unlock(&lock);
    if (!copy)
        return communicator_error(communicator, "MPI_Comm_get_info", MPI_ERR_NO_MEM);
    *info_used = info_handle(copy);
    return MPI_SUCCESS;
}
