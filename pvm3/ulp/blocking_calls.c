/* blocking_calls.c - the calls and their names. */
#include "ulp/blocking_calls.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/task/own_program.h"
#include "ulp/calls.h"
#include "ulp/departure.h"
#include "ulp/ulp.h"

void blocking_call_begin(bool ready)
{
    if (!ready)
        own_program_go_home();
}

void blocking_call_end(void)
{
    own_program_come_back();
    departure_point();
}

bool blocking_call_is_ready(int descriptor, short events)
{
    int error = errno;
    struct pollfd set = {.fd = descriptor, .events = events};
    bool ready = poll(&set, 1, 0) != 0;
    errno = error;
    return ready;
}

bool blocking_call_stream_is_ready(FILE *stream)
{
    int descriptor = fileno(stream);
    return descriptor < 0 || blocking_call_is_ready(descriptor, POLLIN);
}

/* Defines own_NAME, which makes the call NAME at home unless `ready`. */
#define BLOCKING(type, name, parameters, arguments, ready)                                         \
    static type own_##name parameters                                                              \
    {                                                                                              \
        blocking_call_begin(ready);                                                                \
        type result = name arguments;                                                              \
        blocking_call_end();                                                                       \
        return result;                                                                             \
    }

/* Time. ---------------------------------------------------------------------------------------- */

BLOCKING(unsigned, sleep, (unsigned seconds), (seconds), seconds == 0)
BLOCKING(int, usleep, (useconds_t microseconds), (microseconds), microseconds == 0)
BLOCKING(int, nanosleep, (const struct timespec *time, struct timespec *left), (time, left), false)
BLOCKING(int, clock_nanosleep,
         (clockid_t clock, int flags, const struct timespec *time, struct timespec *left),
         (clock, flags, time, left), false)

/* Signals. ------------------------------------------------------------------------------------- */

BLOCKING(int, pause, (void), (), false)
BLOCKING(int, sigsuspend, (const sigset_t *mask), (mask), false)
BLOCKING(int, sigwait, (const sigset_t *set, int *signal), (set, signal), false)
BLOCKING(int, sigwaitinfo, (const sigset_t *set, siginfo_t *information), (set, information), false)
BLOCKING(int, sigtimedwait,
         (const sigset_t *set, siginfo_t *information, const struct timespec *limit),
         (set, information, limit), false)

/* Children. ------------------------------------------------------------------------------------ */

BLOCKING(pid_t, wait, (int *status), (status), false)
BLOCKING(pid_t, waitpid, (pid_t child, int *status, int options), (child, status, options),
         options &WNOHANG)
BLOCKING(pid_t, wait3, (int *status, int options, struct rusage *usage), (status, options, usage),
         options &WNOHANG)
BLOCKING(pid_t, wait4, (pid_t child, int *status, int options, struct rusage *usage),
         (child, status, options, usage), options &WNOHANG)
BLOCKING(int, waitid, (idtype_t kind, id_t child, siginfo_t *information, int options),
         (kind, child, information, options), options &WNOHANG)

/* Several files. ------------------------------------------------------------------------------- */

BLOCKING(int, poll, (struct pollfd * set, nfds_t count, int limit), (set, count, limit), limit == 0)
BLOCKING(int, ppoll,
         (struct pollfd * set, nfds_t count, const struct timespec *limit, const sigset_t *mask),
         (set, count, limit, mask), false)
BLOCKING(int, select,
         (int count, fd_set *readable, fd_set *writable, fd_set *other, struct timeval *limit),
         (count, readable, writable, other, limit),
         limit && limit->tv_sec == 0 && limit->tv_usec == 0)
BLOCKING(int, pselect,
         (int count, fd_set *readable, fd_set *writable, fd_set *other,
          const struct timespec *limit, const sigset_t *mask),
         (count, readable, writable, other, limit, mask), false)
BLOCKING(int, epoll_wait, (int set, struct epoll_event *events, int room, int limit),
         (set, events, room, limit), limit == 0)
BLOCKING(int, epoll_pwait,
         (int set, struct epoll_event *events, int room, int limit, const sigset_t *mask),
         (set, events, room, limit, mask), limit == 0)

static int own_poll_checked(struct pollfd *set, nfds_t count, int limit, size_t size)
{
    if (size / sizeof *set < count)
        ulp_abort();
    return own_poll(set, count, limit);
}

/* One file. ------------------------------------------------------------------------------------ */

BLOCKING(ssize_t, read, (int descriptor, void *memory, size_t size), (descriptor, memory, size),
         blocking_call_is_ready(descriptor, POLLIN))
BLOCKING(ssize_t, readv, (int descriptor, const struct iovec *parts, int count),
         (descriptor, parts, count), blocking_call_is_ready(descriptor, POLLIN))
BLOCKING(ssize_t, write, (int descriptor, const void *memory, size_t size),
         (descriptor, memory, size), blocking_call_is_ready(descriptor, POLLOUT))
BLOCKING(ssize_t, writev, (int descriptor, const struct iovec *parts, int count),
         (descriptor, parts, count), blocking_call_is_ready(descriptor, POLLOUT))
BLOCKING(ssize_t, recv, (int descriptor, void *memory, size_t size, int flags),
         (descriptor, memory, size, flags), blocking_call_is_ready(descriptor, POLLIN))
BLOCKING(ssize_t, recvfrom,
         (int descriptor, void *memory, size_t size, int flags, struct sockaddr *source,
          socklen_t *length),
         (descriptor, memory, size, flags, source, length),
         blocking_call_is_ready(descriptor, POLLIN))
BLOCKING(ssize_t, recvmsg, (int descriptor, struct msghdr *message, int flags),
         (descriptor, message, flags), blocking_call_is_ready(descriptor, POLLIN))
