#include "mpi/windows/shared.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define CACHE_LINE 64

union shared_part {
    pthread_mutex_t lock;
    char line[2 * CACHE_LINE]; /* so that nobody waits for a neighbour's lock */
};

struct shared {
    union shared_part *parts; /* of the members; the memory is behind them */
    size_t head;
    size_t size; /* of both */
};

/* The bytes of the locks, in whole pages. */
static size_t shared_head(int members)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return ((size_t)members * sizeof(union shared_part) + page - 1) / page * page;
}

static bool shared_make_locks(struct shared *shared, int members)
{
    pthread_mutexattr_t kind;
    bool made = pthread_mutexattr_init(&kind) == 0 &&
                pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED) == 0 &&
                pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST) == 0;
    for (int i = 0; made && i < members; i++)
        made = pthread_mutex_init(&shared->parts[i].lock, &kind) == 0;
    pthread_mutexattr_destroy(&kind);
    return made;
}

int shared_file(int members, size_t size)
{
    int descriptor = memfd_create("mpi window", MFD_CLOEXEC);
    if (descriptor < 0)
        return -1;
    struct shared *shared = ftruncate(descriptor, (off_t)(shared_head(members) + size)) == 0
                                ? shared_map(descriptor, members, size)
                                : NULL;
    bool made = shared && shared_make_locks(shared, members);
    if (shared)
        shared_unmap(shared);
    if (made)
        return descriptor;
    close(descriptor);
    return -1;
}

int shared_open(pid_t process, int descriptor)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)process, descriptor);
    return open(path, O_RDWR | O_CLOEXEC);
}

struct shared *shared_map(int descriptor, int members, size_t size)
{
    struct shared *shared = malloc(sizeof *shared);
    if (!shared)
        return NULL;
    shared->head = shared_head(members);
    shared->size = shared->head + size;
    void *memory = mmap(NULL, shared->size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    shared->parts = memory;
    if (memory != MAP_FAILED)
        return shared;
    free(shared);
    return NULL;
}

void shared_unmap(struct shared *shared)
{
    munmap(shared->parts, shared->size);
    free(shared);
}

char *shared_memory(const struct shared *shared)
{
    return (char *)shared->parts + shared->head;
}

void shared_lock(struct shared *shared, int member)
{
    pthread_mutex_t *lock = &shared->parts[member].lock;
    if (pthread_mutex_lock(lock) == EOWNERDEAD)
        pthread_mutex_consistent(lock);
}

void shared_unlock(struct shared *shared, int member)
{
    pthread_mutex_unlock(&shared->parts[member].lock);
}
