/*
 * epochs.h - when a task may access the memory of others: between fences, between start and
 * complete to those who have posted, and while it has a lock.
 *
 * Results are error classes; MPI_ERR_RMA_SYNC for a call that is not due. Ranks and groups have
 * been checked.
 */
#ifndef MPI_WINDOWS_EPOCHS_H
#define MPI_WINDOWS_EPOCHS_H

#include <stdbool.h>

struct group;
struct window;

/* Whether this task may access the memory of a member now. */
bool epoch_is_open(struct window *window, int rank);

/* Whether it has a lock there, so that it may flush. The second: any lock. */
bool epoch_is_locked(struct window *window, int rank);
bool epoch_is_any_locked(struct window *window);

/* Whether the window may be freed: nothing but fences was begun and not ended. */
bool epoch_is_over(struct window *window);

int epoch_fence(struct window *window, int assertion);

/* The group is kept. MPI_ERR_GROUP if not all of it are members. */
int epoch_post(struct window *window, struct group *group, int assertion);
int epoch_start(struct window *window, struct group *group, int assertion);
int epoch_complete(struct window *window);

/* Until all of the group have completed, or whether they have. */
int epoch_wait(struct window *window);
int epoch_test(struct window *window, bool *over);

int epoch_lock(struct window *window, int kind, int rank, int assertion);
int epoch_unlock(struct window *window, int rank);
int epoch_lock_all(struct window *window, int assertion);
int epoch_unlock_all(struct window *window);

#endif
