/*
 * sleep_at.h - a thread of the system sleeps at a word until another one changes it.
 *
 * For what stands below the sleep on a condition (sleepers.h): locks, and the threads of fibers.
 *
 * Threads: any thread, without a lock. No point of cancellation.
 */
#ifndef CK_BASE_SLEEP_AT_H
#define CK_BASE_SLEEP_AT_H

#include <stdatomic.h>

/* Sleeps while `word` has this value, unless it is woken; the caller asks again. */
void sleep_at(atomic_uint *word, unsigned value);

/* Wakes one thread that sleeps there. */
void wake_at(atomic_uint *word);

#endif
