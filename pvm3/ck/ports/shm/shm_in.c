/* shm_in.c - links from other tasks: being called, reading, and giving bodies back. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <unistd.h>

#include "ck/cancel.h"
#include "ck/ports/stream/direct.h"
#include "ck/endpoint.h"
#include "ck/ports/shm/shm_socket.h"
#include "core/references.h"
#include "core/tid.h"

#define READY_ROOM 16

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
static struct shm_body *shm_body_new(struct shm *shm, struct shm_in *in, uint32_t cookie)
{
    struct shm_body *body = pool_take(&shm->bodies);
    if (!body)
        body = malloc(sizeof *body);
    if (!body)
        return NULL;
    references_start(&body->chunk.references, 1);
    body->chunk.foreign = true;
    body->chunk.dispose = shm_body_dispose;
    body->chunk.home = &shm->bodies;
    body->chunk.data = NULL;
    body->chunk.capacity = 0;
    body->link = in;
    body->cookie = cookie;
    references_hold(&in->references);
    return body;
}

/* Reading a ring. ------------------------------------------------------------------------------ */

void shm_message_head(const struct endpoint *endpoint, struct message *message, uint32_t source,
                      const struct ring_header *header)
{
    ring_header_to(header, &message->header);
    message->header.source = source;
    message->header.destination = endpoint->own;
}

struct message *shm_short_message(struct endpoint *endpoint, const struct ring_header *header,
                                  uint32_t source, size_t size, unsigned char **body)
{
    struct message *message =
        message_new_from(&endpoint->messages, MESSAGE_XDR, MESSAGE_FRAGMENT_DEFAULT);
    *body = message && size > 0 ? message_append_room(message, size) : NULL;
    if (!message || (size > 0 && !*body)) {
        message_free(message);
        return NULL;
    }
    shm_message_head(endpoint, message, source, header);
    return message;
}

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

/* Reads one letter about files. False when there was none, or it ended the link. */
static bool shm_in_hear_file(struct shm_in *in, bool *ended)
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
    struct shm_body *body = shm_body_new(&endpoint->shm, in, record->cookie);
    struct message *message =
        body ? message_new_from(&endpoint->messages, MESSAGE_XDR, MESSAGE_FRAGMENT_DEFAULT) : NULL;
    bool whole = message != NULL;
    for (unsigned i = 0; i < record->count && whole; i++)
        whole = shm_in_append(in, message, &body->chunk, ring_extent_at(&in->reader, i));
    chunk_release(body ? &body->chunk : NULL);
    if (!whole) {
        message_free(message);
        return NULL;
    }
    shm_message_head(endpoint, message, in->peer, &record->header);
    return message;
}

static struct message *shm_in_message(struct endpoint *endpoint, struct shm_in *in,
                                      const struct ring_record *record)
{
    if (record->kind == RING_LONG_MESSAGE)
        return shm_in_long_message(endpoint, in, record);
    unsigned char *body;
    struct message *message =
        shm_short_message(endpoint, &record->header, in->peer, record->count, &body);
    if (message && record->count > 0)
        ring_copy_body(&in->reader, record, body);
    return message;
}

/*
 * Stops reading the socket. It stays open for a peer that has parted, which keeps what it sent as
 * it is until the socket ends.
 */
static void shm_in_hang_up(struct shm *shm, struct shm_in *in)
{
    epoll_ctl(shm->epoll, EPOLL_CTL_DEL, in->socket, NULL); /* a forked child may have it */
    if (shm_socket_is_left(in->socket))
        close(in->socket);
    else
        shm_tie(in);
    in->socket = -1;
}

/* No more is read; messages that the program has stay. */
void shm_in_remove(struct endpoint *endpoint, struct shm_in *in)
{
    struct shm *shm = &endpoint->shm;
    if (in->socket >= 0)
        shm_in_hang_up(shm, in);
    if (in->area)
        atomic_store(&in->area->use, RING_LEFT);
    lock_acquire(&endpoint->waiting.lock);
    struct shm_in **place = &shm->in;
    while (*place != in)
        place = &(*place)->next;
    *place = in->next;
    shm_in_forget(endpoint, in);
    lock_release(&endpoint->waiting.lock);
    shm_drop_gap(shm, in);
    shm_late_part(shm, in);
    shm_in_release(in);
}

