/* shm_in.c - links from other tasks: reading them, and giving bodies back. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ck/ports/shm/shm.h"
#include "ck/base/cancel.h"
#include "ck/base/descriptor.h"
#include "ck/ports/shm/shm_socket.h"
#include "core/references.h"

/* The mappings and the socket of a link stay as long as the body of a message is in use. */
static void shm_in_release(struct shm_in *in)
{
    if (!references_drop(&in->references))
        return;
    HOLD_OFF_CANCELLATION; /* a call that begins a message does not */
    shm_untie(in);
    for (int i = 0; i < ARENA_FILES; i++)
        if (in->files[i].base)
            munmap((void *)(uintptr_t)in->files[i].base, in->files[i].size);
    if (in->area)
        munmap(in->area, sizeof *in->area);
    free(in);
}

static void shm_body_dispose(struct chunk *chunk)
{
    struct shm_body *body = (struct shm_body *)(void *)chunk;
    struct pool *home = chunk->home;
    ring_give_back(body->link->area, body->cookie);
    shm_in_release(body->link);
    if (!pool_give(home, body))
        free(body);
}

/* The chunk of a message whose body lies with the peer; nobody writes there. */
static struct shm_body *shm_body_new(struct shm_in *in, uint32_t cookie)
{
    struct shm_body *body = pool_take(&in->shared->bodies);
    if (!body)
        body = malloc(sizeof *body);
    if (!body)
        return NULL;
    references_start(&body->chunk.references, 1);
    body->chunk.foreign = true;
    body->chunk.dispose = shm_body_dispose;
    body->chunk.home = &in->shared->bodies;
    body->chunk.data = NULL;
    body->chunk.capacity = 0;
    body->link = in;
    body->cookie = cookie;
    references_hold(&in->references);
    return body;
}

/* Reading a ring. ------------------------------------------------------------------------------ */

/* True when the letter gave us the file that it speaks of. */
static bool shm_in_take_file(struct shm_in *in, const struct shm_letter *letter, int descriptor)
{
    if (letter->value >= ARENA_FILES || in->files[letter->value].base ||
        letter->size < ARENA_FILE_LEAST || letter->size > ARENA_FILE_MOST ||
        !arena_is_file(descriptor, letter->size))
        return false;
    const unsigned char *base = arena_map(descriptor, letter->size, false);
    in->files[letter->value].base = base;
    in->files[letter->value].size = letter->size;
    return base != NULL;
}

bool shm_in_hear_file(struct shm_in *in, bool *ended)
{
    struct shm_letter letter;
    int descriptors[SHM_DESCRIPTORS];
    int count;
    enum shm_socket_result result = shm_socket_receive(in->socket, &letter, descriptors, &count);
    bool taken = result == SHM_SOCKET_LETTER && letter.kind == SHM_FILE && count == 1 &&
                 shm_in_take_file(in, &letter, descriptors[0]);
    while (count > 0)
        close(descriptors[--count]);
    *ended = result != SHM_SOCKET_NOTHING && !taken;
    return taken;
}

/* A file that the peer speaks of it has sent before. */
static bool shm_in_has_file(struct shm_in *in, uint32_t number)
{
    bool ended = false;
    if (number >= ARENA_FILES)
        return false;
    while (!in->files[number].base && in->socket >= 0 && shm_in_hear_file(in, &ended))
        continue;
    return in->files[number].base != NULL;
}

/* Adds what the extent tells of, if it lies in its file. False otherwise, or without memory. */
static bool shm_in_append(struct shm_in *in, struct message *message, struct chunk *chunk,
                          struct ring_extent extent)
{
    bool run = extent.count > 1 && extent.length % MESSAGE_RUN_UNIT == 0;
    if (extent.length == 0 ||
        (!run && extent.count > RING_SEGMENTS_MOST - message->segment_count) ||
        !shm_in_has_file(in, extent.file) ||
        extent.offset + (uint64_t)extent.length * extent.count > in->files[extent.file].size)
        return false;
    /* The map is read-only; a segment's pointer serves all kinds. */
    unsigned char *data = (unsigned char *)(uintptr_t)in->files[extent.file].base + extent.offset;
    if (run)
        return message_append_run(message, chunk, data, (size_t)extent.length * extent.count,
                                  extent.length) == 0;
    for (uint32_t i = 0; i < extent.count; i++, data += extent.length)
        if (message_append(message, chunk, data, extent.length) < 0)
            return false;
    return true;
}

static struct message *shm_in_long_message(struct endpoint *endpoint, struct shm_in *in,
                                           const struct ring_record *record)
{
    struct shm_body *body = shm_body_new(in, record->cookie);
    struct message *message =
        body ? message_new_from(&endpoint->engine->messages, MESSAGE_XDR, MESSAGE_FRAGMENT_DEFAULT)
             : NULL;
    bool whole = message != NULL;
    for (unsigned i = 0; i < record->count && whole; i++)
        whole = shm_in_append(in, message, &body->chunk, ring_extent_at(&in->reader, i));
    chunk_release(body ? &body->chunk : NULL);
    if (!whole) {
        message_free(message);
        return NULL;
    }
    host_message_head(message, in->peer, endpoint->own, &record->header);
    return message;
}

