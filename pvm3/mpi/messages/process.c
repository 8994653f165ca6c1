/* process.c - MPI_Init and MPI_Finalize. */
#include "mpi/messages/process.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "mpi/messages/buffer.h"
#include "mpi/messages/messages.h"
#include "mpi/messages/work.h"
#include "mpi/messages/world.h"
#include "mpi/objects/attributes.h"
#include "mpi/objects/communicator.h"
#include "mpi/objects/deaths.h"
#include "mpi/objects/error_handler.h"

/* A tag that no collective operation uses: the barrier of MPI_Finalize. */
#define FAREWELL INT_MAX

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    int begun; /* how often; the parts that need the virtual machine are there */
    bool made; /* the world stays until the process ends */
    bool initialized;
    bool finalized;
    pthread_t main_thread;
    int level;
    uint32_t spawner;
    struct communicator *parent;
} process;

/* The predefined communicators. ---------------------------------------------------------------- */

static struct communicator *process_make_communicator(const uint32_t *tids, int size, int rank,
                                                      uint32_t context, const char *name)
{
    struct group *group = group_new(size);
    if (!group)
        return NULL;
    for (int i = 0; i < size; i++)
        group->tids[i] = tids[i];
    group->rank = rank;
    struct communicator *made = communicator_new(group, NULL, context, NULL);
    if (made)
        snprintf(made->name, sizeof made->name, "%s", name);
    return made;
}

static void process_publish(const struct world *world)
{
    attribute_publish(MPI_TAG_UB, INT_MAX - 1);
    attribute_publish(MPI_IO, MPI_ANY_SOURCE);
    attribute_publish(MPI_HOST, MPI_PROC_NULL);
    attribute_publish(MPI_WTIME_IS_GLOBAL, 0);
    attribute_publish(MPI_UNIVERSE_SIZE, world->size);
    if (world->part >= 0)
        attribute_publish(MPI_APPNUM, world->part);
}

static int process_make_world(void)
{
    struct world world;
    int error = world_find(&world);
    if (error != MPI_SUCCESS)
        return error;
    struct communicator *all = process_make_communicator(world.tids, world.size, world.rank,
                                                         CONTEXT_WORLD, "MPI_COMM_WORLD");
    struct communicator *self =
        process_make_communicator(&world.tids[world.rank], 1, 0, CONTEXT_SELF, "MPI_COMM_SELF");
    free(world.tids);
    if (!all || !self)
        return MPI_ERR_NO_MEM;
    communicator_set_predefined(all, self);
    deaths_watch(all->group->tids, all->group->size);
    process_publish(&world);
    process.spawner = world.spawner;
    return MPI_SUCCESS;
}

static void process_end_all(MPI_Comm communicator, int code)
{
    if (communicator == MPI_COMM_NULL) {
        fflush(NULL);
        _exit(code);
    }
    process_abort(code);
}

static bool process_is_made(void)
{
    pthread_mutex_lock(&lock);
    bool made = process.made;
    pthread_mutex_unlock(&lock);
    return made;
}

int process_begin(void)
{
    error_handler_set_end(process_end_all);
    int error = process_is_made() ? MPI_SUCCESS : world_enrol();
    if (error != MPI_SUCCESS)
        return error;
    pthread_mutex_lock(&lock);
    if (!process.made) {
        error = process_make_world();
        process.made = error == MPI_SUCCESS;
    }
    if (error == MPI_SUCCESS)
        process.begun++;
    pthread_mutex_unlock(&lock);
    return error;
}

/*
 * All ranks have come, so that none has more to send: each round doubles of whom one knows. Nobody
 * waits for the dead.
 */
static void process_part(const struct communicator *all)
{
    const struct items nothing = {NULL, 0, NULL};
    int size = all->group->size;
    for (int far = 1; far < size; far *= 2) {
        struct channel to = {.communicator = (struct communicator *)all,
                             .rank = (all->rank + far) % size,
                             .tag = FAREWELL,
                             .which = CONTEXT_COLLECTIVES};
        struct channel from = to;
        from.rank = (all->rank - far + size) % size;
        message_exchange(&to, &nothing, &from, &nothing, NULL);
    }
}

void process_end(void)
{
    pthread_mutex_lock(&lock);
    bool last = --process.begun == 0;
    pthread_mutex_unlock(&lock);
    if (last)
        work_drain();
}

bool process_is_initialized(void)
{
    pthread_mutex_lock(&lock);
    bool initialized = process.initialized;
    pthread_mutex_unlock(&lock);
    return initialized;
}

bool process_is_finalized(void)
{
    pthread_mutex_lock(&lock);
    bool finalized = process.finalized;
    pthread_mutex_unlock(&lock);
    return finalized;
}

int process_init(int wanted, int *provided)
{
    if (process_is_initialized())
        return MPI_ERR_OTHER;
    int error = process_begin();
    if (error != MPI_SUCCESS)
        return error;
    pthread_mutex_lock(&lock);
    process.initialized = true;
    process.main_thread = pthread_self();
    process.level = wanted;
    pthread_mutex_unlock(&lock);
    *provided = wanted;
    return MPI_SUCCESS;
}

int process_finalize(void)
{
    struct communicator *all = communicator_of(MPI_COMM_WORLD);
    struct communicator *self = communicator_of(MPI_COMM_SELF);
    if (!process_is_initialized() || process_is_finalized() || !all)
        return MPI_ERR_OTHER;
    attributes_clear(&self->attributes, OBJECT_COMM, MPI_COMM_SELF);
    send_buffer_flush(send_buffer_of_process());
    process_part(all);
    deaths_part(all->group);
    process_end();
    pthread_mutex_lock(&lock);
    process.finalized = true;
    pthread_mutex_unlock(&lock);
    return MPI_SUCCESS;
}

uint32_t process_spawner(void)
{
    pthread_mutex_lock(&lock);
    uint32_t spawner = process.spawner;
    pthread_mutex_unlock(&lock);
    return spawner;
}

void process_set_parent(struct communicator *parent)
{
    pthread_mutex_lock(&lock);
    process.parent = parent;
    pthread_mutex_unlock(&lock);
}

struct communicator *process_parent(void)
{
    pthread_mutex_lock(&lock);
    struct communicator *parent = process.parent;
    pthread_mutex_unlock(&lock);
    return parent;
}

void process_forget_parent(const struct communicator *communicator)
{
    if (process_parent() == communicator)
        process_set_parent(NULL);
}

bool process_is_main_thread(void)
{
    pthread_mutex_lock(&lock);
    bool is_main = process.initialized && pthread_equal(process.main_thread, pthread_self());
    pthread_mutex_unlock(&lock);
    return is_main;
}

int process_thread_level(void)
{
    pthread_mutex_lock(&lock);
    int level = process.level;
    pthread_mutex_unlock(&lock);
    return level;
}

void process_abort(int code)
{
    fflush(NULL);
    world_abort(code);
    _exit(code);
}
