/*
 * system.h - functions and constants of newer C libraries, for older ones (glibc 2.17) and smaller
 * ones (musl), which have not all of them.
 */
#ifndef CORE_SYSTEM_H
#define CORE_SYSTEM_H

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>
#if __has_include(<sys/random.h>)
#include <sys/random.h>
#endif

/* These numbers are the same on every kind of processor but one that is out of use. */
#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif

/* Of headers of the kernel, which a compiler for musl does not look for. */
#define SYSTEM_FUTEX_WAIT_PRIVATE 128
#define SYSTEM_FUTEX_WAKE_PRIVATE 129
/* In struct sigevent, the thread to which the signal goes (SIGEV_THREAD_ID); older libraries have no name. */
#ifdef sigev_notify_thread_id
#define SYSTEM_SIGEV_THREAD sigev_notify_thread_id
#else
#define SYSTEM_SIGEV_THREAD _sigev_un._tid
#endif

#define SYSTEM_MEMBARRIER_SEEN     (1 << 3) /* private, expedited */
#define SYSTEM_MEMBARRIER_REGISTER (1 << 4)

/*
 * All threads of the process see what any of them has written before; the process has to be
 * registered.
 */
static inline long system_membarrier(int command)
{
#ifdef SYS_membarrier
    return syscall(SYS_membarrier, command, 0, 0);
#else
    (void)command;
    errno = ENOSYS;
    return -1;
#endif
}

#ifndef F_ADD_SEALS
#define F_ADD_SEALS   1033
#define F_GET_SEALS   1034
#define F_SEAL_SEAL   1
#define F_SEAL_SHRINK 2
#define F_SEAL_GROW   4
#endif
#ifndef MFD_CLOEXEC
#define MFD_CLOEXEC       1U
#define MFD_ALLOW_SEALING 2U
#endif
#ifndef GRND_NONBLOCK
#define GRND_NONBLOCK 1U
#endif

#ifndef HAVE_CLOSEFROM
/* On a Linux that cannot say it at once, descriptors beyond this one stay open. */
#define CLOSED_ONE_BY_ONE 65536

static inline void closefrom(int first)
{
    if (syscall(SYS_close_range, first, ~0U, 0) == 0)
        return;
    for (int descriptor = first; descriptor < CLOSED_ONE_BY_ONE; descriptor++)
        close(descriptor);
}
#endif

#ifndef HAVE_MEMFD_CREATE
/* A file in memory; ENOSYS where the kernel's headers do not know it either. */
static inline int memfd_create(const char *name, unsigned flags)
{
#ifdef SYS_memfd_create
    return (int)syscall(SYS_memfd_create, name, flags);
#else
    (void)name, (void)flags;
    errno = ENOSYS;
    return -1;
#endif
}
#endif

#ifndef HAVE_GETRANDOM
static inline ssize_t getrandom(void *bytes, size_t size, unsigned flags)
{
    (void)flags;
    int descriptor = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    ssize_t result = descriptor < 0 ? -1 : read(descriptor, bytes, size);
    if (descriptor >= 0)
        close(descriptor);
    return result;
}
#endif

#endif
