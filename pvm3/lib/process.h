/*
 * process.h - the task of the process, and its threads as they begin and end.
 *
 * Only the calls that programs make include this file. What stands below them gets its task and
 * caller from the call, or asks caller_current (caller.h).
 */
#ifndef LIB_PROCESS_H
#define LIB_PROCESS_H

#include "lib/caller.h"

/*
 * A thread's first call: makes its caller, and before the first of all the task. Memory for it that
 * cannot be had ends the process with a message: there would be no place to note an error.
 */
struct caller *process_begin_thread(void);

/* The calling thread, with its task; made at its first call. */
static inline struct caller *caller_self(void)
{
    struct caller *caller = caller_current();
    return caller ? caller : process_begin_thread();
}

#endif
