/* epoch_calls.c - fences, locks and flushes: when accesses to a window are due, and done. */
#include "mpi/calls/calls.h"
#include "mpi/objects/communicator.h"
#include "mpi/windows/epochs.h"
#include "mpi/windows/remote.h"
#include "mpi/windows/window.h"

#define FENCE_ASSERTIONS                                                                           \
    (MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED)

/* MPI_SUCCESS if the window is one, and an assertion has no other bits than those allowed. */
static int check_assertion(const struct window *window, int assertion, int allowed)
{
    if (!window)
        return MPI_ERR_WIN;
    return assertion & ~allowed ? MPI_ERR_ASSERT : MPI_SUCCESS;
}

/* MPI_PROC_NULL has no memory: what is to be done for it is done. */
static int check_rank(const struct window *window, int rank)
{
    if (!window)
        return MPI_ERR_WIN;
    bool known = (rank >= 0 && rank < window->communicator->group->size) || rank == MPI_PROC_NULL;
    return known ? MPI_SUCCESS : MPI_ERR_RANK;
}

MPI_CALL(int, Win_fence)(int assert, MPI_Win win)
{
    struct window *window = window_of(win);
    int error = check_assertion(window, assert, FENCE_ASSERTIONS);
    if (error == MPI_SUCCESS)
        error = epoch_fence(window, assert);
    return window_error(window, "MPI_Win_fence", error);
}

MPI_CALL(int, Win_post)(MPI_Group group, int assert, MPI_Win win)
{
    struct window *window = window_of(win);
    int error =
        check_assertion(window, assert, MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT);
    if (error == MPI_SUCCESS && !group_of(group))
        error = MPI_ERR_GROUP;
    if (error == MPI_SUCCESS)
        error = epoch_post(window, group_of(group), assert);
    return window_error(window, "MPI_Win_post", error);
}

MPI_CALL(int, Win_start)(MPI_Group group, int assert, MPI_Win win)
{
    struct window *window = window_of(win);
    int error = check_assertion(window, assert, MPI_MODE_NOCHECK);
    if (error == MPI_SUCCESS && !group_of(group))
        error = MPI_ERR_GROUP;
    if (error == MPI_SUCCESS)
        error = epoch_start(window, group_of(group), assert);
    return window_error(window, "MPI_Win_start", error);
}

MPI_CALL(int, Win_complete)(MPI_Win win)
{
    struct window *window = window_of(win);
    int error = window ? epoch_complete(window) : MPI_ERR_WIN;
    return window_error(window, "MPI_Win_complete", error);
}

MPI_CALL(int, Win_wait)(MPI_Win win)
{
    struct window *window = window_of(win);
    return window_error(window, "MPI_Win_wait", window ? epoch_wait(window) : MPI_ERR_WIN);
}

MPI_CALL(int, Win_test)(MPI_Win win, int *flag)
{
    struct window *window = window_of(win);
    bool over = false;
    int error = window ? MPI_SUCCESS : MPI_ERR_WIN;
    if (error == MPI_SUCCESS)
        error = flag ? epoch_test(window, &over) : MPI_ERR_ARG;
    if (error == MPI_SUCCESS)
        *flag = over;
    return window_error(window, "MPI_Win_test", error);
}

MPI_CALL(int, Win_lock)(int lock_type, int rank, int assert, MPI_Win win)
{
    struct window *window = window_of(win);
    int error = check_assertion(window, assert, MPI_MODE_NOCHECK);
    if (error == MPI_SUCCESS && lock_type != MPI_LOCK_SHARED && lock_type != MPI_LOCK_EXCLUSIVE)
        error = MPI_ERR_LOCKTYPE;
    if (error == MPI_SUCCESS)
        error = check_rank(window, rank);
    if (error == MPI_SUCCESS && rank != MPI_PROC_NULL)
        error = epoch_lock(window, lock_type, rank, assert);
    return window_error(window, "MPI_Win_lock", error);
}

MPI_CALL(int, Win_unlock)(int rank, MPI_Win win)
{
    struct window *window = window_of(win);
    int error = check_rank(window, rank);
    if (error == MPI_SUCCESS && rank != MPI_PROC_NULL)
        error = epoch_unlock(window, rank);
    return window_error(window, "MPI_Win_unlock", error);
}

MPI_CALL(int, Win_lock_all)(int assert, MPI_Win win)
{
    struct window *window = window_of(win);
    int error = check_assertion(window, assert, MPI_MODE_NOCHECK);
    if (error == MPI_SUCCESS)
        error = epoch_lock_all(window, assert);
    return window_error(window, "MPI_Win_lock_all", error);
}

MPI_CALL(int, Win_unlock_all)(MPI_Win win)
{
    struct window *window = window_of(win);
    int error = window ? epoch_unlock_all(window) : MPI_ERR_WIN;
    return window_error(window, "MPI_Win_unlock_all", error);
}

static int flush(const char *function, int (*to)(struct window *window, int rank), int rank,
                 MPI_Win win)
{
    struct window *window = window_of(win);
    int error = check_rank(window, rank);
    if (error == MPI_SUCCESS && rank != MPI_PROC_NULL)
        error = epoch_is_locked(window, rank) ? to(window, rank) : MPI_ERR_RMA_SYNC;
    return window_error(window, function, error);
}

MPI_CALL(int, Win_flush)(int rank, MPI_Win win)
{
    return flush("MPI_Win_flush", remote_flush, rank, win);
}

MPI_CALL(int, Win_flush_local)(int rank, MPI_Win win)
{
    return flush("MPI_Win_flush_local", remote_flush_local, rank, win);
}

static int flush_all(const char *function, int (*all)(struct window *window), MPI_Win win)
{
    struct window *window = window_of(win);
    int error = window ? MPI_SUCCESS : MPI_ERR_WIN;
    if (error == MPI_SUCCESS)
        error = epoch_is_any_locked(window) ? all(window) : MPI_ERR_RMA_SYNC;
    return window_error(window, function, error);
}

MPI_CALL(int, Win_flush_all)(MPI_Win win)
{
    return flush_all("MPI_Win_flush_all", remote_flush_all, win);
}

MPI_CALL(int, Win_flush_local_all)(MPI_Win win)
{
    return flush_all("MPI_Win_flush_local_all", remote_flush_local_all, win);
}

/* Memory is the same to the program and to others (MPI_WIN_UNIFIED): only its order is at stake. */
MPI_CALL(int, Win_sync)(MPI_Win win)
{
    struct window *window = window_of(win);
    atomic_thread_fence(memory_order_seq_cst);
    return window_error(window, "MPI_Win_sync", window ? MPI_SUCCESS : MPI_ERR_WIN);
}
