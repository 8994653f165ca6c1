/*
 * stamp.h - when a message was written, on a clock that all tasks of a host share.
 *
 * A message that was caused by another one has a later stamp, if each is stamped by the thread that
 * sends it: the clock is the same on all processors, and is not read before what the thread did
 * earlier has happened. Where the system itself trusts the processor's time stamp counter, because
 * it has found it to be synchronous and steady, the counter is the clock; otherwise the system's
 * clock is.
 */
#ifndef CK_BASE_STAMP_H
#define CK_BASE_STAMP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum stamp_clock { STAMP_SYSTEM, STAMP_COUNTER };

/*
 * Of a message: when it was written, and how long before that, in moments, its sender has had news.
 * A moment is 2^MOMENT of the clock, long enough for an age of an hour.
 */
struct stamp {
    uint64_t written;
    uint32_t age;
};

#define MOMENT 12

/* The clock that all tasks of this host use. */
enum stamp_clock stamp_clock(void);

uint64_t stamp_of_system(void);

/* For what is written next. */
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

/* For what need not be exact: the processor may read the clock a little earlier or later. */
static inline uint64_t stamp_roughly(enum stamp_clock clock)
{
#if defined(__x86_64__) || defined(__i386__)
    if (clock == STAMP_COUNTER)
        return __builtin_ia32_rdtsc();
#endif
    (void)clock;
    return stamp_of_system();
}

/* So many nanoseconds on the clock, roughly: a counter counts up to four times in each. */
static inline uint64_t stamp_span(enum stamp_clock clock, uint64_t nanoseconds)
{
    return clock == STAMP_COUNTER ? 4 * nanoseconds : nanoseconds;
}

/* For a look: what is read next is read after the clock. */
static inline uint64_t stamp_before_look(enum stamp_clock clock)
{
#if defined(__x86_64__) || defined(__i386__)
    if (clock == STAMP_COUNTER) {
        uint32_t low, high;
        __asm__ volatile("rdtsc; lfence" : "=a"(low), "=d"(high) : : "memory");
        return (uint64_t)high << 32 | low;
    }
#endif
    (void)clock;
    uint64_t stamp = stamp_of_system();
    atomic_bool barrier = false; /* ThreadSanitizer knows no fences */
    atomic_exchange(&barrier, true);
    return stamp;
}

/* The moment in which all is over that has been until then. */
static inline uint64_t stamp_moment_after(uint64_t stamp)
{
    return (stamp >> MOMENT) + 1;
}

/* `news` is the moment after it. */
static inline struct stamp stamp_of(uint64_t written, uint64_t news)
{
    uint64_t now = stamp_moment_after(written);
    uint64_t age = now > news ? now - news : 0;
    return (struct stamp){written, age < UINT32_MAX ? (uint32_t)age : UINT32_MAX};
}

/* The moment after the news, if that is not older than can be said. */
static inline uint64_t stamp_news(struct stamp stamp)
{
    uint64_t now = stamp_moment_after(stamp.written);
    return now > stamp.age ? now - stamp.age : 0;
}

#endif
