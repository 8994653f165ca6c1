/* exposure.c - post, start, complete and wait: epochs of some members with some others. */
#include <stdlib.h>

#include "mpi/messages/messages.h"
#include "mpi/objects/communicator.h"
#include "mpi/windows/epochs.h"
#include "mpi/windows/remote.h"
#include "mpi/windows/window.h"

static const struct items nothing;

/* The channel to the member with a rank in the group. */
static struct channel exposure_channel(const struct window *window, const struct group *group,
                                       int index, int tag)
{
    int rank = group_rank_of(window->communicator->group, group->tids[index]);
    return (struct channel){window->communicator, rank, tag, CONTEXT_MESSAGES};
}

static bool exposure_are_members(const struct window *window, const struct group *group)
{
    for (int i = 0; i < group->size; i++)
        if (group_rank_of(window->communicator->group, group->tids[i]) == MPI_UNDEFINED)
            return false;
    return true;
}

/* Tells all of the group. */
static int exposure_tell(const struct window *window, const struct group *group, int tag)
{
    int result = MPI_SUCCESS;
    for (int i = 0; i < group->size; i++) {
        const struct channel channel = exposure_channel(window, group, i, tag);
        int error = message_send(&channel, &nothing);
        result = result == MPI_SUCCESS ? error : result;
    }
    return result;
}

/* Takes the place for a group, unless the epoch goes on already. */
static int exposure_begin(struct window *window, struct group **place, struct group *group)
{
    if (!exposure_are_members(window, group))
        return MPI_ERR_GROUP;
    pthread_mutex_lock(&window->lock);
    bool due = !*place && !window->all;
    if (due)
        *place = group_keep(group);
    pthread_mutex_unlock(&window->lock);
    return due ? MPI_SUCCESS : MPI_ERR_RMA_SYNC;
}

/* Gives the group back to the caller, who drops it; NULL if there is no such epoch. */
static struct group *exposure_end(struct window *window, struct group **place)
{
    pthread_mutex_lock(&window->lock);
    struct group *group = *place;
    *place = NULL;
    pthread_mutex_unlock(&window->lock);
    return group;
}

int epoch_post(struct window *window, struct group *group, int assertion)
{
    struct posted *reports = malloc(((size_t)group->size + 1) * sizeof *reports);
    int error = reports ? exposure_begin(window, &window->exposed, group) : MPI_ERR_NO_MEM;
    if (error != MPI_SUCCESS) {
        free(reports);
        return error;
    }
    window->reports = reports;
    for (int i = 0; i < group->size; i++) {
        const struct channel channel = exposure_channel(window, group, i, WINDOW_COMPLETE);
        posted_receive(&reports[i], &channel, &nothing);
    }
    return assertion & MPI_MODE_NOCHECK ? MPI_SUCCESS : exposure_tell(window, group, WINDOW_POST);
}

int epoch_start(struct window *window, struct group *group, int assertion)
{
    int result = exposure_begin(window, &window->started, group);
    for (int i = 0; result == MPI_SUCCESS && i < group->size; i++) {
        const struct channel channel = exposure_channel(window, group, i, WINDOW_POST);
        if (!(assertion & MPI_MODE_NOCHECK))
            result = message_receive(&channel, &nothing, NULL);
    }
    return result;
}

int epoch_complete(struct window *window)
{
    struct group *group = exposure_end(window, &window->started);
    if (!group)
        return MPI_ERR_RMA_SYNC;
    int error = remote_flush_all(window);
    int other = exposure_tell(window, group, WINDOW_COMPLETE);
    group_drop(group);
    return error == MPI_SUCCESS ? other : error;
}

int epoch_test(struct window *window, bool *over)
{
    const struct group *group = window->exposed;
    *over = true;
    if (!group)
        return MPI_ERR_RMA_SYNC;
    for (int i = 0; *over && i < group->size; i++)
        *over = posted_test(&window->reports[i]);
    return *over ? epoch_wait(window) : MPI_SUCCESS;
}

int epoch_wait(struct window *window)
{
    struct group *group = exposure_end(window, &window->exposed);
    int result = MPI_SUCCESS;
    if (!group)
        return MPI_ERR_RMA_SYNC;
    for (int i = 0; i < group->size; i++) {
        int error = posted_wait(&window->reports[i]);
        result = result == MPI_SUCCESS ? error : result;
    }
    free(window->reports);
    group_drop(group);
    return result;
}
