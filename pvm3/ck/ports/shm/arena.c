/* arena.c - memory files, and blocks in them by halves. */
#include "ck/ports/shm/arena.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ck/base/cancel.h"
#include "core/annotate.h"
#include "core/references.h"
#include "core/system.h"

/* Smaller blocks are not worth the call that gives them back. */
#define GIVEN_BACK_ORDER 4

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

int arena_make_file(const char *name, size_t size)
{
    int descriptor = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (descriptor < 0)
        return -1;
    if (ftruncate(descriptor, (off_t)size) == 0 && fcntl(descriptor, F_ADD_SEALS, SEALS) == 0)
        return descriptor;
    close(descriptor);
    return -1;
}

bool arena_is_file(int descriptor, size_t size)
{
    struct stat status;
    int seals = fcntl(descriptor, F_GET_SEALS);
    return seals >= 0 && (seals & F_SEAL_SHRINK) && fstat(descriptor, &status) == 0 &&
           status.st_size == (off_t)size;
}

void *arena_map(int descriptor, size_t size, bool writable)
{
    int protection = writable ? PROT_READ | PROT_WRITE : PROT_READ;
    void *memory = mmap(NULL, size, protection, MAP_SHARED, descriptor, 0);
    if (memory == MAP_FAILED)
        return NULL;
    madvise(memory, size, MADV_DONTFORK);
    return memory;
}

static size_t arena_block_size(int order)
{
    return ARENA_BLOCK_LEAST << order;
}

static void arena_list(struct arena *arena, struct arena_place *place, int order)
{
    place->order = (unsigned char)order;
    place->free = true;
    place->previous = NULL;
    place->next = arena->free[order];
    if (place->next)
        place->next->previous = place;
    arena->free[order] = place;
}

static void arena_unlist(struct arena *arena, struct arena_place *place)
{
    place->free = false;
    *(place->previous ? &place->previous->next : &arena->free[place->order]) = place->next;
    if (place->next)
        place->next->previous = place->previous;
}

static size_t arena_index(const struct arena *arena, const struct arena_place *place)
{
    return (size_t)(place - arena->files[place->file].places);
}

/* Takes a free block, and splits it down to `order`. NULL when no file has one. With the lock. */
static struct arena_place *arena_split(struct arena *arena, int order)
{
    int larger = order;
    while (larger < ARENA_ORDERS && !arena->free[larger])
        larger++;
    if (larger == ARENA_ORDERS)
        return NULL;
    struct arena_place *place = arena->free[larger];
    arena_unlist(arena, place);
    while (larger > order) {
        larger--;
        arena_list(arena, place + ((size_t)1 << larger), larger);
    }
    place->order = (unsigned char)order;
    return place;
}

/*
 * Lists a free block, joined with its other half as long as the other half is free. With the lock.
 */
static void arena_merge(struct arena *arena, struct arena_place *place)
{
    const struct arena_file *file = &arena->files[place->file];
    int order = place->order;
    while (arena_block_size(order) < file->size) {
        struct arena_place *other = &file->places[arena_index(arena, place) ^ ((size_t)1 << order)];
        if (!other->free || other->order != order)
            break;
        arena_unlist(arena, other);
        if (other < place)
            place = other;
        order++;
    }
    arena_list(arena, place, order);
}

/* True when there were any blocks that had not been put together yet. With the lock. */
static bool arena_merge_recent(struct arena *arena)
{
    bool any = false;
    for (int order = 0; order < ARENA_ORDERS; order++) {
        while (arena->recent[order]) {
            struct arena_place *place = arena->recent[order];
            arena->recent[order] = place->next;
            arena_merge(arena, place);
            any = true;
        }
    }
    return any;
}

/* One more file, with room for a block of `least` bytes. False when there can be none. */
static bool arena_grow(struct arena *arena, size_t least)
{
    size_t size = ARENA_FILE_LEAST;
    while (size < arena->size || size < least)
        size *= 2;
    while (size > least && size > ARENA_FILE_LEAST && size > arena->limit - arena->size)
        size /= 2;
    if (arena->file_count == ARENA_FILES || size > ARENA_FILE_MOST ||
        size > arena->limit - arena->size)
        return false;
    struct arena_file *file = &arena->files[arena->file_count];
    file->descriptor = arena_make_file("pvm arena", size);
    if (file->descriptor < 0)
        return false;
    file->base = arena_map(file->descriptor, size, true);
    file->places = calloc(size / ARENA_BLOCK_LEAST, sizeof *file->places);
    if (!file->base || !file->places) {
        if (file->base)
            munmap(file->base, size);
        free(file->places);
        close(file->descriptor);
        return false;
    }
    file->size = size;
    file->used = 0;
    file->dirty = false;
    for (size_t i = 0; i < size / ARENA_BLOCK_LEAST; i++)
        file->places[i].file = (unsigned char)arena->file_count;
    int order = 0;
    while (arena_block_size(order) < size)
        order++;
    arena->file_count++;
    arena->size += size;
    arena_list(arena, file->places, order);
    return true;
}

/* A block of `order`; NULL when there is no memory for it. With the lock. */
static struct arena_place *arena_take(struct arena *arena, int order)
{
    struct arena_place *place = arena->recent[order];
    if (place)
        arena->recent[order] = place->next;
    else
        place = arena_split(arena, order);
    if (!place && arena_merge_recent(arena))
        place = arena_split(arena, order);
    if (!place && arena_grow(arena, arena_block_size(order)))
        place = arena_split(arena, order);
    if (!place)
        return NULL;
    struct arena_file *file = &arena->files[place->file];
    file->used += arena_block_size(order);
    file->dirty = true;
    return place;
}