/* Takes in what a slot tells of. False when it makes no sense, or there is no memory for it. */
static bool shm_in_take(struct endpoint *endpoint, struct shm_in *in,
                        const struct ring_record *record)
{
    struct message *message = NULL;
    if (record->kind == RING_MARKER) {
        in->current = false;
        shm_in_is_away(in, true);
    } else if (record->kind == RING_BROKEN) {
        return false;
    } else if (record->kind == RING_LANDED_MESSAGE) {
        if (!shm_in_land(endpoint, in, record))
            return false;
    } else if (!(message = shm_in_message(endpoint, in, record)))
        return false;
    ring_skip(&in->reader, record);
    shm_in_await(in);
    if (message)
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

struct shm_in *shm_in_find(const struct shm *shm, uint32_t peer)
{
    struct shm_in *in = shm->in;
    while (in && in->peer != peer)
        in = in->next;
    return in;
}

/*
 * After the end of the socket nothing is written any more: a ring that is read needs no fence, and
 * what went elsewhere is counted.
 */
void shm_in_check_end(struct endpoint *endpoint, struct shm_in *in)
{
    bool read = in->given_up || ring_is_empty(&in->reader);
    if (in->socket < 0 && read && !shm_in_lacks(in))
        shm_in_remove(endpoint, in);
}

/*
 * Takes in what the peer has written, up to where the next message comes another way. What is held
 * up for the message of another task goes first all the same, since something of this one is to
 * follow. Returns the link, or NULL when that is removed.
 */
static struct shm_in *shm_in_read_to_marker(struct endpoint *endpoint, struct shm_in *in)
{
    uint32_t peer = in->peer;
    if (!in->current || ring_is_empty(&in->reader))
        return in;
    shm_look(endpoint, UINT_MAX);
    in = shm_in_find(&endpoint->shm, peer);
    if (!in || !in->current || ring_is_empty(&in->reader))
        return in;
    shm_in_read(endpoint, in, UINT_MAX);
    return shm_in_find(&endpoint->shm, peer);
}

/*
 * The daemon's word of a task's end, behind which nothing of that task comes: the rest of a message
 * that it was killed amid, or a fence that was lost on its way, as by a daemon of 3.4.6 that meets
 * a broken connection, and what is in the ring for that, are waited for no more.
 */
static void shm_in_mourn(struct endpoint *endpoint, const struct message *message)
{
    uint32_t peer = endpoint->owner.dialect->take_over(message);
    struct shm_in *in = shm_in_find(&endpoint->shm, peer);
    assembler_forget(&endpoint->port.assembler, peer);
    if (in && in->area && in->socket < 0)
        in = shm_in_read_to_marker(endpoint, in);
    if (in && in->area && in->socket < 0)
        shm_in_remove(endpoint, in);
}

static bool shm_in_serve(struct endpoint *endpoint, struct shm_in *in);

/*
 * The link of a fence, or NULL if the call to which the fence belongs was declined. The call may
 * still have to be answered. A sender that called before may have ended its earlier link, which is
 * removed first, because there is one link for each sender.
 */
static struct shm_in *shm_in_of_fence(struct endpoint *endpoint, const struct message *fence)
{
    uint32_t peer = fence->header.source;
    uint32_t number = endpoint->owner.dialect->take_fence(fence);
    struct shm_in *in = shm_in_find(&endpoint->shm, peer);
    while (in && in->number != number && in->socket >= 0 && shm_in_serve(endpoint, in))
        in = shm_in_find(&endpoint->shm, peer);
    if (!in || in->number != number) {
        shm_answer(endpoint);
        in = shm_in_find(&endpoint->shm, peer);
    }
    return in && in->number == number ? in : NULL;
}

/* The link of a message that is no fence. A link without an area has no tid yet. */
static struct shm_in *shm_in_of(const struct shm *shm, const struct message *message)
{
    struct shm_in *in = shm_in_find(shm, message->header.source);
    return in && in->area ? in : NULL;
}

static struct shm_in *shm_in_pass_fence(struct endpoint *endpoint, struct shm_in *in)
{
    uint32_t peer = in->peer;
    in->counts = true;
    if (in->given_up)
        return in;
    in->current = true;
    shm_in_await(in);
    shm_in_is_away(in, false);
    if (!ring_is_empty(&in->reader))
        shm_look(endpoint, UINT_MAX);
    return shm_in_find(&endpoint->shm, peer);
}

bool shm_precede(struct endpoint *endpoint, struct message *message)
{
    enum word word = endpoint->owner.dialect->word(&message->header);
    bool fence = word == WORD_FENCE;
    if (word == WORD_OVER)
        shm_in_mourn(endpoint, message);
    struct shm_in *in =
        fence ? shm_in_of_fence(endpoint, message) : shm_in_of(&endpoint->shm, message);
    if (in && fence)
        in = shm_in_pass_fence(endpoint, in);
    else if (in)
        in = shm_in_read_to_marker(endpoint, in);
    if (in && in->counts && word == WORD_NONE)
        in->taken++;
    if (in && in->socket < 0)
        shm_in_check_end(endpoint, in);
    if (fence)
        message_free(message);
    return fence;
}

/* Sockets. ------------------------------------------------------------------------------------- */

void shm_watch(const struct shm *shm, int descriptor, void *what)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = what};
    /* Without memory for it the end of the peer is found out when the ring is full. */
    epoll_ctl(shm->epoll, EPOLL_CTL_ADD, descriptor, &event);
}

