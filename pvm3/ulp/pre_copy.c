/* pre_copy.c - rounds that end when one has little to send. */
#include "ulp/pre_copy.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/task/own_program.h"
#include "ulp/heap.h"
#include "ulp/image.h"
#include "ulp/region.h"
#include "ulp/written.h"

/* A heap with less is sent in about the time that it takes to stop the process twice. */
#define HEAP_LEAST ((size_t)1 << 20)

/* When the process stops: after so many rounds, or when a round has sent no more than this. */
#define ROUNDS_MOST 5
#define ROUND_LEAST ((size_t)64 << 10)

struct pre_copy {
    struct pre_copy_way way;
    struct written written;
    void *order; /* that is put off */
    pthread_t thread;
    bool ended; /* the connection has */
};

static bool pre_copy_put_round(const struct pre_copy *copy, size_t *bytes)
{
    const struct region *region = copy->way.region;
    const int connection = copy->way.connection;
    const struct written *written = &copy->written;
    unsigned char *heap = heap_end(region->heap), *from, *end;
    bool put = cargo_put_round(connection, heap) &&
               cargo_put_ahead(connection, written, copy->way.stack, region_program_stack(region),
                               bytes) &&
               cargo_put_ahead(connection, written, region->rest, heap, bytes);
    for (int at = 0; put && image_next_variables(copy->way.image, &at, &from, &end);)
        put = cargo_put_ahead(connection, written, from, end, bytes);
    return put && cargo_put_end(connection);
}

static void *pre_copy_run(void *memory)
{
    struct pre_copy *copy = memory;
    size_t bytes = ROUND_LEAST + 1;
    for (int round = 0; !copy->ended && round < ROUNDS_MOST && bytes > ROUND_LEAST; round++) {
        bytes = 0;
        copy->ended = !pre_copy_put_round(copy, &bytes);
    }
    own_program_call_in(copy->order);
    return NULL;
}

/* Signals are for other threads. */
static bool pre_copy_start(struct pre_copy *copy)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&copy->thread, NULL, pre_copy_run, copy) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

/* It is called in at once if nothing can go ahead. */
static bool pre_copy_put_off(struct pre_copy *copy)
{
    heap_keep_pages(copy->way.region->heap, true);
    copy->order = own_program_put_off();
    if (pre_copy_start(copy))
        return true;
    own_program_call_in(copy->order);
    heap_keep_pages(copy->way.region->heap, false);
    return false;
}

struct pre_copy *pre_copy_begin(const struct pre_copy_way *way)
{
    const struct region *region = way->region;
    if ((size_t)(heap_end(region->heap) - region->rest) < HEAP_LEAST)
        return NULL;
    struct pre_copy *copy = calloc(1, sizeof *copy);
    if (!copy)
        return NULL;
    copy->way = *way;
    if (written_begin(&copy->written, region->stack, region->limit)) {
        if (pre_copy_put_off(copy))
            return copy;
        written_finish(&copy->written);
    }
    free(copy);
    return NULL;
}

bool pre_copy_take_up(struct pre_copy *copy, struct pre_copy_way *way)
{
    pthread_join(copy->thread, NULL);
    heap_keep_pages(copy->way.region->heap, false);
    *way = copy->way;
    return !copy->ended;
}

const struct written *pre_copy_written(const struct pre_copy *copy)
{
    return &copy->written;
}

void pre_copy_finish(struct pre_copy *copy)
{
    written_finish(&copy->written);
    free(copy);
}

void pre_copy_abandon(struct pre_copy *copy)
{
    shutdown(copy->way.connection, SHUT_RDWR);
    pthread_join(copy->thread, NULL);
    close(copy->way.connection);
    pre_copy_finish(copy);
}
