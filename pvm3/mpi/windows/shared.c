#include "mpi/windows/shared.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mpi/windows/lock_queue.h"

#define CACHE_LINE 64

union shared_part {
    struct {
        pthread_mutex_t lock;
        struct lock_queue queue;
    };
    char line[2 * CACHE_LINE]; /* so that nobody waits for a neighbour's lock */
};

/* In the file: the parts of the members, the places at all queues, and the memory. */
struct shared {
    union shared_part *parts;
    struct lock_asker *places;
    int members;
    size_t head; /* bytes before the memory */
    size_t size; /* of all */
};

/* What stands before the memory, in whole pages. */
static size_t shared_head(int members)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), count = (size_t)members;
    size_t size = count * sizeof(union shared_part) + count * count * sizeof(struct lock_asker);
    return (size + page - 1) / page * page;
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
    shared->places = (struct lock_asker *)(void *)(shared->parts + members);
    shared->members = members;
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

struct lock_queue *shared_lock(struct shared *shared, int member)
{
    pthread_mutex_t *lock = &shared->parts[member].lock;
    if (pthread_mutex_lock(lock) == EOWNERDEAD)
        pthread_mutex_consistent(lock);
    return &shared->parts[member].queue;
}

void shared_unlock(struct shared *shared, int member)
{
    pthread_mutex_unlock(&shared->parts[member].lock);
}

struct lock_asker *shared_places(struct shared *shared, int member)
{
    return &shared->places[member * shared->members];
}
