/*
 * stamp.h - when a message was written, on a clock that all tasks of a host share.
 *
 * A message that was caused by another one has a later stamp, if each is stamped by the thread that
 * sends it: the clock is the same on all processors, and is not read before what the thread did
 * earlier has happened. Where the system itself trusts the processor's time stamp counter, because
 * it has found it to be synchronous and steady, that is the clock; otherwise the system's.
 */
#ifndef CK_STAMP_H
#define CK_STAMP_H

#include <stdbool.h>
#include <stdint.h>

enum stamp_clock { STAMP_SYSTEM, STAMP_COUNTER };

/* The clock that all tasks of this host use. */
enum stamp_clock stamp_clock(void);

uint64_t stamp_of_system(void);

static inline uint64_t stamp_now(enum stamp_clock clock)
{
#if defined(__x86_64__) || defined(__i386__)
    if (clock == STAMP_COUNTER) {
        uint32_t low, high;
        __asm__ volatile("lfence; rdtsc" : "=a"(low), "=d"(high) : : "memory");
        return (uint64_t)high << 32 | low;
    }
#endif
    (void)clock;
    return stamp_of_system();
}

#endif
