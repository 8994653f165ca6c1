/* shm_load.c - bodies in the arena, which rings tell of, and the files that peers read. */
#include <stdlib.h>
#include <string.h>

#include "ck/ports/shm/shm.h"
#include "ck/ports/shm/shm_socket.h"
#include "core/annotate.h"
#include "core/references.h"

struct shm_load *shm_load_hold(struct shm_load *load)
{
    if (load)
        references_hold(&load->references);
    return load;
}

void shm_load_release(struct shm_load *load)
{
    if (!load || !references_drop(&load->references))
        return;
    for (unsigned i = 0; i < load->chunk_count; i++)
        chunk_release(load->chunks[i]);
    if (load->extents != load->few_extents) {
        free(load->extents);
        free(load->chunks);
    }
    ANNOTATE_RENEWED(load, sizeof *load);
    if (!pool_give(load->home, load))
        free(load);
}

static struct shm_load *shm_load_new(struct shm_shared *shared)
{
    struct shm_load *load = pool_take(&shared->loads);
    if (!load)
        load = malloc(sizeof *load);
    if (!load)
        return NULL;
    references_start(&load->references, 1);
    load->home = &shared->loads;
    load->extent_count = load->chunk_count = 0;
    load->files = 0;
    load->extents = load->few_extents;
    load->chunks = load->few_chunks;
    return load;
}

/* More room than few bodies need: as much as the ring can tell of. */
static bool shm_load_grow(struct shm_load *load)
{
    if (load->extents != load->few_extents)
        return load->extent_count < RING_EXTENTS_MOST;
    struct ring_extent *extents = malloc(RING_EXTENTS_MOST * sizeof *extents);
    struct chunk **chunks = malloc(RING_EXTENTS_MOST * sizeof(struct chunk *));
    if (!extents || !chunks) {
        free(extents);
        free(chunks);
        return false;
    }
    memcpy(extents, load->few_extents, sizeof load->few_extents);
    memcpy(chunks, load->few_chunks, sizeof load->few_chunks);
    load->extents = extents;
    load->chunks = chunks;
    return true;
}

/* Adds `count` fragments in a chunk of the arena, to the last extent if it can. */
static bool shm_load_add_extent(const struct shm_shared *shared, struct shm_load *load,
                                struct chunk *chunk, const unsigned char *data, size_t length,
                                size_t count)
{
    struct ring_extent next = {.length = (uint32_t)length, .count = (uint32_t)count};
    arena_locate(&shared->arena, chunk, data, &next.file, &next.offset);
    struct ring_extent *last = load->extent_count ? &load->extents[load->extent_count - 1] : NULL;
    if (last && last->file == next.file && last->length == next.length &&
        last->offset + (uint64_t)last->length * last->count == next.offset &&
        load->chunks[load->chunk_count - 1] == chunk) {
        last->count += next.count;
        return true;
    }
    if (load->extent_count >= RING_EXTENTS && !shm_load_grow(load))
        return false;
    load->extents[load->extent_count++] = next;
    load->files |= 1u << next.file;
    if (load->chunk_count == 0 || load->chunks[load->chunk_count - 1] != chunk)
        load->chunks[load->chunk_count++] = chunk_hold(chunk);
    return true;
}

/* Adds a segment whose bytes are at `data` in a chunk of the arena. */
static bool shm_load_add(const struct shm_shared *shared, struct shm_load *load,
                         struct chunk *chunk, const unsigned char *data,
                         const struct segment *segment)
{
    size_t fragment = segment->fragment ? segment->fragment : segment->length;
    size_t rest = segment->length % fragment;
    size_t whole = segment->length - rest;
    return (whole == 0 ||
            shm_load_add_extent(shared, load, chunk, data, fragment, whole / fragment)) &&
           (rest == 0 || shm_load_add_extent(shared, load, chunk, data + whole, rest, 1));
}

/* Shows the receiver where the body will lie. */
static void shm_load_show(const struct shm_shared *shared, const struct chunk *chunk,
                          struct shm_ahead *ahead)
{
    uint32_t file, offset;
    arena_locate(&shared->arena, chunk, chunk->data, &file, &offset);
    shm_ahead_show(ahead, file, offset);
}

/*
 * Copies into the arena the segments from `first` on that are not there, up to the next one that
 * is. How many, or 0 when there is no room.
 */
static size_t shm_load_copy(struct shm_shared *shared, struct shm_load *load,
                            const struct message *message, size_t first, struct shm_ahead *ahead)
{
    size_t end = first, length = 0;
    while (end < message->segment_count &&
           !(message->segments[end].chunk &&
             message->segments[end].chunk->home == &shared->arena.maker))
        length += message->segments[end++].length;
    struct chunk *chunk = shared->arena.maker.make(&shared->arena.maker, length);
    if (!chunk)
        return 0;
    unsigned char *data = chunk->data;
    bool added = true;
    if (ahead)
        shm_load_show(shared, chunk, ahead);
    for (size_t i = first; i < end && added; i++) {
        const struct segment *segment = &message->segments[i];
        if (segment->length == 0)
            continue;
        if (ahead)
            shm_ahead_place(ahead, data, segment->data, segment->length);
        else
            memcpy(data, segment->data, segment->length);
        added = shm_load_add(shared, load, chunk, data, segment);
        data += segment->length;
    }
    chunk_release(chunk);
    return added ? end - first : 0;
}

struct shm_load *shm_load_of(struct shm_shared *shared, const struct message *message,
                             struct shm_ahead *ahead)
{
    struct shm_load *load = NULL;
    if (message->segment_count <= RING_SEGMENTS_MOST)
        load = shm_load_new(shared);
    size_t done = 0;
    while (load && done < message->segment_count) {
        const struct segment *segment = &message->segments[done];
        size_t some = 1;
        if (segment->length > 0) {
            if (!segment->chunk || segment->chunk->home != &shared->arena.maker)
                some = shm_load_copy(shared, load, message, done, ahead);
            else if (!shm_load_add(shared, load, segment->chunk, segment->data, segment))
                some = 0;
        }
        if (some == 0) {
            shm_load_release(load);
            load = NULL;
        }
        done += some;
    }
    return load;
}

bool shm_out_give_files(const struct shm_shared *shared, struct shm_out *out, uint32_t files)
{
    for (uint32_t left = files & ~out->files; left; left &= left - 1) {
        uint32_t number = (uint32_t)__builtin_ctz(left);
        const struct arena_file *file = &shared->arena.files[number];
        const struct shm_letter letter = {
            .version = SHM_VERSION, .kind = SHM_FILE, .value = number, .size = file->size};
        if (!shm_socket_send(out->socket, &letter, &file->descriptor, 1))
            return false;
        out->files |= 1u << number;
    }
    return true;
}