static void arena_dispose(struct chunk *chunk)
{
    struct arena *arena =
        (struct arena *)(void *)((char *)chunk->home - offsetof(struct arena, maker));
    struct arena_place *place =
        (struct arena_place *)(void *)((char *)chunk - offsetof(struct arena_place, chunk));
    ANNOTATE_UNUSED(chunk->data, chunk->capacity);
    lock_acquire(&arena->lock);
    arena->files[place->file].used -= arena_block_size(place->order);
    place->next = arena->recent[place->order];
    arena->recent[place->order] = place;
    lock_release(&arena->lock);
}

static struct chunk *arena_make(struct chunk_maker *maker, size_t capacity)
{
    struct arena *arena = (struct arena *)(void *)((char *)maker - offsetof(struct arena, maker));
    int order = 0;
    while (order < ARENA_ORDERS && arena_block_size(order) - ARENA_FRONT < capacity)
        order++;
    if (order == ARENA_ORDERS)
        return NULL;
    HOLD_OFF_CANCELLATION; /* a call that packs does not */
    lock_acquire(&arena->lock);
    struct arena_place *place = arena_take(arena, order);
    lock_release(&arena->lock);
    if (!place)
        return NULL;
    struct chunk *chunk = &place->chunk;
    references_start(&chunk->references, 1);
    chunk->foreign = true;
    chunk->dispose = arena_dispose;
    chunk->home = maker;
    const struct arena_file *file = &arena->files[place->file];
    chunk->data = file->base + arena_index(arena, place) * ARENA_BLOCK_LEAST + ARENA_FRONT;
    chunk->capacity = arena_block_size(order) - ARENA_FRONT;
    ANNOTATE_USED(chunk->data, chunk->capacity);
    return chunk;
}

void arena_start(struct arena *arena, size_t limit)
{
    memset(arena, 0, sizeof *arena);
    arena->maker.make = arena_make;
    atomic_init(&arena->maker.wanted, false);
    lock_init(&arena->lock, LOCK_ARENA);
    arena->limit = limit;
}

void arena_finish(struct arena *arena)
{
    for (int i = 0; i < arena->file_count; i++) {
        ANNOTATE_USED(arena->files[i].base, arena->files[i].size);
        munmap(arena->files[i].base, arena->files[i].size);
        close(arena->files[i].descriptor);
        free(arena->files[i].places);
    }
    lock_destroy(&arena->lock);
}

void arena_abandon(struct arena *arena)
{
    for (int i = 0; i < arena->file_count; i++) {
        ANNOTATE_USED(arena->files[i].base, arena->files[i].size); /* for what comes to lie there */
        close(arena->files[i].descriptor);
    }
    arena->file_count = 0;
}

void arena_locate(const struct arena *arena, const struct chunk *chunk, const unsigned char *data,
                  uint32_t *file, uint32_t *offset)
{
    const struct arena_place *place =
        (const struct arena_place *)(const void *)((const char *)chunk -
                                                   offsetof(struct arena_place, chunk));
    *file = place->file;
    *offset = (uint32_t)(data - arena->files[place->file].base);
}

bool arena_is_large(struct arena *arena)
{
    size_t size = 0;
    lock_acquire(&arena->lock);
    for (int i = 0; i < arena->file_count; i++)
        size += arena->files[i].dirty ? arena->files[i].size : 0;
    lock_release(&arena->lock);
    return size > ARENA_KEPT;
}

/* Takes the larger free blocks of a file out of the lists, into one of its own. With the lock. */
static struct arena_place *arena_take_free(struct arena *arena, const struct arena_file *file,
                                           struct arena_place *taken)
{
    const struct arena_place *end = file->places + file->size / ARENA_BLOCK_LEAST;
    for (struct arena_place *place = file->places; place < end;
         place += (size_t)1 << place->order) {
        if (!place->free || place->order < GIVEN_BACK_ORDER)
            continue;
        arena_unlist(arena, place);
        place->next = taken;
        taken = place;
    }
    return taken;
}

/* Gives the pages of a free block that is in no list to the system, and lists the block. */
static void arena_give_back_block(struct arena *arena, struct arena_place *place)
{
    fallocate(arena->files[place->file].descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
              (off_t)(arena_index(arena, place) * ARENA_BLOCK_LEAST),
              (off_t)arena_block_size(place->order));
    lock_acquire(&arena->lock);
    arena_merge(arena, place);
    lock_release(&arena->lock);
}

void arena_give_back(struct arena *arena)
{
    struct arena_place *taken = NULL;
    size_t kept = 0;
    lock_acquire(&arena->lock);
    arena_merge_recent(arena);
    for (int i = 0; i < arena->file_count; i++) {
        struct arena_file *file = &arena->files[i];
        if (file->dirty)
            kept += file->size;
        if (kept <= ARENA_KEPT || !file->dirty)
            continue;
        taken = arena_take_free(arena, file, taken);
        file->dirty = file->used > 0;
    }
    lock_release(&arena->lock);
    while (taken) {
        struct arena_place *next = taken->next;
        arena_give_back_block(arena, taken);
        taken = next;
    }
}