static bool shm_make_page(struct shm *shm)
{
    if (shm->page)
        return true;
    shm->page_file = arena_make_file("pvm page", SHM_PAGE_SIZE);
    if (shm->page_file >= 0)
        shm->page = arena_map(shm->page_file, SHM_PAGE_SIZE, true);
    return shm->page != NULL;
}

/*
 * Maps the ring of a task that introduces itself, and welcomes it. False when we cannot. The task
 * may be gone already: then the welcome reaches nobody, but the ring tells what the task has sent.
 */
static bool shm_in_meet(struct endpoint *endpoint, struct shm_in *in,
                        const struct shm_letter *letter, int ring)
{
    struct shm *shm = &endpoint->shm;
    const struct shm_letter welcome = {.version = SHM_VERSION, .kind = SHM_WELCOME};
    uint32_t peer = letter->value;
    if (!tid_is_task(peer) || peer == endpoint->own ||
        tid_host_part(peer) != tid_host_part(endpoint->own) || shm_in_find(shm, peer) ||
        !arena_is_file(ring, sizeof *in->area) || !shm_make_page(shm))
        return false;
    in->area = arena_map(ring, sizeof *in->area, true);
    const int descriptors[] = {shm->page_file, endpoint->waiting.doorbell};
    if (!in->area)
        return false;
    shm_socket_send(in->socket, &welcome, descriptors, SHM_DESCRIPTORS);
    ring_reader_start(&in->reader, in->area, peer);
    lock_acquire(&endpoint->waiting.lock);
    in->peer = peer;
    in->number = letter->number;
    lock_release(&endpoint->waiting.lock);
    shm_in_is_away(in, true);
    shm_hears(endpoint, peer);
    atomic_store(&in->area->use, RING_READ);
    return true;
}

/* The first letter. True when there was one, or an end. */
static bool shm_in_greet(struct endpoint *endpoint, struct shm_in *in)
{
    struct shm_letter letter;
    int descriptors[SHM_DESCRIPTORS];
    int count;
    enum shm_socket_result result = shm_socket_receive(in->socket, &letter, descriptors, &count);
    if (result == SHM_SOCKET_NOTHING)
        return false;
    bool met = result == SHM_SOCKET_LETTER && letter.kind == SHM_INTRODUCTION && count == 1 &&
               shm_in_meet(endpoint, in, &letter, descriptors[0]);
    while (count > 0)
        close(descriptors[--count]);
    if (!met)
        shm_in_remove(endpoint, in);
    return true;
}

/*
 * The peer is gone: what it has written is taken in as far as its order is known. The rest waits
 * for its fence, and what it was amid with the daemon for its end, or for the daemon's word that
 * none comes.
 */
