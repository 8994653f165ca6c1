/*
 * file_numbers.c - descriptors beyond the soft limit.
 *
 * The system looks at the limit when it gives a number, and not later. So the limit is raised for
 * that moment alone, and children inherit what it was.
 */
#include "ulp/file_numbers.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

enum { FIRST = 1024, OF_REGION = 64, MOST = 1 << 20 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The numbers are below this. */
static unsigned limit_of(const struct rlimit *limit)
{
    return limit->rlim_max < MOST ? (unsigned)limit->rlim_max : MOST;
}

/* A copy whose number is `least` or above, whatever the soft limit. -1 and errno. */
static int copy_beyond_limit(int descriptor, int command, int least)
{
    struct rlimit limit;
    pthread_mutex_lock(&lock);
    getrlimit(RLIMIT_NOFILE, &limit);
    const struct rlimit raised = {limit.rlim_max, limit.rlim_max};
    setrlimit(RLIMIT_NOFILE, &raised);
    int copy = fcntl(descriptor, command, least);
    int error = errno;
    setrlimit(RLIMIT_NOFILE, &limit);
    pthread_mutex_unlock(&lock);
    errno = error;
    return copy;
}

/* Likewise: many processes have no lower soft limit. */
static int copy_above(int descriptor, int least)
{
    int command = fcntl(descriptor, F_GETFD) & FD_CLOEXEC ? F_DUPFD_CLOEXEC : F_DUPFD;
    int copy = fcntl(descriptor, command, least);
    return copy < 0 ? copy_beyond_limit(descriptor, command, least) : copy;
}

int file_number_for(unsigned region, int descriptor)
{
    struct rlimit limit;
    int before = errno;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit_of(&limit) < FIRST + OF_REGION)
        return descriptor;
    unsigned ranges = (limit_of(&limit) - FIRST) / OF_REGION;
    int copy = copy_above(descriptor, (int)(FIRST + region % ranges * OF_REGION));
    errno = before;
    if (copy < 0)
        return descriptor;
    close(descriptor);
    return copy;
}

int file_number_exactly(int number, int descriptor)
{
    if (number == descriptor)
        return number;
    int copy = copy_above(descriptor, number);
    if (copy == number) {
        close(descriptor);
        return number;
    }
    if (copy >= 0) {
        close(copy);
        errno = EEXIST;
    }
    return -1;
}