/* Goes on in another run of the ring. False when that does not lie in a file of the peer. */
static bool shm_in_jump(struct shm_in *in)
{
    const struct ring_extent place = ring_extent_at(&in->reader, 0);
    const void *run = NULL;
    if (place.file != RING_HOME) {
        if (place.offset % RING_SLOT_SIZE != 0 || !shm_in_has_file(in, place.file) ||
            place.offset + (uint64_t)RING_RUN_SIZE > in->files[place.file].size)
            return false;
        run = in->files[place.file].base + place.offset;
    }
    ring_follow(&in->reader, run);
    return true;
}

static struct message *shm_in_message(struct endpoint *endpoint, struct shm_in *in,
                                      const struct ring_record *record)
{
    if (record->kind == RING_LONG_MESSAGE)
        return shm_in_long_message(endpoint, in, record);
    unsigned char *body;
    struct message *message =
        host_message_short(&endpoint->engine->messages, in->peer, endpoint->own, &record->header,
                           record->count, &body);
    if (message && record->count > 0)
        ring_copy_body(&in->reader, record, body);
    return message;
}

void shm_in_hang_up(struct shm_in *in)
{
    if (in->shm->listening) /* otherwise it is out of the set already, which may be gone */
        shm_unwatch(in->shared, in->socket);
    if (shm_socket_is_left(in->socket))
        descriptor_close(&in->socket);
    else
        shm_tie(in);
}

/* No more is read; messages that the program has stay. */
void shm_in_remove(struct endpoint *endpoint, struct shm_in *in)
{
    struct shm *shm = shm_of(endpoint);
    if (in->socket >= 0)
        shm_in_hang_up(in);
    if (in->area)
        atomic_store(&in->area->use, RING_LEFT);
    lock_acquire(&endpoint->waiting->lock);
    struct shm_in **place = &shm->in;
    while (*place != in)
        place = &(*place)->next;
    *place = in->next;
    if (in->record)
        peers_set_from(&endpoint->peers, in->record, NULL);
    shm_in_forget(endpoint, in);
    lock_release(&endpoint->waiting->lock);
    shm_drop_gap(shm, in);
    shm_late_part(shm, in);
    shm_in_release(in);
}

/* Takes in what a slot tells of. False when it makes no sense, or there is no memory for it. */
static bool shm_in_take(struct endpoint *endpoint, struct shm_in *in,
                        const struct ring_record *record)
{
    struct message *message = NULL;
    bool whole = true;
    if (record->kind == RING_JUMP) {
        if (!shm_in_jump(in))
            return false;
        shm_in_await(in);
        return true;
    }
    if (record->kind == RING_MARKER) {
        in->current = false;
        shm_in_is_away(in, true);
    } else if (record->kind == RING_BROKEN) {
        return false;
    } else if (record->kind == RING_LANDED_MESSAGE) {
        if (!shm_in_land(endpoint, in, record))
            return false;
    } else if (!(message = shm_in_message(endpoint, in, record))) {
        return false;
    } else if (shm_in_land_ahead(endpoint, in, record, message, &whole)) {
        message = NULL;
        if (!whole)
            return false;
    } else { /* while it stands in the ring nobody claims memory that may be lent for it */
        rendezvous_yield(&in->area->rendezvous, &message->header);
    }
    ring_skip(&in->reader, record);
    shm_in_await(in);
    if (!message)
        return true;
    in->urgent += dialect_is_urgent(endpoint->owner.dialect, &message->header);
    endpoint_take_one(endpoint, message);
    return true;
}

/* A link that makes no sense is removed, but not while its peer may write to a receive of ours. */
bool shm_in_read(struct endpoint *endpoint, struct shm_in *in, unsigned most)
{
    struct ring_record record;
    bool happened = false;
    while (in->current && most-- > 0 && ring_look(&in->reader, &record) != RING_NOTHING) {
        happened = true;
        if (!shm_in_take(endpoint, in, &record)) {
            endpoint->owner.dropped(endpoint->owner.owner,
                                    "shared memory with a task is given up, because what is there "
                                    "makes no sense, or there is no memory for it");
            atomic_store(&in->area->use, RING_LEFT);
            in->current = false;
            shm_in_await(in);
            shm_in_is_away(in, false);
            if (shm_in_give_up(endpoint, in))
                shm_in_remove(endpoint, in);
            return false;
        }
    }
    return happened;
}

/*
 * After the end of the socket nothing is written any more: a ring that has been read needs no
 * fence, and everything that went elsewhere is counted.
 */
void shm_in_check_end(struct endpoint *endpoint, struct shm_in *in)
{
    bool read = in->given_up || ring_is_empty(&in->reader);
    if (in->socket < 0 && read && !shm_in_lacks(in))
        shm_in_remove(endpoint, in);
}
