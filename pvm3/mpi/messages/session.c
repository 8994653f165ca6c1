/* session.c - sessions. */
#include "mpi/messages/session.h"

#include <pthread.h>
#include <stdlib.h>

#include "mpi/messages/buffer.h"
#include "mpi/messages/process.h"
#include "mpi/objects/error_handler.h"
#include "mpi/objects/info.h"

/* For the handlers of all sessions. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct session *session_of(MPI_Session handle)
{
    return object_at(handle, OBJECT_SESSION);
}

MPI_Session session_handle(struct session *session)
{
    return (MPI_Session)(void *)session;
}

int session_begin(struct info *info, struct error_handler *handler, struct session **begun)
{
    struct session *session = calloc(1, sizeof *session);
    if (!session)
        return MPI_ERR_NO_MEM;
    session->info = info ? info_copy(info) : info_make();
    /* Whatever level the program asks for. */
    int error = session->info ? info_set(session->info, "thread_level", "MPI_THREAD_MULTIPLE")
                              : MPI_ERR_NO_MEM;
    if (error == MPI_SUCCESS)
        error = process_begin();
    if (error != MPI_SUCCESS) {
        if (session->info)
            info_free(session->info);
        free(session);
        return error;
    }
    object_begin(&session->object, OBJECT_SESSION);
    session->handler = handler;
    error_handler_keep(handler);
    *begun = session;
    return MPI_SUCCESS;
}

void session_end(struct session *session)
{
    if (session->send_buffer) {
        send_buffer_flush(session->send_buffer);
        send_buffer_free(session->send_buffer);
    }
    process_end();
    error_handler_drop(session->handler);
    info_free(session->info);
    if (object_drop(&session->object))
        free(session);
}

void session_set_handler(struct session *session, struct error_handler *handler)
{
    error_handler_keep(handler);
    pthread_mutex_lock(&lock);
    struct error_handler *before = session->handler;
    session->handler = handler;
    pthread_mutex_unlock(&lock);
    error_handler_drop(before);
}

int session_error(struct session *session, const char *function, int code)
{
    if (!session)
        return communicator_error(NULL, function, code);
    pthread_mutex_lock(&lock);
    struct error_handler *handler = session->handler;
    error_handler_keep(handler);
    pthread_mutex_unlock(&lock);
    error_raise(handler, session, function, code);
    error_handler_drop(handler);
    return code;
}

const char *session_set_name(int number)
{
    static const char *const names[] = {"mpi://WORLD", "mpi://SELF"};
    return number >= 0 && number < 2 ? names[number] : NULL;
}
