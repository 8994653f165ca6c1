/* session_calls.c - sessions, the sets of processes that they know, and their buffers. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "mpi/calls/calls.h"
#include "mpi/calls/forms.h"
#include "mpi/messages/buffer.h"
#include "mpi/messages/flush.h"
#include "mpi/messages/session.h"
#include "mpi/objects/communicator.h"
#include "mpi/objects/error_handler.h"
#include "mpi/objects/info.h"

/* A handler that fits a session, or NULL. */
static struct error_handler *session_handler(MPI_Errhandler handle)
{
    struct error_handler *handler = error_handler_of(handle);
    return handler && (!handler->subject || handler->subject == OBJECT_SESSION) ? handler : NULL;
}

/* Whether the level of threads that an info asks for, if it does, is one of the standard. */
static bool has_right_level(struct info *info)
{
    static const char *const levels[] = {"MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED",
                                         "MPI_THREAD_SERIALIZED", "MPI_THREAD_MULTIPLE"};
    char level[32];
    if (!info || info_get(info, "thread_level", level, sizeof level) < 0)
        return true;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        if (strcmp(level, levels[i]) == 0)
            return true;
    }
    return false;
}

MPI_CALL(int, Session_init)(MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session)
{
    struct session *begun = NULL;
    struct error_handler *handler = session_handler(errhandler);
    int error = MPI_ERR_ARG;
    if (session && !handler)
        error = MPI_ERR_ERRHANDLER;
    else if (session && info != MPI_INFO_NULL && !info_of(info))
        error = MPI_ERR_INFO;
    else if (session && !has_right_level(info_of(info)))
        error = MPI_ERR_INFO_VALUE;
    else if (session)
        error = session_begin(info_of(info), handler, &begun);
    if (error != MPI_SUCCESS)
        return handler ? error_raise(handler, MPI_SESSION_NULL, "MPI_Session_init", error)
                       : call_error("MPI_Session_init", error);
    *session = session_handle(begun);
    return MPI_SUCCESS;
}

MPI_CALL(int, Session_finalize)(MPI_Session *session)
{
    struct session *ended = session ? session_of(*session) : NULL;
    if (!ended)
        return call_error("MPI_Session_finalize", session ? MPI_ERR_SESSION : MPI_ERR_ARG);
    session_end(ended);
    *session = MPI_SESSION_NULL;
    return MPI_SUCCESS;
}

/* The session of a handle and a place for the result; otherwise *error has been raised. */
static struct session *session_find(const char *function, MPI_Session handle, const void *result,
                                    int *error)
{
    struct session *session = session_of(handle);
    *error = MPI_SUCCESS;
    if (session && result)
        return session;
    *error = session_error(session, function, session ? MPI_ERR_ARG : MPI_ERR_SESSION);
    return NULL;
}

MPI_CALL(int, Session_get_info)(MPI_Session session, MPI_Info *info_used)
{
    int error;
    struct session *found = session_find("MPI_Session_get_info", session, info_used, &error);
    if (!found)
        return error;
    struct info *copy = info_copy(found->info);
    if (!copy)
        return session_error(found, "MPI_Session_get_info", MPI_ERR_NO_MEM);
    *info_used = info_handle(copy);
    return MPI_SUCCESS;
}

/* Error handlers. ------------------------------------------------------------------------------ */

MPI_CALL(int, Session_set_errhandler)(MPI_Session session, MPI_Errhandler errhandler)
{
    struct session *found = session_of(session);
    struct error_handler *handler = session_handler(errhandler);
    if (!found || !handler)
        return session_error(found, "MPI_Session_set_errhandler",
                             found ? MPI_ERR_ERRHANDLER : MPI_ERR_SESSION);
    session_set_handler(found, handler);
    return MPI_SUCCESS;
}

MPI_CALL(int, Session_get_errhandler)(MPI_Session session, MPI_Errhandler *errhandler)
{
    int error;
    struct session *found = session_find("MPI_Session_get_errhandler", session, errhandler, &error);
    if (!found)
        return error;
    error_handler_keep(found->handler); /* the program frees what it gets */
    *errhandler = error_handler_handle(found->handler);
    return MPI_SUCCESS;
}

MPI_CALL(int, Session_call_errhandler)(MPI_Session session, int errorcode)
{
    struct session *found = session_of(session);
    if (!found)
        return session_error(NULL, "MPI_Session_call_errhandler", MPI_ERR_SESSION);
    session_error(found, NULL, errorcode);
    return MPI_SUCCESS;
}