BLOCKING(ssize_t, send, (int descriptor, const void *memory, size_t size, int flags),
         (descriptor, memory, size, flags), blocking_call_is_ready(descriptor, POLLOUT))
BLOCKING(ssize_t, sendto,
         (int descriptor, const void *memory, size_t size, int flags,
          const struct sockaddr *destination, socklen_t length),
         (descriptor, memory, size, flags, destination, length),
         blocking_call_is_ready(descriptor, POLLOUT))
BLOCKING(ssize_t, sendmsg, (int descriptor, const struct msghdr *message, int flags),
         (descriptor, message, flags), blocking_call_is_ready(descriptor, POLLOUT))
BLOCKING(int, connect, (int descriptor, const struct sockaddr *address, socklen_t length),
         (descriptor, address, length), false)
static ssize_t own_read_checked(int descriptor, void *memory, size_t size, size_t room)
{
    if (size > room)
        ulp_abort();
    return own_read(descriptor, memory, size);
}

static ssize_t own_recv_checked(int descriptor, void *memory, size_t size, size_t room, int flags)
{
    if (size > room)
        ulp_abort();
    return own_recv(descriptor, memory, size, flags);
}

/* Streams. ------------------------------------------------------------------------------------- */

BLOCKING(char *, fgets, (char *text, int size, FILE *stream), (text, size, stream),
         blocking_call_stream_is_ready(stream))
BLOCKING(int, fgetc, (FILE * stream), (stream), blocking_call_stream_is_ready(stream))
BLOCKING(int, getchar, (void), (), blocking_call_stream_is_ready(stdin))
BLOCKING(size_t, fread, (void *memory, size_t size, size_t count, FILE *stream),
         (memory, size, count, stream), blocking_call_stream_is_ready(stream))
static char *own_fgets_checked(char *text, size_t room, int size, FILE *stream)
{
    if (size > 0 && (size_t)size > room)
        ulp_abort();
    return own_fgets(text, size, stream);
}

static int own_fscanf(FILE *stream, const char *format, ...)
{
    va_list places;
    va_start(places, format);
    blocking_call_begin(blocking_call_stream_is_ready(stream));
    int result = vfscanf(stream, format, places);
    blocking_call_end();
    va_end(places);
    return result;
}

static int own_scanf(const char *format, ...)
{
    va_list places;
    va_start(places, format);
    blocking_call_begin(blocking_call_stream_is_ready(stdin));
    int result = vscanf(format, places);
    blocking_call_end();
    va_end(places);
    return result;
}

/* Others. -------------------------------------------------------------------------------------- */

BLOCKING(int, sem_wait, (sem_t * semaphore), (semaphore), false)
BLOCKING(int, sem_timedwait, (sem_t * semaphore, const struct timespec *limit), (semaphore, limit),
         false)
BLOCKING(int, semop, (int set, struct sembuf *operations, size_t count), (set, operations, count),
         false)
BLOCKING(ssize_t, msgrcv, (int queue, void *message, size_t size, long type, int flags),
         (queue, message, size, type, flags), flags &IPC_NOWAIT)
BLOCKING(int, msgsnd, (int queue, const void *message, size_t size, int flags),
         (queue, message, size, flags), flags &IPC_NOWAIT)
BLOCKING(int, getaddrinfo,
         (const char *node, const char *service, const struct addrinfo *hints,
          struct addrinfo **result_list),
         (node, service, hints, result_list), false)
BLOCKING(struct hostent *, gethostbyname, (const char *name), (name), false)

/* Fortran's. */
static void own_sleep_integer(const int *seconds)
{
    own_sleep(*seconds > 0 ? (unsigned)*seconds : 0);
}

#define CALL(name)                                                                                 \
    {                                                                                              \
#name, (void *)own_##name                                                                  \
    }

static const struct call calls[] = {
    CALL(sleep),
    CALL(usleep),
    CALL(nanosleep),
    CALL(clock_nanosleep),
    CALL(pause),
    CALL(sigsuspend),
    CALL(sigwait),
    CALL(sigwaitinfo),
    CALL(sigtimedwait),
    CALL(wait),
    CALL(waitpid),
    CALL(wait3),
    CALL(wait4),
    CALL(waitid),
    CALL(poll),
    CALL(ppoll),
    CALL(select),
    CALL(pselect),
    CALL(epoll_wait),
    CALL(epoll_pwait),
    {"__poll_chk", (void *)own_poll_checked},
    CALL(read),
    CALL(readv),
    CALL(write),
    CALL(writev),
    CALL(recv),
    CALL(recvfrom),
    CALL(recvmsg),
    CALL(send),
    CALL(sendto),
    CALL(sendmsg),
    CALL(connect),
    {"__read_chk", (void *)own_read_checked},
    {"__recv_chk", (void *)own_recv_checked},
    CALL(fgets),
    CALL(fgetc),
    {"getc", (void *)own_fgetc},
    CALL(getchar),
    CALL(fread),
    {"__fgets_chk", (void *)own_fgets_checked},
    CALL(fscanf),
    CALL(scanf),
    {"__isoc99_fscanf", (void *)own_fscanf},
    {"__isoc99_scanf", (void *)own_scanf},
    {"__isoc23_fscanf", (void *)own_fscanf},
    {"__isoc23_scanf", (void *)own_scanf},
    CALL(sem_wait),
    CALL(sem_timedwait),
    CALL(semop),
    CALL(msgrcv),
    CALL(msgsnd),
    CALL(getaddrinfo),
    CALL(gethostbyname),
    {"_gfortran_sleep_i4_sub", (void *)own_sleep_integer},
};

void *blocking_call_find(const char *name)
{
    return call_find(calls, sizeof calls / sizeof *calls, name);
}
