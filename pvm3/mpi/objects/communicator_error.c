#include <pthread.h>
#include <stdbool.h>
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

/* Where errors that belong to no communicator are raised: at MPI_COMM_SELF, or, as long as that has
 * its first handler, at MPI_COMM_WORLD, whose handler is the only one that many programs set. NULL
 * before MPI_Init. */
static struct communicator *raised_at_last(void)
{
    struct communicator *self = communicator_of(MPI_COMM_SELF);
    bool first = false;

    if (self) {
        pthread_mutex_lock(&lock);
        first = !self->handler;
        pthread_mutex_unlock(&lock);
    }
    return first ? communicator_of(MPI_COMM_WORLD) : self;
}

int communicator_error(struct communicator *communicator, const char *function, int code)
{
    struct communicator *at = communicator ? communicator : raised_at_last();
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

struct error_handler *communicator_handler_of(MPI_Errhandler handle)
{
    struct error_handler *handler = error_handler_of(handle);

    return handler && (!handler->subject || handler->subject == OBJECT_COMM) ? handler : NULL;
}

int communicator_new_error(struct error_handler *handler, const char *function, int code)
{
    return handler ? error_raise(handler, MPI_COMM_NULL, function, code)
                   : communicator_error(NULL, function, code);
}
