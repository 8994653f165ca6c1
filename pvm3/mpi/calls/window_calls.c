/* window_calls.c - windows: making and freeing them, and what they are. */
#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "mpi/calls/calls.h"
#include "mpi/calls/forms.h"
#include "mpi/objects/communicator.h"
#include "mpi/objects/error_handler.h"
#include "mpi/objects/info.h"
#include "mpi/objects/names.h"
#include "mpi/windows/creation.h"
#include "mpi/windows/window.h"

/* Making. -------------------------------------------------------------------------------------- */

static bool asks_for_pages(struct info *info)
{
    char value[sizeof "true"];
    return info && info_get(info, "alloc_shared_noncontig", value, sizeof value) > 0 &&
           strcmp(value, "true") == 0;
}

static int check_plan(const struct window_plan *plan, MPI_Info info, const MPI_Win *win,
                      const struct communicator *communicator)
{
    if (!communicator || communicator->remote)
        return MPI_ERR_COMM;
    if (plan->size < 0)
        return MPI_ERR_SIZE;
    if (plan->unit <= 0)
        return MPI_ERR_DISP;
    if (info != MPI_INFO_NULL && !plan->info)
        return MPI_ERR_INFO;
    return win ? MPI_SUCCESS : MPI_ERR_ARG;
}

/* `base` is where the address of new memory goes, or NULL. */
static int make(const struct form *form, struct window_plan plan, void *base, MPI_Win *win)
{
    struct communicator *communicator = communicator_of(form->comm);
    struct window *window = NULL;
    plan.info = info_of(form->info);
    plan.apart = plan.flavor == MPI_WIN_FLAVOR_ALLOCATE || asks_for_pages(plan.info);
    int error = check_plan(&plan, form->info, win, communicator);
    if (error == MPI_SUCCESS)
        error = window_create(communicator, &plan, &window);
    if (error != MPI_SUCCESS)
        return communicator_error(communicator, form->function, error);
    if (base)
        memcpy(base, &window->base, sizeof window->base);
    *win = window_handle(window);
    return MPI_SUCCESS;
}

int forms_win_create(const struct form *form, void *base, MPI_Aint size, MPI_Aint unit,
                     MPI_Win *win)
{
    const struct window_plan plan = {
        .flavor = MPI_WIN_FLAVOR_CREATE, .base = base, .size = size, .unit = unit};
    return make(form, plan, NULL, win);
}

static int allocate(const struct form *form, int flavor, MPI_Aint size, MPI_Aint unit, void *base,
                    MPI_Win *win)
{
    const struct window_plan plan = {.flavor = flavor, .size = size, .unit = unit};
    if (!base)
        return communicator_error(communicator_of(form->comm), form->function, MPI_ERR_ARG);
    return make(form, plan, base, win);
}

int forms_win_allocate(const struct form *form, MPI_Aint size, MPI_Aint unit, void *base,
                       MPI_Win *win)
{
    return allocate(form, MPI_WIN_FLAVOR_ALLOCATE, size, unit, base, win);
}

int forms_win_allocate_shared(const struct form *form, MPI_Aint size, MPI_Aint unit, void *base,
                              MPI_Win *win)
{
    return allocate(form, MPI_WIN_FLAVOR_SHARED, size, unit, base, win);
}

int forms_win_create_dynamic(const struct form *form, MPI_Win *win)
{
    const struct window_plan plan = {.flavor = MPI_WIN_FLAVOR_DYNAMIC, .unit = 1};
    return make(form, plan, NULL, win);
}

MPI_CALL(int, Win_free)(MPI_Win *win)
{
    struct window *window = win ? window_of(*win) : NULL;
    int error = window ? window_free(window) : MPI_ERR_WIN;
    if (error != MPI_SUCCESS)
        return window_error(window, "MPI_Win_free", error);
    *win = MPI_WIN_NULL;
    return MPI_SUCCESS;
}

MPI_CALL(int, Win_attach)(MPI_Win win, void *base, MPI_Aint size)
{
    struct window *window = window_of(win);
    int error = MPI_ERR_WIN;
    if (window)
        error = window->flavor == MPI_WIN_FLAVOR_DYNAMIC ? MPI_SUCCESS : MPI_ERR_RMA_FLAVOR;
    if (error == MPI_SUCCESS && size < 0)
        error = MPI_ERR_SIZE;
    if (error == MPI_SUCCESS && size > 0)
        error = attached_add(&window->attached, base, (size_t)size);
    return window_error(window, "MPI_Win_attach", error);
}

MPI_CALL(int, Win_detach)(MPI_Win win, const void *base)
{
    struct window *window = window_of(win);
    int error = MPI_ERR_WIN;
    if (window)
        error = window->flavor == MPI_WIN_FLAVOR_DYNAMIC ? attached_remove(&window->attached, base)
                                                         : MPI_ERR_RMA_FLAVOR;
    return window_error(window, "MPI_Win_detach", error);
}

/* What they are. ------------------------------------------------------------------------------- */

