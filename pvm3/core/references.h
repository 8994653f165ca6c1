/*
 * references.h - counts who refers to something that goes with the last of them.
 *
 * Any thread may hold and drop. Only a holder can add a reference, so a count of one cannot change
 * under its holder. A process of one thread counts without atomic steps. (So do the shared pointers
 * of the GNU library of C++.)
 */
#ifndef CORE_REFERENCES_H
#define CORE_REFERENCES_H

#include <stdatomic.h>
#include <stdbool.h>

#include "core/annotate.h"
#include "core/one_thread.h"

static inline void references_start(atomic_uint *references, unsigned count)
{
    atomic_store_explicit(references, count, memory_order_relaxed);
}

/* The caller has a reference, or holds the lock under which references are given out. */
static inline void references_hold(atomic_uint *references)
{
    if (process_has_one_thread())
        atomic_store_explicit(references,
                              atomic_load_explicit(references, memory_order_relaxed) + 1,
                              memory_order_relaxed);
    else
        atomic_fetch_add_explicit(references, 1, memory_order_relaxed);
}

/* True when there are just so many; then all that was done with the others' has been done. */
static inline bool references_are(atomic_uint *references, unsigned count)
{
    if (atomic_load_explicit(references, memory_order_acquire) != count)
        return false;
    ANNOTATE_ACQUIRE(references);
    return true;
}

/* True when that was the last one: what it refers to is the caller's alone, to dispose of. */
static inline bool references_drop(atomic_uint *references)
{
    ANNOTATE_RELEASE(references);
    unsigned count = atomic_load_explicit(references, memory_order_acquire);
    if (count != 1 && process_has_one_thread())
        atomic_store_explicit(references, count - 1, memory_order_relaxed);
    else if (count != 1)
        count = atomic_fetch_sub_explicit(references, 1, memory_order_acq_rel);
    if (count != 1)
        return false;
    ANNOTATE_ACQUIRE(references);
    ANNOTATE_FORGET(references);
    return true;
}

#endif
