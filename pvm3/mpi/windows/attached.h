/*
 * attached.h - the memory that a program has attached to a dynamic window (MPI_Win_attach).
 *
 * Threads: any thread may call anything.
 */
#ifndef MPI_WINDOWS_ATTACHED_H
#define MPI_WINDOWS_ATTACHED_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct layout;

struct attached {
    pthread_mutex_t lock;
    struct attached_range *first;
};

void attached_begin(struct attached *attached);
void attached_end(struct attached *attached);

/* MPI_SUCCESS, MPI_ERR_NO_MEM, or MPI_ERR_RMA_ATTACH if some of it is attached already. */
int attached_add(struct attached *attached, void *base, size_t size);

/* MPI_ERR_RMA_ATTACH if nothing is attached that begins there. */
int attached_remove(struct attached *attached, const void *base);

/* Whether each part of the layout at `memory` is in attached memory. */
bool attached_has(struct attached *attached, char *memory, const struct layout *layout);

#endif