static void shm_in_end(struct endpoint *endpoint, struct shm_in *in)
{
    uint32_t peer = in->peer;
    shm_look(endpoint, UINT_MAX);
    if (in != shm_in_find(&endpoint->shm, peer))
        return;
    shm_in_hang_up(&endpoint->shm, in);
    lock_acquire(&endpoint->waiting.lock);
    shm_in_stop(endpoint, in);
    lock_release(&endpoint->waiting.lock);
    shm_in_check_end(endpoint, in);
    struct message *request = endpoint->owner.dialect->watch(peer);
    struct posted *posted = endpoint_prepare(&request, &(uint32_t){TID_OWN_DAEMON}, 1);
    if (posted)
        endpoint_post(endpoint, posted);
}

static bool shm_in_serve(struct endpoint *endpoint, struct shm_in *in)
{
    bool ended = false;
    if (!in->peer)
        return shm_in_greet(endpoint, in);
    if (shm_in_hear_file(in, &ended))
        return true;
    if (ended)
        shm_in_end(endpoint, in);
    return ended;
}

/* A link of whoever calls. False without memory, or when no link is wanted. */
static bool shm_in_new(struct endpoint *endpoint, int descriptor)
{
    struct shm *shm = &endpoint->shm;
    bool wanted = descriptor < shm->descriptors && atomic_load(&endpoint->routing) != ROUTING_NEVER;
    struct shm_in *in = wanted ? calloc(1, sizeof *in) : NULL;
    if (!in)
        return false;
    in->kind = SHM_IN;
    references_start(&in->references, 1);
    in->socket = descriptor;
    in->tie = -1;
    in->shm = shm;
    if (!shm_add_gap(shm, in)) {
        free(in);
        return false;
    }
    lock_acquire(&endpoint->waiting.lock);
    in->next = shm->in;
    shm->in = in;
    lock_release(&endpoint->waiting.lock);
    shm_watch(shm, descriptor, in);
    return true;
}

/* Hears those that call by now, and those that had nothing to say when they called. */
static bool shm_greet_all(struct endpoint *endpoint)
{
    bool happened = false;
    struct shm_in *next;
    for (struct shm_in *in = endpoint->shm.in; in; in = next) {
        next = in->next;
        happened |= !in->peer && shm_in_greet(endpoint, in);
    }
    return happened;
}

bool shm_answer(struct endpoint *endpoint)
{
    struct shm *shm = &endpoint->shm;
    bool more = shm->listening, happened = false;
    shm->answered = stamp_before_look(shm->clock) >> MOMENT;
    while (more) {
        int descriptor = shm_socket_accept(shm->listener, &more);
        if (descriptor < 0)
            continue;
        happened = true;
        if (!shm_in_new(endpoint, descriptor))
            close(descriptor);
    }
    return shm_greet_all(endpoint) || happened;
}

bool shm_serve(struct endpoint *endpoint)
{
    struct shm *shm = &endpoint->shm;
    struct epoll_event ready[READY_ROOM];
    if (!shm->listening)
        return false;
    uint64_t begin = stamp_before_look(shm->clock) >> MOMENT;
    /* One at a time: what one is ready for may remove another one. */
    int count = epoll_wait(shm->epoll, ready, 1, 0);
    bool happened = false;
    for (int turn = 0; count == 1 && turn < READY_ROOM; turn++) {
        switch (*(const enum shm_kind *)ready[0].data.ptr) {
        case SHM_LISTENER:
            happened |= shm_answer(endpoint);
            break;
        case SHM_OUT:
            happened |= shm_out_serve(endpoint, ready[0].data.ptr);
            break;
        case SHM_IN:
            happened |= shm_in_serve(endpoint, ready[0].data.ptr);
            break;
        }
        count = epoll_wait(shm->epoll, ready, 1, 0);
    }
    if (count == 0 && begin > shm->answered) /* nobody calls any more, then */
        shm->answered = begin;
    if (shm->unswept)
        shm_out_sweep(endpoint);
    return happened;
}

/* Sleeping. ------------------------------------------------------------------------------------ */

