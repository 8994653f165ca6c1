/* error_handler_calls.c - error handlers. There are no files yet: MPI_FILE_NULL has the handler of
 * those that could not be opened. */
#include <pthread.h>

#include "mpi/calls/calls.h"
#include "mpi/objects/communicator.h"
#include "mpi/objects/error_handler.h"
#include "mpi/windows/window.h"

/* The handler of MPI_FILE_NULL; NULL: MPI_ERRORS_RETURN. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct error_handler *file_handler;

/* A new handler in *made, whose function the caller sets; NULL after an error, which is raised. */
static struct error_handler *make(const char *function, enum object_kind subject, bool has_function,
                                  MPI_Errhandler *made, int *error)
{
    struct error_handler *handler = NULL;

    *error = MPI_ERR_ARG;
    if (has_function && made) {
        handler = error_handler_make(subject);
        *error = handler ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    }
    if (handler)
        *made = error_handler_handle(handler);
    call_error(function, *error);
    return handler;
}

MPI_CALL(int, Comm_create_errhandler)
(MPI_Comm_errhandler_function *function, MPI_Errhandler *errhandler)
{
    int error;
    struct error_handler *handler =
        make("MPI_Comm_create_errhandler", OBJECT_COMM, function != NULL, errhandler, &error);

    if (handler)
        handler->function.comm = function;
    return error;
}

MPI_CALL(int, File_create_errhandler)
(MPI_File_errhandler_function *function, MPI_Errhandler *errhandler)
{
    int error;
    struct error_handler *handler =
        make("MPI_File_create_errhandler", OBJECT_FILE, function != NULL, errhandler, &error);

    if (handler)
        handler->function.file = function;
    return error;
}

MPI_CALL(int, Session_create_errhandler)
(MPI_Session_errhandler_function *function, MPI_Errhandler *errhandler)
{
    int error;
    struct error_handler *handler =
        make("MPI_Session_create_errhandler", OBJECT_SESSION, function != NULL, errhandler, &error);

    if (handler)
        handler->function.session = function;
    return error;
}

MPI_CALL(int, Win_create_errhandler)
(MPI_Win_errhandler_function *function, MPI_Errhandler *errhandler)
{
    int error;
    struct error_handler *handler =
        make("MPI_Win_create_errhandler", OBJECT_WIN, function != NULL, errhandler, &error);

    if (handler)
        handler->function.win = function;
    return error;
}

MPI_CALL(int, Errhandler_free)(MPI_Errhandler *errhandler)
{
    struct error_handler *handler = errhandler ? error_handler_of(*errhandler) : NULL;

    if (!handler)
        return call_error("MPI_Errhandler_free", errhandler ? MPI_ERR_ERRHANDLER : MPI_ERR_ARG);
    error_handler_drop(handler);
    *errhandler = MPI_ERRHANDLER_NULL;
    return MPI_SUCCESS;
}

/* The handler of a handle, if it is for such objects; otherwise NULL. */
static struct error_handler *handler_for(MPI_Errhandler handle, enum object_kind subject)
{
    struct error_handler *handler = error_handler_of(handle);

    return handler && (!handler->subject || handler->subject == subject) ? handler : NULL;
}

MPI_CALL(int, Comm_set_errhandler)(MPI_Comm comm, MPI_Errhandler errhandler)
{
    struct communicator *communicator = communicator_of(comm);
    struct error_handler *handler = handler_for(errhandler, OBJECT_COMM);

    if (!communicator)
        return call_error("MPI_Comm_set_errhandler", MPI_ERR_COMM);
    if (!handler)
        return communicator_error(communicator, "MPI_Comm_set_errhandler", MPI_ERR_ERRHANDLER);
    communicator_set_handler(communicator, handler);
    return MPI_SUCCESS;
}

