/*
 * window.h - what a handle of type MPI_Win stands for: memory of each member of a group that all
 * members read and change.
 *
 * An access goes one of two ways. If the target's memory is mapped here (shared.h), the calling
 * thread copies. Otherwise it sends an order (order.h), and a thread of the target's process
 * carries it out (service.h): one that is in a call of MPI, or else one of our own. So the target's
 * program need not call MPI, and nobody polls.
 *
 * Locks are in the mapped memory, or orders. Who waits for one, or for another member's word that
 * an epoch begins or ends, waits for a message in either case. The window has a communicator of its
 * own for these.
 *
 * Threads: any thread may call anything; each part says what guards it.
 */
#ifndef MPI_WINDOWS_WINDOW_H
#define MPI_WINDOWS_WINDOW_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "mpi/objects/attributes.h"
#include "mpi/objects/object.h"
#include "mpi/windows/attached.h"
#include "mpi/windows/lock_queue.h"

struct communicator;
struct error_handler;
struct group;
struct info;
struct posted;
struct shared;

/*
 * Tags of messages in the window's communicator. Answers to orders have those behind them. Where
 * memory is mapped nothing is ordered: there they say which member's lock one has.
 */
enum { WINDOW_POST, WINDOW_COMPLETE, WINDOW_ANSWERS };

/* What an origin knows of a target. */
struct window_member {
    MPI_Aint size;
    MPI_Aint unit; /* bytes of a displacement of 1 */
    char *memory;  /* mapped here; NULL: by orders alone */
    /* Orders that change memory and have no answer: how many were sent, and how many of them are
     * known to be carried out. */
    atomic_uint_fast64_t sent;
    atomic_uint_fast64_t done;
    atomic_int coming; /* answers with data that are not there yet */
    atomic_int error;  /* of an access since the last flush */
    int held;          /* the lock that this task has there, or 0; with the window's lock */
};

struct window {
    struct object object;
    struct communicator *communicator;
    int flavor;
    int model;
    int unit; /* as the attribute has it */
    void *base;
    MPI_Aint size;
    void *memory;          /* to be freed with the window; NULL: the program's, or mapped */
    struct shared *shared; /* NULL: no memory is mapped */
    struct attributes attributes;
    atomic_uint answers; /* how many orders had a tag for their answer */

    pthread_mutex_t lock; /* for what follows, and never held while a thread waits */
    struct error_handler *handler;
    struct info *info;
    char name[MPI_MAX_OBJECT_NAME];
    bool fence;             /* accesses are between two fences */
    bool all;               /* MPI_Win_lock_all */
    bool all_unasked;       /* with MPI_MODE_NOCHECK: nobody was asked */
    struct group *started;  /* the targets of MPI_Win_start, or NULL */
    struct group *exposed;  /* the origins of MPI_Win_post, or NULL */
    struct posted *reports; /* of these, that they have completed */

    struct attached attached; /* has a lock of its own */
    struct lock_queue queue;  /* the service's, as what follows */
    struct lock_asker *places;
    int *faults; /* of orders of each origin since its last flush */
    struct window *next;

    struct window_member members[];
};

/* The window of a handle; NULL for MPI_WIN_NULL and for what is no window. */
struct window *window_of(MPI_Win handle);
MPI_Win window_handle(struct window *window);

/* A window of a communicator, which it takes over, with no memory. NULL without memory. */
struct window *window_new(struct communicator *communicator);

/* Frees it with all that it has; nobody else refers to it. */
void window_discard(struct window *window);

/* The error handler, with a reference for the caller; and another one. */
struct error_handler *window_handler(struct window *window);
void window_set_handler(struct window *window, struct error_handler *handler);

/* Raises an error at a window; with NULL as one that belongs to nothing. Returns the code. */
int window_error(struct window *window, const char *function, int code);

/* One of the predefined attributes (MPI_WIN_BASE...). False: it is not one of them. */
bool window_attribute(struct window *window, int keyval, void **value);

#endif