/* Sets of processes. --------------------------------------------------------------------------- */

MPI_CALL(int, Session_get_num_psets)(MPI_Session session, MPI_Info info, int *npset_names)
{
    int error;
    (void)info;
    if (!session_find("MPI_Session_get_num_psets", session, npset_names, &error))
        return error;
    for (*npset_names = 0; session_set_name(*npset_names);)
        ++*npset_names;
    return MPI_SUCCESS;
}

/* *pset_len is the room that there is, and becomes the room that it takes, with the end. */
MPI_CALL(int, Session_get_nth_pset)
(MPI_Session session, MPI_Info info, int n, int *pset_len, char *pset_name)
{
    int error;
    (void)info;
    struct session *found = session_find("MPI_Session_get_nth_pset", session, pset_len, &error);
    if (!found)
        return error;
    const char *name = session_set_name(n);
    if (!name || (*pset_len > 0 && !pset_name))
        return session_error(found, "MPI_Session_get_nth_pset", MPI_ERR_ARG);
    if (*pset_len > 0)
        snprintf(pset_name, (size_t)*pset_len, "%s", name);
    *pset_len = (int)strlen(name) + 1;
    return MPI_SUCCESS;
}

/* The communicator of the processes in a set, or NULL. The names know no case. */
static struct communicator *set_of(const char *name)
{
    if (strcasecmp(name, session_set_name(0)) == 0)
        return communicator_of(MPI_COMM_WORLD);
    return strcasecmp(name, session_set_name(1)) == 0 ? communicator_of(MPI_COMM_SELF) : NULL;
}

MPI_CALL(int, Session_get_pset_info)
(MPI_Session session, const char *pset_name, MPI_Info *info)
{
    int error;
    struct session *found = session_find("MPI_Session_get_pset_info", session, info, &error);
    if (!found)
        return error;
    const struct communicator *set = pset_name ? set_of(pset_name) : NULL;
    struct info *made = set ? info_make() : NULL;
    char size[16];
    if (!made)
        return session_error(found, "MPI_Session_get_pset_info",
                             set ? MPI_ERR_NO_MEM : MPI_ERR_ARG);
    snprintf(size, sizeof size, "%d", set->group->size);
    info_set(made, "mpi_size", size);
    *info = info_handle(made);
    return MPI_SUCCESS;
}

MPI_CALL(int, Group_from_session_pset)
(MPI_Session session, const char *pset_name, MPI_Group *newgroup)
{
    int error;
    struct session *found = session_find("MPI_Group_from_session_pset", session, newgroup, &error);
    if (!found)
        return error;
    const struct communicator *set = pset_name ? set_of(pset_name) : NULL;
    if (!set)
        return session_error(found, "MPI_Group_from_session_pset", MPI_ERR_ARG);
    *newgroup = group_handle(group_keep(set->group));
    return MPI_SUCCESS;
}

/* Buffers. No communicator of a session uses them but by the program's own attachment. ----------- */

MPI_CALL(int, Session_flush_buffer)(MPI_Session session)
{
    struct session *found = session_of(session);
    int error = found ? MPI_SUCCESS : MPI_ERR_SESSION;
    if (found && found->send_buffer)
        error = send_buffer_flush(found->send_buffer);
    return error == MPI_SUCCESS ? error : session_error(found, "MPI_Session_flush_buffer", error);
}

MPI_CALL(int, Session_iflush_buffer)(MPI_Session session, MPI_Request *request)
{
    int error;
    struct session *found = session_find("MPI_Session_iflush_buffer", session, request, &error);
    if (found)
        error = flush_begin(found->send_buffer ? found->send_buffer : send_buffer_of_process(),
                            NULL, request);
    return error;
}

int forms_session_attach_buffer(const struct form *form, MPI_Session handle, void *memory,
                                MPI_Count size)
{
    struct session *session = session_of(handle);
    int error = session ? send_buffer_place(&session->send_buffer, memory, size) : MPI_ERR_SESSION;
    return error == MPI_SUCCESS ? error : session_error(session, form->function, error);
}

int forms_session_detach_buffer(const struct form *form, MPI_Session handle, void *address,
                                struct number size)
{
    struct session *session = session_of(handle);
    MPI_Count detached = 0;
    if (!size.place)
        return session_error(session, form->function, MPI_ERR_ARG);
    int error =
        session ? send_buffer_remove(&session->send_buffer, address, &detached) : MPI_ERR_SESSION;
    number_put(size, detached);
    return error == MPI_SUCCESS ? error : session_error(session, form->function, error);
}
