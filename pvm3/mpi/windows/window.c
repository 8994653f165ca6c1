/* window.c - the life of a window, and what a program can ask of it. */
#include "mpi/windows/window.h"

#include <stdlib.h>

#include "mpi/objects/communicator.h"
#include "mpi/objects/error_handler.h"
#include "mpi/objects/info.h"
#include "mpi/windows/shared.h"

struct window *window_of(MPI_Win handle)
{
    return object_at(handle, OBJECT_WIN);
}

MPI_Win window_handle(struct window *window)
{
    return (MPI_Win)(void *)window;
}

struct window *window_new(struct communicator *communicator)
{
    size_t size = (size_t)communicator->group->size;
    struct window *window = calloc(1, sizeof *window + size * sizeof *window->members);
    int *faults = calloc(size, sizeof *faults);
    struct lock_asker *places = calloc(size, sizeof *places);
    if (!window || !faults || !places) {
        free(window);
        free(faults);
        free(places);
        communicator_drop(communicator);
        return NULL;
    }
    object_begin(&window->object, OBJECT_WIN);
    window->communicator = communicator;
    window->model = MPI_WIN_UNIFIED;
    window->handler = error_handler_of(MPI_ERRORS_ARE_FATAL);
    window->faults = faults;
    window->places = places;
    pthread_mutex_init(&window->lock, NULL);
    attached_begin(&window->attached);
    return window;
}

void window_discard(struct window *window)
{
    object_drop(&window->object);
    attached_end(&window->attached);
    if (window->shared)
        shared_unmap(window->shared);
    free(window->memory);
    if (window->info)
        info_free(window->info);
    error_handler_drop(window->handler);
    communicator_drop(window->communicator);
    pthread_mutex_destroy(&window->lock);
    free(window->faults);
    free(window->places);
    free(window);
}

struct error_handler *window_handler(struct window *window)
{
    pthread_mutex_lock(&window->lock);
    struct error_handler *handler = window->handler;
    error_handler_keep(handler);
    pthread_mutex_unlock(&window->lock);
    return handler;
}

void window_set_handler(struct window *window, struct error_handler *handler)
{
    error_handler_keep(handler);
    pthread_mutex_lock(&window->lock);
    struct error_handler *before = window->handler;
    window->handler = handler;
    pthread_mutex_unlock(&window->lock);
    error_handler_drop(before);
}

int window_error(struct window *window, const char *function, int code)
{
    if (code == MPI_SUCCESS)
        return code;
    if (!window)
        return communicator_error(NULL, function, code);
    struct error_handler *handler = window_handler(window);
    error_raise(handler, window_handle(window), function, code);
    error_handler_drop(handler);
    return code;
}

bool window_attribute(struct window *window, int keyval, void **value)
{
    switch (keyval) {
    case MPI_WIN_BASE:
        *value = window->base;
        return true;
    case MPI_WIN_SIZE:
        *value = &window->size;
        return true;
    case MPI_WIN_DISP_UNIT:
        *value = &window->unit;
        return true;
    case MPI_WIN_CREATE_FLAVOR:
        *value = &window->flavor;
        return true;
    case MPI_WIN_MODEL:
        *value = &window->model;
        return true;
    default:
        return false;
    }
}