MPI_CALL(int, Comm_get_errhandler)(MPI_Comm comm, MPI_Errhandler *errhandler)
{
    struct communicator *communicator = communicator_of(comm);

    if (!communicator)
        return call_error("MPI_Comm_get_errhandler", MPI_ERR_COMM);
    if (!errhandler)
        return communicator_error(communicator, "MPI_Comm_get_errhandler", MPI_ERR_ARG);
    *errhandler = error_handler_handle(communicator_handler(communicator));
    return MPI_SUCCESS;
}

MPI_CALL(int, Comm_call_errhandler)(MPI_Comm comm, int errorcode)
{
    struct communicator *communicator = communicator_of(comm);

    if (!communicator)
        return call_error("MPI_Comm_call_errhandler", MPI_ERR_COMM);
    communicator_error(communicator, NULL, errorcode);
    return MPI_SUCCESS;
}

/* The handler of MPI_FILE_NULL, with a reference for the caller. */
static struct error_handler *handler_of_files(void)
{
    struct error_handler *handler;

    pthread_mutex_lock(&lock);
    handler = file_handler ? file_handler : error_handler_of(MPI_ERRORS_RETURN);
    error_handler_keep(handler);
    pthread_mutex_unlock(&lock);
    return handler;
}

static int file_error(const char *function, int code)
{
    struct error_handler *handler = handler_of_files();

    error_raise(handler, MPI_FILE_NULL, function, code);
    error_handler_drop(handler);
    return code;
}

MPI_CALL(int, File_set_errhandler)(MPI_File file, MPI_Errhandler errhandler)
{
    struct error_handler *handler = handler_for(errhandler, OBJECT_FILE), *old;

    if (file != MPI_FILE_NULL)
        return file_error("MPI_File_set_errhandler", MPI_ERR_FILE);
    if (!handler)
        return file_error("MPI_File_set_errhandler", MPI_ERR_ERRHANDLER);
    error_handler_keep(handler);
    pthread_mutex_lock(&lock);
    old = file_handler;
    file_handler = handler;
    pthread_mutex_unlock(&lock);
    if (old)
        error_handler_drop(old);
    return MPI_SUCCESS;
}

MPI_CALL(int, File_get_errhandler)(MPI_File file, MPI_Errhandler *errhandler)
{
    if (file != MPI_FILE_NULL)
        return file_error("MPI_File_get_errhandler", MPI_ERR_FILE);
    if (!errhandler)
        return file_error("MPI_File_get_errhandler", MPI_ERR_ARG);
    *errhandler = error_handler_handle(handler_of_files());
    return MPI_SUCCESS;
}

MPI_CALL(int, File_call_errhandler)(MPI_File fh, int errorcode)
{
    if (fh != MPI_FILE_NULL)
        return file_error("MPI_File_call_errhandler", MPI_ERR_FILE);
    file_error(NULL, errorcode);
    return MPI_SUCCESS;
}

MPI_CALL(int, Win_set_errhandler)(MPI_Win win, MPI_Errhandler errhandler)
{
    struct window *window = window_of(win);
    struct error_handler *handler = handler_for(errhandler, OBJECT_WIN);

    if (!window || !handler)
        return window_error(window, "MPI_Win_set_errhandler",
                            window ? MPI_ERR_ERRHANDLER : MPI_ERR_WIN);
    window_set_handler(window, handler);
    return MPI_SUCCESS;
}

MPI_CALL(int, Win_get_errhandler)(MPI_Win win, MPI_Errhandler *errhandler)
{
    struct window *window = window_of(win);

    if (!window || !errhandler)
        return window_error(window, "MPI_Win_get_errhandler", window ? MPI_ERR_ARG : MPI_ERR_WIN);
    *errhandler = error_handler_handle(window_handler(window));
    return MPI_SUCCESS;
}

MPI_CALL(int, Win_call_errhandler)(MPI_Win win, int errorcode)
{
    struct window *window = window_of(win);

    if (!window)
        return call_error("MPI_Win_call_errhandler", MPI_ERR_WIN);
    window_error(window, NULL, errorcode);
    return MPI_SUCCESS;
}
