#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "mpi/objects/error_handler.h"
#include "mpi/values/errors.h"

#define PREDEFINED                                                                                 \
    {                                                                                              \
        .object = {.kind = OBJECT_ERRHANDLER, .users = 1, .predefined = true }                     \
    }
/* From MPI_ERRORS_ARE_FATAL on, in the order of their handles. */
static struct error_handler predefined[] = {PREDEFINED, PREDEFINED, PREDEFINED};

static _Atomic(error_end *) end_of_processes;

#define FIRST ((uintptr_t)MPI_ERRORS_ARE_FATAL)
#define LAST  ((uintptr_t)MPI_ERRORS_RETURN)

struct error_handler *error_handler_of(MPI_Errhandler handle)
{
    uintptr_t number = (uintptr_t)handle;

    if (number >= FIRST && number <= LAST)
        return &predefined[number - FIRST];
    return object_at(handle, OBJECT_ERRHANDLER);
}

MPI_Errhandler error_handler_handle(struct error_handler *handler)
{
    if (handler >= predefined && handler <= &predefined[LAST - FIRST])
        return (MPI_Errhandler)(FIRST + (uintptr_t)(handler - predefined));
    return (MPI_Errhandler)handler;
}

struct error_handler *error_handler_make(enum object_kind subject)
{
    struct error_handler *handler = calloc(1, sizeof *handler);

    if (!handler)
        return NULL;
    object_begin(&handler->object, OBJECT_ERRHANDLER);
    handler->subject = subject;
    return handler;
}

void error_handler_keep(struct error_handler *handler)
{
    object_keep(&handler->object);
}

void error_handler_drop(struct error_handler *handler)
{
    if (object_drop(&handler->object))
        free(handler);
}

void error_handler_set_end(error_end *end)
{
    atomic_store(&end_of_processes, end);
}

/* Says what is wrong, and ends the processes. */
static void end_all(MPI_Comm handle, const char *function, int code)
{
    char text[MPI_MAX_ERROR_STRING];
    error_end *end = atomic_load(&end_of_processes);

    if (!error_text(code, text))
        snprintf(text, sizeof text, "error %d", code);
    fprintf(stderr, "libmpi_abi: %s%s%s\n", function ? function : "", function ? ": " : "", text);
    fflush(NULL);
    if (end)
        end(handle, code);
    /* The status of a program that fails. */
    _Exit(1);
}

/* Calls the function of a user. */
static void call(const struct error_handler *handler, const void *handle, int code)
{
    union {
        const void *handle;
        MPI_Comm comm;
        MPI_File file;
        MPI_Session session;
        MPI_Win win;
    } subject = {.handle = handle};

    switch ((int)handler->subject) {
    case OBJECT_COMM:
        handler->function.comm(&subject.comm, &code);
        break;
    case OBJECT_FILE:
        handler->function.file(&subject.file, &code);
        break;
    case OBJECT_SESSION:
        handler->function.session(&subject.session, &code);
        break;
    case OBJECT_WIN:
        handler->function.win(&subject.win, &code);
        break;
    }
}

int error_raise(struct error_handler *handler, const void *handle, const char *function, int code)
{
    union {
        const void *handle;
        MPI_Comm comm;
    } subject = {.handle = handle};

    if (code == MPI_SUCCESS || handler == error_handler_of(MPI_ERRORS_RETURN))
        return code;
    if (!handler->subject) {
        if (handler == error_handler_of(MPI_ERRORS_ABORT))
            subject.comm = MPI_COMM_NULL;
        end_all(subject.comm, function, code);
    }
    call(handler, handle, code);
    return code;
}
