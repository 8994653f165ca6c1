/*
 * one_thread.h - has the process only one thread? If so, the calling thread stays alone until it
 * makes another thread itself. If the C library does not tell, the answer is no.
 */
#ifndef CORE_ONE_THREAD_H
#define CORE_ONE_THREAD_H

#include <stdbool.h>

#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#else
#define __libc_single_threaded 0
#endif

static inline bool process_has_one_thread(void)
{
    return __libc_single_threaded;
}

#endif