bool shm_sleep(struct endpoint *endpoint, bool asleep)
{
    struct shm *shm = &endpoint->shm;
    if (!shm->page)
        return false;
    uint32_t nap = atomic_load_explicit(shm->page, memory_order_relaxed);
    if (!asleep) {
        atomic_exchange(shm->page, nap + nap % 2);
        return false;
    }
    atomic_exchange(shm->page, nap % 2 ? nap + 2 : nap + 1);
    return shm_sees(shm) || shm_has_due(shm) || shm_is_settled(shm);
}

/* The whole. ----------------------------------------------------------------------------------- */

void shm_start(struct shm *shm)
{
    memset(shm, 0, sizeof *shm);
    shm->kind = SHM_LISTENER;
    shm->listener = shm->epoll = shm->page_file = -1;
    arena_start(&shm->arena, 0);
    lock_init(&shm->ties_lock, LOCK_ARENA);
    pool_start(&shm->bodies, POOL_MOST);
    pool_start(&shm->loads, POOL_MOST);
}

void shm_finish(struct shm *shm)
{
    shm_out_finish(shm);
    free(shm->gaps);
    free(shm->heads);
    pool_finish(&shm->bodies, free);
    pool_finish(&shm->loads, free);
    arena_finish(&shm->arena);
    lock_destroy(&shm->ties_lock);
}

/* Half of what the system allows, and of what fits into an fd_set. */
static int shm_descriptors(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < FD_SETSIZE)
        return (int)files.rlim_cur / 2;
    return FD_SETSIZE / 2;
}

void shm_listen(struct endpoint *endpoint, uint32_t own)
{
    struct shm *shm = &endpoint->shm;
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = shm};
    if (shm->arena.limit == 0)
        return;
    shm->listener = shm_socket_listen(endpoint->port.descriptor, own);
    shm->epoll = shm->listener < 0 ? -1 : epoll_create1(EPOLL_CLOEXEC);
    if (shm->epoll < 0 ||
        epoll_ctl(endpoint->waiting.epoll, EPOLL_CTL_ADD, shm->epoll, &event) < 0) {
        shm_leave(endpoint);
        return;
    }
    shm_watch(shm, shm->listener, shm);
    shm->descriptors = shm_descriptors();
    shm->clock = endpoint->waiting.clock;
    shm->listening = true;
}

static void shm_close_descriptor(int *descriptor)
{
    if (*descriptor >= 0)
        close(*descriptor);
    *descriptor = -1;
}

/* Closes what belongs to one enrolment. */
static void shm_close(struct shm *shm)
{
    shm_close_descriptor(&shm->listener);
    shm_close_descriptor(&shm->epoll);
    shm_close_descriptor(&shm->page_file);
}

void shm_leave(struct endpoint *endpoint)
{
    struct shm *shm = &endpoint->shm;
    shm->listening = false;
    shm_forget_late(shm);
    while (shm->in)
        shm_in_remove(endpoint, shm->in);
    shm_out_leave(endpoint);
    if (shm->page)
        munmap((void *)(uintptr_t)shm->page, SHM_PAGE_SIZE);
    shm->page = NULL;
    if (shm->epoll >= 0) /* a child of fork may have it, too */
        epoll_ctl(endpoint->waiting.epoll, EPOLL_CTL_DEL, shm->epoll, NULL);
    shm_close(shm);
    memset(shm->deaf, 0, sizeof shm->deaf);
    atomic_exchange(&shm->arena.maker.wanted, false);
}

void shm_abandon(struct shm *shm)
{
    shm_close(shm);
    for (struct shm_in *in = shm->in; in; in = in->next) {
        shm_close_descriptor(&in->socket);
        if (in->rendezvous)
            in->rendezvous->in = NULL;
        in->rendezvous = NULL;
    }
    for (int i = 0; i < SHM_CHAINS; i++) {
        for (struct shm_out *out = shm->chains[i]; out; out = out->next) {
            shm_close_descriptor(&out->socket);
            shm_close_descriptor(&out->doorbell);
        }
    }
    for (struct shm_out *out = shm->gone; out; out = out->next) {
        shm_close_descriptor(&out->socket);
        shm_close_descriptor(&out->doorbell);
    }
    for (struct shm_out *out = shm->parted; out; out = out->next)
        shm_close_descriptor(&out->socket);
    shm_tie_abandon(shm);
}
