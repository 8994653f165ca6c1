/*
 * users.h - counts the threads that use something which must not go meanwhile.
 *
 * A thread begins to use it with the lock that guards it. Most threads leave without the lock: for
 * them a step of the processor does what would take a lock once more. Only while the users are
 * watched, because something waits for the last of them, do all of them leave with the lock.
 */
#ifndef CK_BASE_USERS_H
#define CK_BASE_USERS_H

#include <stdatomic.h>
#include <stdbool.h>

#include "core/annotate.h"
#include "core/one_thread.h"

/* All zero: none, and not watched. */
struct users {
    atomic_uint word; /* USERS_ONE for each, and USERS_WATCHED */
};

#define USERS_WATCHED 1u
#define USERS_ONE     2u

/* True while there are any; when it is false, all that they did has been done. With the lock. */
static inline bool users_are_there(const struct users *users)
{
    if (atomic_load_explicit(&users->word, memory_order_acquire) >= USERS_ONE)
        return true;
    ANNOTATE_ACQUIRE(users);
    return false;
}

/* With the lock. */
static inline void users_enter(struct users *users)
{
    if (process_has_one_thread())
        atomic_store_explicit(&users->word,
                              atomic_load_explicit(&users->word, memory_order_relaxed) + USERS_ONE,
                              memory_order_relaxed);
    else
        atomic_fetch_add_explicit(&users->word, USERS_ONE, memory_order_relaxed);
}

/* With the lock; true for the last one. */
static inline bool users_leave(struct users *users)
{
    ANNOTATE_RELEASE(users);
    unsigned before = atomic_fetch_sub_explicit(&users->word, USERS_ONE, memory_order_acq_rel);
    return before < 2 * USERS_ONE;
}

/*
 * Without the lock. False, with nothing done, while they are watched. The thread touches what it
 * has used no more.
 */
static inline bool users_leave_alone(struct users *users)
{
    unsigned word = atomic_load_explicit(&users->word, memory_order_relaxed);
    ANNOTATE_RELEASE(users);
    if (!process_has_one_thread()) {
        while (!(word & USERS_WATCHED))
            if (atomic_compare_exchange_weak_explicit(&users->word, &word, word - USERS_ONE,
                                                      memory_order_release, memory_order_relaxed))
                return true;
        return false;
    }
    if (word & USERS_WATCHED)
        return false;
    atomic_store_explicit(&users->word, word - USERS_ONE, memory_order_relaxed);
    return true;
}

/* With the lock. */
static inline void users_watch(struct users *users, bool watch)
{
    if (watch)
        atomic_fetch_or_explicit(&users->word, USERS_WATCHED, memory_order_relaxed);
    else
        atomic_fetch_and_explicit(&users->word, ~USERS_WATCHED, memory_order_relaxed);
}

#endif
