/*
 * lock_ranks.h - the ranks of the library's locks, around those of the kernel (ck/base/lock.h), in
 * the order in which they are taken. man/pvm_threads.7 says which function takes which.
 */
#ifndef LIB_TASK_LOCK_RANKS_H
#define LIB_TASK_LOCK_RANKS_H

#include <assert.h>

#include "ck/base/lock.h"

/* Taken before any lock of the kernel. */
enum {
    LOCK_LEASE,     /* which thread starts tasks that are threads */
    LOCK_ENROLMENT, /* enrolled or not, own tid, what enrolment tells */
    LOCK_OPTIONS,   /* options, output and trace destinations */
    LOCK_TRACING,   /* trace events that are not sent yet */
    LOCK_HANDLERS,  /* message handlers */
    LOCK_NOTICES,   /* requests for word of direct routes and of the own end */
    LOCK_RESULTS,   /* lists that calls return and the library owns */
    LOCK_PRINTED,   /* what a thread task has printed */
};
static_assert((int)LOCK_PRINTED < (int)LOCK_ROUTES, "the kernel's locks come behind these");

/* Taken while locks of the kernel may be held. */
enum {
    LOCK_OUTPUT = LOCK_INNER, /* children whose output is caught */
    LOCK_BUFFERS,             /* the table of buffer ids */
    LOCK_BUFFER,              /* one buffer's contents and cursor */
    LOCK_VARIABLES,           /* the environment of the process */
};
static_assert((int)LOCK_VARIABLES < (int)LOCK_ARENA, "the last lock comes behind these");

#endif
