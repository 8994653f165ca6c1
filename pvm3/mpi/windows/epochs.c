/* epochs.c - fences and locks, and whether an access is due. */
#include "mpi/windows/epochs.h"

#include "mpi/collectives/collectives.h"
#include "mpi/windows/remote.h"
#include "mpi/windows/window.h"

/* In window_member.held: nobody was asked for the lock, as the program knows that it is free. */
#define HELD_UNASKED (-1)

/* Whether the target is one of MPI_Win_start. With the lock. */
static bool epoch_is_started(const struct window *window, int rank)
{
    return window->started &&
           group_rank_of(window->started, window->communicator->group->tids[rank]) != MPI_UNDEFINED;
}

bool epoch_is_open(struct window *window, int rank)
{
    pthread_mutex_lock(&window->lock);
    bool open = window->fence || window->all || window->members[rank].held ||
                epoch_is_started(window, rank);
    pthread_mutex_unlock(&window->lock);
    return open;
}

bool epoch_is_locked(struct window *window, int rank)
{
    pthread_mutex_lock(&window->lock);
    bool locked = window->all || window->members[rank].held;
    pthread_mutex_unlock(&window->lock);
    return locked;
}

/* With the lock. */
static bool epoch_has_lock(const struct window *window)
{
    bool locked = window->all;
    for (int rank = 0; !locked && rank < window->communicator->group->size; rank++)
        locked = window->members[rank].held != 0;
    return locked;
}

bool epoch_is_any_locked(struct window *window)
{
    pthread_mutex_lock(&window->lock);
    bool locked = epoch_has_lock(window);
    pthread_mutex_unlock(&window->lock);
    return locked;
}

bool epoch_is_over(struct window *window)
{
    pthread_mutex_lock(&window->lock);
    bool over = !window->started && !window->exposed && !epoch_has_lock(window);
    pthread_mutex_unlock(&window->lock);
    return over;
}

/* Fences. -------------------------------------------------------------------------------------- */

static int epoch_meet(struct window *window)
{
    struct schedule schedule;
    schedule_begin(&schedule, window->communicator);
    build_barrier(&schedule);
    int error = schedule_run(&schedule);
    schedule_end(&schedule);
    return error;
}

int epoch_fence(struct window *window, int assertion)
{
    if (!epoch_is_over(window))
        return MPI_ERR_RMA_SYNC;
    int error = remote_flush_all(window);
    int other = epoch_meet(window);
    pthread_mutex_lock(&window->lock);
    window->fence = !(assertion & MPI_MODE_NOSUCCEED);
    pthread_mutex_unlock(&window->lock);
    return error == MPI_SUCCESS ? other : error;
}

/* Locks. --------------------------------------------------------------------------------------- */

/* Takes the place for a lock, unless there is a lock or another epoch. */
static int epoch_hold(struct window *window, int rank, int held)
{
    pthread_mutex_lock(&window->lock);
    bool due = !window->all && !window->members[rank].held && !epoch_is_started(window, rank);
    if (due)
        window->members[rank].held = held;
    pthread_mutex_unlock(&window->lock);
    return due ? MPI_SUCCESS : MPI_ERR_RMA_SYNC;
}

static int epoch_let_go(struct window *window, int rank)
{
    pthread_mutex_lock(&window->lock);
    int held = window->members[rank].held;
    window->members[rank].held = 0;
    pthread_mutex_unlock(&window->lock);
    return held;
}

int epoch_lock(struct window *window, int kind, int rank, int assertion)
{
    bool asks = !(assertion & MPI_MODE_NOCHECK);
    int error = epoch_hold(window, rank, asks ? kind : HELD_UNASKED);
    if (error != MPI_SUCCESS || !asks)
        return error;
    error = remote_lock(window, rank, kind);
    if (error != MPI_SUCCESS)
        epoch_let_go(window, rank);
    return error;
}

int epoch_unlock(struct window *window, int rank)
{
    int held = epoch_let_go(window, rank);
    if (!held)
        return MPI_ERR_RMA_SYNC;
    return held == HELD_UNASKED ? remote_flush(window, rank) : remote_unlock(window, rank, held);
}

/* Changes whether all are locked; false if that is so already, or a lock is in the way. */
static bool epoch_set_all(struct window *window, bool all)
{
    pthread_mutex_lock(&window->lock);
    bool due = all ? !epoch_has_lock(window) && !window->started : window->all;
    if (due)
        window->all = all;
    pthread_mutex_unlock(&window->lock);
    return due;
}

int epoch_lock_all(struct window *window, int assertion)
{
    if (!epoch_set_all(window, true))
        return MPI_ERR_RMA_SYNC;
    window->all_unasked = assertion & MPI_MODE_NOCHECK;
    return window->all_unasked ? MPI_SUCCESS : remote_lock_all(window);
}

int epoch_unlock_all(struct window *window)
{
    if (!epoch_set_all(window, false))
        return MPI_ERR_RMA_SYNC;
    return window->all_unasked ? remote_flush_all(window) : remote_unlock_all(window);
}