/* The member that is meant by MPI_PROC_NULL: the first one with memory. */
static int first_with_memory(const struct window *window)
{
    int size = window->communicator->group->size, rank = 0;
    while (rank < size && window->members[rank].size == 0)
        rank++;
    return rank < size ? rank : MPI_PROC_NULL;
}

static int shared_query(MPI_Win win, int rank, MPI_Aint *size, MPI_Aint *unit, void *base)
{
    const struct window *window = window_of(win);
    if (!window)
        return MPI_ERR_WIN;
    if (window->flavor == MPI_WIN_FLAVOR_DYNAMIC)
        return MPI_ERR_RMA_FLAVOR;
    if (!size || !unit || !base)
        return MPI_ERR_ARG;
    if (rank != MPI_PROC_NULL && (rank < 0 || rank >= window->communicator->group->size))
        return MPI_ERR_RANK;
    int member = rank == MPI_PROC_NULL ? first_with_memory(window) : rank;
    char *memory = NULL;
    *size = *unit = 0;
    if (member != MPI_PROC_NULL && window->members[member].size > 0)
        memory = window_shared_memory(window, member);
    if (memory) {
        *size = window->members[member].size;
        *unit = window->members[member].unit;
    }
    memcpy(base, &memory, sizeof memory);
    return MPI_SUCCESS;
}

MPI_CALL(int, Win_shared_query)
(MPI_Win win, int rank, MPI_Aint *size, int *disp_unit, void *baseptr)
{
    MPI_Aint unit = 0;
    int error = shared_query(win, rank, size, disp_unit ? &unit : NULL, baseptr);
    if (error == MPI_SUCCESS && unit > INT_MAX)
        error = MPI_ERR_VALUE_TOO_LARGE;
    if (error == MPI_SUCCESS)
        *disp_unit = (int)unit;
    return window_error(window_of(win), "MPI_Win_shared_query", error);
}

MPI_CALL(int, Win_shared_query_c)
(MPI_Win win, int rank, MPI_Aint *size, MPI_Aint *disp_unit, void *baseptr)
{
    int error = shared_query(win, rank, size, disp_unit, baseptr);
    return window_error(window_of(win), "MPI_Win_shared_query_c", error);
}

MPI_CALL(int, Win_get_group)(MPI_Win win, MPI_Group *group)
{
    struct window *window = window_of(win);
    if (!window || !group)
        return window_error(window, "MPI_Win_get_group", window ? MPI_ERR_ARG : MPI_ERR_WIN);
    *group = group_handle(group_keep(window->communicator->group));
    return MPI_SUCCESS;
}

MPI_CALL(int, Win_set_name)(MPI_Win win, const char *win_name)
{
    struct window *window = window_of(win);
    if (!window || !win_name)
        return window_error(window, "MPI_Win_set_name", window ? MPI_ERR_ARG : MPI_ERR_WIN);
    pthread_mutex_lock(&window->lock);
    name_set(window->name, win_name);
    pthread_mutex_unlock(&window->lock);
    return MPI_SUCCESS;
}

MPI_CALL(int, Win_get_name)(MPI_Win win, char *win_name, int *resultlen)
{
    struct window *window = window_of(win);
    char name[MPI_MAX_OBJECT_NAME];
    if (!window && win != MPI_WIN_NULL)
        return call_error("MPI_Win_get_name", MPI_ERR_WIN);
    if (!win_name || !resultlen)
        return window_error(window, "MPI_Win_get_name", MPI_ERR_ARG);
    name_set(name, window ? "" : "MPI_WIN_NULL");
    if (window) {
        pthread_mutex_lock(&window->lock);
        memcpy(name, window->name, sizeof name);
        pthread_mutex_unlock(&window->lock);
    }
    name_get(name, win_name, resultlen);
    return MPI_SUCCESS;
}

MPI_CALL(int, Win_set_info)(MPI_Win win, MPI_Info info)
{
    struct window *window = window_of(win);
    struct info *given = info_of(info);
    if (!window || !given)
        return window_error(window, "MPI_Win_set_info", window ? MPI_ERR_INFO : MPI_ERR_WIN);
    struct info *copy = info_copy(given);
    if (!copy)
        return window_error(window, "MPI_Win_set_info", MPI_ERR_NO_MEM);
    pthread_mutex_lock(&window->lock);
    struct info *before = window->info;
    window->info = copy;
    pthread_mutex_unlock(&window->lock);
    if (before)
        info_free(before);
    return MPI_SUCCESS;
}

MPI_CALL(int, Win_get_info)(MPI_Win win, MPI_Info *info_used)
{
    struct window *window = window_of(win);
    if (!window || !info_used)
        return window_error(window, "MPI_Win_get_info", window ? MPI_ERR_ARG : MPI_ERR_WIN);
    pthread_mutex_lock(&window->lock);
    struct info *copy = window->info ? info_copy(window->info) : info_make();
    pthread_mutex_unlock(&window->lock);
    if (!copy)
        return window_error(window, "MPI_Win_get_info", MPI_ERR_NO_MEM);
    *info_used = info_handle(copy);
    return MPI_SUCCESS;
}
