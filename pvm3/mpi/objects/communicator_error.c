#include <pthread.h>
#include <stddef.h>

#include "mpi/objects/communicator.h"
#include "mpi/objects/error_handler.h"

/* For the handlers of all communicators: one thread may change what another one is about to
 * call. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct error_handler *communicator_handler(struct communicator *communicator)
{
    struct error_handler *handler;

    pthread_mutex_lock(&lock);
    handler = communicator->handler;
    if (!handler)
        handler = error_handler_of(MPI_ERRORS_ARE_FATAL);
    error_handler_keep(handler);
    pthread_mutex_unlock(&lock);
    return handler;
}

void communicator_set_handler(struct communicator *communicator, struct error_handler *handler)
{
    struct error_handler *old;

    error_handler_keep(handler);
    pthread_mutex_lock(&lock);
    old = communicator->handler;
    communicator->handler = handler;
    pthread_mutex_unlock(&lock);
    if (old)
        error_handler_drop(old);
}

int communicator_error(struct communicator *communicator, const char *function, int code)
{
    struct communicator *at = communicator ? communicator : communicator_of(MPI_COMM_SELF);
    struct error_handler *handler;

    if (code == MPI_SUCCESS)
        return code;
    if (!at)
        return error_raise(error_handler_of(MPI_ERRORS_ARE_FATAL), MPI_COMM_SELF, function, code);
    handler = communicator_handler(at);
    error_raise(handler, communicator_handle(at), function, code);
    error_handler_drop(handler);
    return code;
}
