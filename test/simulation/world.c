/* world.c - a heap of events, a generator of numbers, and the trace. */
#include "world.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HASH_START 14695981039346656037u
#define HASH_PRIME 1099511628211u
#define LINE_SIZE  1024

/* 1 is never a task. */
#define FIRST_PROCESS 1000

struct world world;

void world_start(uint64_t seed, bool shown)
{
    world = (struct world){.seed = seed,
                           .random = seed * 2 + 1,
                           .trace = HASH_START,
                           .shown = shown,
                           .processes_made = FIRST_PROCESS,
                           .now = 1000 * (int64_t)SECOND};
}

void world_finish(void)
{
    while (world.count > 0)
        free(world.heap[--world.count]);
    free(world.heap);
    world.heap = NULL;
    world.room = 0;
}

/* SplitMix64, of G. L. Steele, D. Lea, C. H. Flood: Fast Splittable Generators, 2014. */
static uint64_t world_next(void)
{
    uint64_t word = world.random += 0x9e3779b97f4a7c15u;
    word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9u;
    word = (word ^ word >> 27) * 0x94d049bb133111ebu;
    return word ^ word >> 31;
}

uint64_t world_draw(uint64_t limit)
{
    return world_next() % limit;
}

bool world_chance(unsigned parts)
{
    return world_draw(10000) < parts;
}

void *world_allocate(size_t size)
{
    void *memory = calloc(1, size);
    if (!memory) {
        fprintf(stderr, "simulation: no memory\n");
        exit(2);
    }
    return memory;
}

uint64_t world_hash(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ at[i]) * HASH_PRIME;
    return hash;
}

static bool world_is_before(const struct event *one, const struct event *other)
{
    return one->time != other->time ? one->time < other->time : one->number < other->number;
}

static void world_swap(size_t one, size_t other)
{
    struct event *event = world.heap[one];
    world.heap[one] = world.heap[other];
    world.heap[other] = event;
}

void world_plan(struct event *event, int64_t after, void (*happen)(struct event *event))
{
    if (world.count == world.room) {
        world.room = world.room ? 2 * world.room : 1024;
        world.heap = realloc(world.heap, world.room * sizeof(struct event *));
        if (!world.heap)
            exit(2);
    }
    *event = (struct event){world.now + after, world.events++, happen};
    size_t place = world.count++;
    world.heap[place] = event;
    for (; place > 0 && world_is_before(event, world.heap[(place - 1) / 2]);
         place = (place - 1) / 2)
        world_swap(place, (place - 1) / 2);
}

static struct event *world_take(void)
{
    struct event *first = world.heap[0];
    world.heap[0] = world.heap[--world.count];
    for (size_t place = 0, child; (child = 2 * place + 1) < world.count; place = child) {
        if (child + 1 < world.count && world_is_before(world.heap[child + 1], world.heap[child]))
            child++;
        if (!world_is_before(world.heap[child], world.heap[place]))
            break;
        world_swap(place, child);
    }
    return first;
}

static void world_step(void)
{
    struct event *event = world_take();
    world.now = event->time;
    event->happen(event);
}

bool world_run_while(bool (*goes_on)(void))
{
    while (!world.failed && world.count > 0 && goes_on())
        world_step();
    return !world.failed && world.count > 0;
}

void world_run_until(int64_t time)
{
    while (!world.failed && world.count > 0 && world.heap[0]->time <= time)
        world_step();
    if (!world.failed)
        world.now = time;
}

static void __attribute__((format(printf, 1, 0))) world_put(const char *format, va_list arguments)
{
    char line[LINE_SIZE];
    int start = snprintf(line, sizeof line, "%" PRId64 ".%06" PRId64 " ", world.now / SECOND,
                         world.now % SECOND);
    vsnprintf(line + start, sizeof line - (size_t)start, format, arguments);
    world.trace = world_hash(world.trace, line, strlen(line));
    if (world.shown)
        puts(line);
}

void world_tell(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    world_put(format, arguments);
    va_end(arguments);
}

void world_violate(const char *format, ...)
{
    va_list arguments;
    if (world.failed)
        return;
    world.failed = true;
    va_start(arguments, format);
    printf("seed %" PRIu64 ", after %" PRId64 ".%06" PRId64 " s: ", world.seed,
           world.now / SECOND - 1000, world.now % SECOND);
    vprintf(format, arguments);
    putchar('\n');
    fflush(stdout);
    va_end(arguments);
}
