/* tool_calls.c - the interface for tools: it can be started, and has no variables, categories
 * and events. */
#include <pthread.h>
#include <stdlib.h>

#include "mpi/calls/calls.h"

/* How often it was started and not ended. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int started;

static int is_started(void)
{
    int result;

    pthread_mutex_lock(&lock);
    result = started > 0;
    pthread_mutex_unlock(&lock);
    return result;
}

MPI_CALL(int, T_init_thread)(int required, int *provided)
{
    (void)required;
    if (!provided)
        return MPI_T_ERR_INVALID;
    pthread_mutex_lock(&lock);
    started++;
    pthread_mutex_unlock(&lock);
    *provided = MPI_THREAD_MULTIPLE;
    return MPI_SUCCESS;
}

MPI_CALL(int, T_finalize)(void)
{
    int was_started;

    pthread_mutex_lock(&lock);
    was_started = started > 0;
    started -= was_started;
    pthread_mutex_unlock(&lock);
    return was_started ? MPI_SUCCESS : MPI_T_ERR_NOT_INITIALIZED;
}

/* There is none of them. */
static int none(int *number)
{
    if (!is_started())
        return MPI_T_ERR_NOT_INITIALIZED;
    if (!number)
        return MPI_T_ERR_INVALID;
    *number = 0;
    return MPI_SUCCESS;
}

MPI_CALL(int, T_cvar_get_num)(int *num_cvar)
{
    return none(num_cvar);
}

MPI_CALL(int, T_pvar_get_num)(int *num_pvar)
{
    return none(num_pvar);
}

MPI_CALL(int, T_category_get_num)(int *num_cat)
{
    return none(num_cat);
}

MPI_CALL(int, T_event_get_num)(int *num_events)
{
    return none(num_events);
}

MPI_CALL(int, T_source_get_num)(int *num_sources)
{
    return none(num_sources);
}

MPI_CALL(int, T_category_changed)(int *update_number)
{
    return none(update_number);
}

/* No name is that of anything. */
static int unknown(int code)
{
    return is_started() ? code : MPI_T_ERR_NOT_INITIALIZED;
}

MPI_CALL(int, T_cvar_get_index)(const char *name, int *cvar_index)
{
    return unknown(name && cvar_index ? MPI_T_ERR_INVALID_NAME : MPI_T_ERR_INVALID);
}

MPI_CALL(int, T_pvar_get_index)(const char *name, int var_class, int *pvar_index)
{
    (void)var_class;
    return unknown(name && pvar_index ? MPI_T_ERR_INVALID_NAME : MPI_T_ERR_INVALID);
}

MPI_CALL(int, T_category_get_index)(const char *name, int *cat_index)
{
    return unknown(name && cat_index ? MPI_T_ERR_INVALID_NAME : MPI_T_ERR_INVALID);
}

MPI_CALL(int, T_event_get_index)(const char *name, int *event_index)
{
    return unknown(name && event_index ? MPI_T_ERR_INVALID_NAME : MPI_T_ERR_INVALID);
}

/* A session holds the variables that a tool reads: here it is only something to free. */
MPI_CALL(int, T_pvar_session_create)(MPI_T_pvar_session *session)
{
    void *made;

    if (!is_started())
        return MPI_T_ERR_NOT_INITIALIZED;
    if (!session)
        return MPI_T_ERR_INVALID;
    made = malloc(1);
    if (!made)
        return MPI_T_ERR_MEMORY;
    *session = made;
    return MPI_SUCCESS;
}

MPI_CALL(int, T_pvar_session_free)(MPI_T_pvar_session *session)
{
    if (!is_started())
        return MPI_T_ERR_NOT_INITIALIZED;
    if (!session || !*session)
        return MPI_T_ERR_INVALID_SESSION;
    free(*session);
    *session = MPI_T_PVAR_SESSION_NULL;
    return MPI_SUCCESS;
}
