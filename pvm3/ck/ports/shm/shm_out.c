/* shm_out.c - links to other tasks: calling, writing, and getting bodies back. */
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "ck/ports/shm/shm.h"
#include "ck/base/descriptor.h"
#include "ck/base/doorbell.h"
#include "ck/ports/shm/shm_socket.h"

/*
 * After so much we look whether bodies have come back: large ones soon, since their memory is in
 * the cache if it is used again at once, and any after a few, each of which weighs something.
 */
#define COLLECT_EACH   ((size_t)128 << 10)
#define COLLECT_WEIGHT ((size_t)16 << 10)

/* Links. --------------------------------------------------------------------------------------- */

static struct shm_out *shm_link_of(const struct sending *sending)
{
    return (struct shm_out *)(void *)sending->link;
}

static void shm_out_take(void *owner, unsigned cookie)
{
    struct shm_out *out = owner;
    shm_load_release(out->loads[cookie]);
    out->loads[cookie] = NULL;
}

/* With the lock. */
static void shm_out_collect(struct shm_shared *shared, struct shm_out *out)
{
    unsigned before = out->writer.used_count;
    ring_collect(&out->writer, shm_out_take, out);
    atomic_fetch_sub_explicit(&shared->lent, before - out->writer.used_count, memory_order_relaxed);
    out->since = 0;
    if (out->pieces)
        shm_out_collect_pieces(shared, out);
}

/* The peer has no body any more, nor a piece of the ring. With the lock. */
static void shm_out_drop(struct shm_shared *shared, struct shm_out *out)
{
    for (unsigned cookie = 0; cookie < RING_COOKIES; cookie++) {
        if (!out->loads[cookie])
            continue;
        shm_out_take(out, cookie);
        ring_drop_cookie(&out->writer, cookie);
        atomic_fetch_sub_explicit(&shared->lent, 1, memory_order_relaxed);
    }
    shm_out_drop_pieces(shared, out);
}

/* Whether the peer can still read something that lies in the arena. With the lock. */
static bool shm_out_is_read(const struct shm_out *out)
{
    return out->writer.used_count > 0 || out->pieces;
}

/* Gives up what only writing to the ring needs. */
static void shm_out_close_page(struct shm_out *out)
{
    descriptor_close(&out->doorbell);
    if (out->page)
        munmap((void *)(uintptr_t)out->page, SHM_PAGE_SIZE);
    out->page = NULL;
}

static void shm_out_free(struct shm_out *out)
{
    shm_out_over(out);
    shm_out_drop(out->shared, out);
    shm_out_close_page(out);
    if (out->socket >= 0)
        shm_socket_end(out->socket);
    if (out->area)
        munmap(out->area, sizeof *out->area);
    lock_destroy(&out->lock);
    free(out);
}

static void shm_out_free_entry(struct entry *entry)
{
    shm_out_free((struct shm_out *)(void *)entry);
}

static void shm_out_abandon(struct entry *entry)
{
    struct shm_out *out = (struct shm_out *)(void *)entry;
    descriptor_close(&out->socket);
    descriptor_close(&out->doorbell);
}

/* Frees the parted links of which the peer reads nothing any more. With the engine's lock. */
static void shm_out_reap(struct shm_shared *shared)
{
    struct shm_out *kept = NULL;
    struct shm_out *next;
    for (struct shm_out *out = shared->parted; out; out = next) {
        next = out->next;
        shm_out_collect(shared, out);
        if (!shm_out_is_read(out) || shm_socket_is_left(out->socket)) {
            shm_out_free(out);
        } else {
            out->next = kept;
            kept = out;
        }
    }
    shared->parted = kept;
}

/* To where the peer is called: by itself, or with all of its block. -1 if nobody answers. */
static int shm_dial(const struct endpoint *endpoint, uint32_t peer)
{
    const struct addressing *addressing = &endpoint->owner.dialect->addressing;
    uint32_t block = addressing->block ? addressing->block(peer) : peer;
    int descriptor = shm_socket_connect(endpoint->descriptor, peer);
    return descriptor < 0 && block != peer ? shm_socket_connect(endpoint->descriptor, block)
                                           : descriptor;
}

/* Introduces us, with a new ring. The link, in no record yet; NULL when there is none. */
static struct shm_out *shm_out_call(struct endpoint *endpoint, uint32_t peer)
{
    struct shm *shm = shm_of(endpoint);
    struct shm_out *out = calloc(1, sizeof *out);
    if (!out)
        return NULL;
    out->kind = SHM_OUT;
    out->entry.free = shm_out_free_entry;
    out->entry.abandon = shm_out_abandon;
    out->shm = shm;
    out->shared = shm->shared;
    out->peer = peer;
    out->number = atomic_fetch_add(&shm->calls, 1) + 1;
    out->doorbell = -1;
    lock_init(&out->lock, LOCK_LINKS);
    out->socket = shm_dial(endpoint, peer);
    bool found = out->socket >= 0 && out->socket < shm->shared->descriptors;
    int file = found ? arena_make_file("pvm ring", sizeof *out->area) : -1;
    if (file >= 0)
        out->area = arena_map(file, sizeof *out->area, true);
    const struct shm_letter letter = {.version = SHM_VERSION,
                                      .kind = SHM_INTRODUCTION,
                                      .value = endpoint->own,
                                      .number = out->number,
                                      .to = peer,
                                      .size = sizeof *out->area};
    bool told = out->area && shm_socket_send(out->socket, &letter, &file, 1);
    if (file >= 0)
        close(file);
    if (told) {
        out->process = shm_socket_process(out->socket);
        ring_writer_start(&out->writer, out->area, endpoint->own);
        one_copy_start(&out->one_copy, out->shared->one_copy);
        return out;
    }
    shm_out_free(out);
    return NULL;
}

/*
 * Whether to call a peer for this message: one that does not answer is asked again after twice as
 * many messages each time.
 */
static bool shm_is_to_call(struct peer *peer)
{
    if (++peer->unanswered <= peer->patience)
        return false;
    peer->patience = 2 * peer->patience + 1;
    peer->unanswered = 0;
    return true;
}

/* Calls the peer; another thread may call it at the same time. */
static void shm_call(struct endpoint *endpoint, struct peer *peer)
{
    struct shm *shm = shm_of(endpoint);
    struct shm_out *out = shm_out_call(endpoint, peer->address);
    if (!out)
        return;
    lock_acquire(&endpoint->waiting->lock);
    bool absent = !shm_out_to(peer);
    if (absent) {
        peers_enter(&endpoint->peers, peer, ROLE_OVER, &out->entry);
        shm_watch(shm->shared, out->socket, &out->kind);
    }
    lock_release(&endpoint->waiting->lock);
    if (!absent)
        shm_out_free(out);
    shm_learn(shm, stamp_moment_after(stamp_now(shm->shared->clock)));
}

void shm_offer(struct endpoint *endpoint, struct peer *peer)
{
    const struct addressing *addressing = &endpoint->owner.dialect->addressing;
    if (!shm_of(endpoint)->listening || endpoint->aloof || peer->out_of_reach ||
        atomic_load(&endpoint->routing) == ROUTING_NEVER || !shm_is_to_call(peer))
        return;
    peer->out_of_reach = !addressing->on_one_host(peer->address, endpoint->own);
    if (peer->out_of_reach)
        return;
    lock_release(&endpoint->waiting->lock);
    shm_call(endpoint, peer);
    lock_acquire(&endpoint->waiting->lock);
}

static bool shm_out_is_usable(const struct shm_out *out)
{
    enum shm_out_state state = atomic_load_explicit(&out->state, memory_order_relaxed);
    return state == SHM_READY || state == SHM_ENGAGED ||
           (state == SHM_CALLING &&
            atomic_load_explicit(&out->area->use, memory_order_relaxed) != RING_NEW);
}

/* True for a body that lies in memory of the program. */
static bool shm_is_uncopied(const struct message *message)
{
    for (size_t i = 0; i < message->segment_count; i++)
        if (message->segments[i].chunk)
            return false;
    return true;
}

/* Nanoseconds of a clock. */
static int64_t shm_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/*
 * Like shm_load_of, for a receive with that offer, or 0. If it is the first of two copies, notes
 * how long it takes; what the receiver has copied meanwhile takes no time of its own.
 */
static struct shm_load *shm_out_load_of(struct shm_out *out, const struct message *message,
                                        uint32_t offer)
{
    struct shm_ahead ahead = {.strip = &out->area->rendezvous, .number = offer};
    if (!one_copy_learns(&out->one_copy, message->length) || !shm_is_uncopied(message))
        return shm_load_of(out->shared, message, NULL);
    int64_t start = shm_now();
    struct shm_load *load = shm_load_of(out->shared, message, offer ? &ahead : NULL);
    double took = (double)(shm_now() - start);
    if (offer)
        took *= 1 - shm_ahead_copied(&ahead) / 2;
    if (load) {
        lock_acquire(&out->lock);
        one_copy_took(&out->one_copy, message->length, false, (int64_t)took);
        lock_release(&out->lock);
    }
    return load;
}

/* The arena is at its limit: places the body once more, since some bodies may have come back. */
static struct shm_load *shm_load_again(struct endpoint *endpoint, struct shm_out *out,
                                       const struct message *message)
{
    lock_acquire(&out->lock);
    shm_out_collect(out->shared, out);
    lock_release(&out->lock);
    lock_acquire(&endpoint->waiting->lock);
    shm_out_reap(out->shared);
    lock_release(&endpoint->waiting->lock);
    return shm_load_of(out->shared, message, NULL);
}

/* Like shm_place, for a message that is not short and has its stamp, and for an offer or 0. */
static inline void shm_place_long(struct endpoint *endpoint, struct sending *sending,
                                  const struct message *message, uint32_t offer)
{
    struct shm_out *out = shm_link_of(sending);
    if (!shm_out_is_usable(out))
        return;
    if (sending->shared && *sending->shared) {
        sending->load = shm_load_hold(*sending->shared);
        return;
    }
    struct shm_load *load = shm_out_load_of(out, message, offer);
    if (!load && atomic_load_explicit(&out->shared->arena.maker.wanted, memory_order_relaxed))
        load = shm_load_again(endpoint, out, message);
    sending->load = load;
    if (sending->shared)
        *sending->shared = shm_load_hold(load);
}

void shm_place(struct endpoint *endpoint, struct sending *sending, const struct message *message)
{
    sending->stamp = shm_stamp(shm_of(endpoint));
    if (!message_is_short(message, RING_SHORT))
        shm_place_long(endpoint, sending, message, 0);
}

/* Writing. ------------------------------------------------------------------------------------- */

/* Whether `slots` slots may be written, here or where the ring moves. With the lock. */
static bool shm_out_has_room(struct shm_out *out, unsigned slots)
{
    return ring_has_room(&out->writer, slots) || shm_out_make_room(out->shared, out, slots);
}

/* Wakes a peer whose nap ends by what has been written. */
static void shm_out_ring(struct shm_out *out, bool urgent)
{
    uint32_t nap = atomic_load(out->page), until = nap % SHM_NAPS;
    if (until == NAP_NONE || (until == NAP_UNTIL_URGENT && !urgent) || nap == out->rung)
        return;
    out->rung = nap;
    doorbell_ring(out->doorbell);
}

/* Writes what goes into a slot of its own, or tells where it lies. With the lock. */
static bool shm_out_put(const struct sending *sending, const struct host_header *header,
                        const struct message *message)
{
    struct shm_out *out = shm_link_of(sending);
    struct shm_load *load = sending->load;
    bool is_short = message_is_short(message, RING_SHORT);
    if (!is_short && !load)
        return false;
    if (!shm_out_has_room(out, is_short ? 1 : ring_slots_for(load->extent_count)))
        return false;
    if (is_short) {
        ring_write_short(&out->writer, sending->stamp, header,
                         message->length ? message->segments[0].data : NULL, message->length);
        return true;
    }
    out->since += message->length + COLLECT_WEIGHT;
    if (out->since >= COLLECT_EACH)
        shm_out_collect(out->shared, out);
    bool given =
        (load->files & ~out->files) == 0 || shm_out_give_files(out->shared, out, load->files);
    int cookie = given ? ring_take_cookie(&out->writer) : -1;
    if (cookie < 0)
        return false;
    atomic_fetch_add_explicit(&out->shared->lent, 1, memory_order_relaxed);
    out->loads[cookie] = shm_load_hold(load);
    ring_write_long(&out->writer, sending->stamp, header, (uint32_t)cookie, load->extents,
                    load->extent_count);
    return true;
}

static bool shm_out_write(const struct endpoint *endpoint, const struct sending *sending,
                          const struct message *message)
{
    struct shm_out *out = shm_link_of(sending);
    const struct host_header header = host_header_of(&message->header);
    if (atomic_load_explicit(&out->area->use, memory_order_relaxed) != RING_READ)
        shm_out_over(out);
    if (out->state != SHM_ENGAGED || !shm_out_put(sending, &header, message))
        return false;
    bool urgent = dialect_is_urgent(endpoint->owner.dialect, &message->header);
    if (urgent)
        ring_note_urgent(&out->writer);
    shm_out_ring(out, urgent);
    if (ring_arrives(&out->writer))
        return true;
    shm_out_over(out);
    return false;
}

/* Rendezvous. ---------------------------------------------------------------------------------- */

/* Pieces of a message that one call of the system takes. */
#define PIECES_MOST 64

/* From so many bytes on a peer that sleeps is woken at the beginning: it can copy most of them. */
#define AHEAD_WAKES (8 * RENDEZVOUS_PIECE)

/* What becomes of memory that a receive of the peer lends for a message. */
enum use {
    USE_NONE,
    USE_ONE_COPY, /* the sender writes there */
    USE_AHEAD,    /* the peer copies there what the sender has placed so far */
};

/*
 * Claims an offer of the peer, if the peer has read everything: a message in the ring may be the
 * one that it waits for. With the lock.
 */
static enum use shm_out_claim(struct shm_out *out, const struct message *message,
                              struct rendezvous_offer *offer)
{
    struct rendezvous_strip *strip = &out->area->rendezvous;
    if (out->state != SHM_ENGAGED || !ring_is_drained(&out->writer) ||
        !rendezvous_find(strip, &message->header, message->length, offer))
        return USE_NONE;
    bool one = out->process > 0 && one_copy_chooses(&out->one_copy, message->length);
    if ((!one && !one_copy_learns(&out->one_copy, message->length)) ||
        !rendezvous_claim(strip, offer))
        return USE_NONE;
    if (one)
        return USE_ONE_COPY;
    rendezvous_settle(strip, offer, 0); /* nobody else may write there */
    if (message->length >= AHEAD_WAKES)
        shm_out_ring(out, false);
    return USE_AHEAD;
}

/* Copies segments to `address` of another process, from `first` on; how many, or 0. */
static size_t shm_copy_some(pid_t process, uint64_t address, const struct message *message,
                            size_t first)
{
    struct iovec pieces[PIECES_MOST];
    size_t count = 0, size = 0;
    while (count < PIECES_MOST && first + count < message->segment_count) {
        const struct segment *segment = &message->segments[first + count];
        pieces[count++] = (struct iovec){segment->data, segment->length};
        size += segment->length;
    }
    const struct iovec there = {(void *)(uintptr_t)address, size};
    return process_vm_writev(process, pieces, count, &there, 1, 0) == (ssize_t)size ? count : 0;
}

/*
 * False when the system does not allow it. A process loses its sockets when it ends, and its number
 * only when its parent has heard of its end. So if the socket was open just before, no other
 * process has the number, unless all numbers of the system are given out between two system calls.
 */
static bool shm_copy_to(const struct shm_out *out, pid_t process, const struct message *message,
                        const struct rendezvous_offer *offer)
{
    uint64_t address = offer->address;
    size_t done = 0;
    while (done < message->segment_count) {
        size_t some =
            shm_socket_is_open(out->socket) ? shm_copy_some(process, address, message, done) : 0;
        if (some == 0)
            return false;
        for (; some > 0; some--)
            address += message->segments[done++].length;
    }
    return true;
}

/* Tells the peer that the message is there, if the link is still in use. With the lock. */
static bool shm_out_tell_rendezvous(const struct sending *sending, const struct message *message,
                                    const struct rendezvous_offer *offer)
{
    struct shm_out *out = shm_link_of(sending);
    if (out->state != SHM_ENGAGED ||
        atomic_load_explicit(&out->area->use, memory_order_relaxed) != RING_READ ||
        !shm_out_has_room(out, 1))
        return false;
    const struct host_header header = host_header_of(&message->header);
    rendezvous_settle(&out->area->rendezvous, offer, message->length);
    ring_write_landed(&out->writer, sending->stamp, &header, offer->number);
    return true;
}

/*
 * Writes to memory that a receive of the peer lends. False when none asks for the message, or when
 * it is to be placed: for the receive with the offer *ahead, if that is not 0.
 */
static bool shm_land(const struct sending *sending, const struct message *message, uint32_t *ahead)
{
    struct shm_out *out = shm_link_of(sending);
    struct rendezvous_offer offer;
    *ahead = 0;
    if (message->length < one_copy_least(out->shared->one_copy) || !shm_is_uncopied(message))
        return false;
    lock_acquire(&out->lock);
    enum use use = shm_out_claim(out, message, &offer);
    pid_t process = out->process;
    lock_release(&out->lock);
    if (use == USE_AHEAD)
        *ahead = offer.number;
    if (use != USE_ONE_COPY)
        return false;
    int64_t start = shm_now();
    bool copied = shm_copy_to(out, process, message, &offer);
    int64_t end = shm_now();
    lock_acquire(&out->lock);
    if (copied)
        one_copy_took(&out->one_copy, message->length, true, end - start);
    else
        out->process = 0; /* what is not allowed once is not tried again */
    bool came = copied && shm_out_tell_rendezvous(sending, message, &offer);
    if (!came)
        rendezvous_settle(&out->area->rendezvous, &offer, 0);
    shm_out_ring(out, false);
    lock_release(&out->lock);
    return came;
}

/* Sending. ------------------------------------------------------------------------------------- */

bool shm_send(struct endpoint *endpoint, struct sending *sending, const struct message *message)
{
    struct shm_out *out = shm_link_of(sending);
    uint32_t ahead = 0;
    bool sent = false;
    sending->stamp = shm_stamp(shm_of(endpoint));
    if (!message_is_short(message, RING_SHORT)) {
        if (shm_land(sending, message, &ahead))
            return true;
        shm_place_long(endpoint, sending, message, ahead);
    }
    if (atomic_load_explicit(&out->state, memory_order_relaxed) == SHM_ENGAGED) {
        lock_acquire(&out->lock);
        sent = shm_out_write(endpoint, sending, message);
        lock_release(&out->lock);
    }
    if (!sent && ahead) /* another message may come to lie in this place */
        rendezvous_note_placed(&out->area->rendezvous, ahead, 0);
    return sent;
}

/* Reads what the peer sends: its welcome, or its end. With the lock. */
static enum shm_socket_result shm_out_hear(struct endpoint *endpoint, struct shm_out *out)
{
    struct shm_letter letter;
    int descriptors[SHM_DESCRIPTORS];
    int count;
    enum shm_socket_result result = shm_socket_receive(out->socket, &letter, descriptors, &count);
    if (result == SHM_SOCKET_LETTER && letter.kind == SHM_WELCOME && count == SHM_DESCRIPTORS &&
        !out->page && arena_is_file(descriptors[0], SHM_PAGE_SIZE) &&
        doorbell_is_one(descriptors[1])) {
        out->page = arena_map(descriptors[0], SHM_PAGE_SIZE, false);
        out->doorbell = descriptors[1];
        descriptors[1] = -1;
    }
    for (int i = 0; i < count; i++)
        if (descriptors[i] >= 0)
            close(descriptors[i]);
    if (result == SHM_SOCKET_LETTER && !out->page)
        result = SHM_SOCKET_END;
    if (result == SHM_SOCKET_END) {
        shm_out_over(out);
        shm_out_drop(out->shared, out);
    } else if (result == SHM_SOCKET_LETTER && out->state == SHM_CALLING) {
        atomic_exchange(&out->state, SHM_READY);
        atomic_exchange(&shm_of(endpoint)->shared->arena.maker.wanted, true);
    }
    return result;
}

/*
 * Pushes the fence, behind which the peer reads the ring and counts what comes another way. If
 * `elsewhere`, or when the fence still waits here, a marker says that the next message is not in
 * the ring: what would be there alone is lost when this process is killed before the fence goes.
 */
static bool shm_out_push_fence(struct endpoint *endpoint, struct shm_out *out, struct way *way,
                               bool elsewhere)
{
    struct message *fence = endpoint->owner.dialect->fence(out->number);
    struct unattended *letter = endpoint_prepare(&fence, &out->peer, 1);
    if (!letter)
        return false;
    letter->outgoing.source = endpoint->own;
    enum push_result pushed = endpoint_push(endpoint, way, &letter->outgoing);
    if (pushed != PUSH_PENDING)
        endpoint_drop(letter);
    if (pushed == PUSH_BROKEN) /* the message goes another way, after another fence */
        return false;
    out->announced = true;
    if (elsewhere || pushed == PUSH_PENDING)
        ring_write_marker(&out->writer, shm_stamp(shm_of(endpoint)));
    return pushed == PUSH_DONE;
}

/* False when messages cannot go into the ring from now on. */
static bool shm_out_engage(struct endpoint *endpoint, struct shm_out *out, struct way *way)
{
    if (way->is_busy(way) || out->writer.used_count > RING_COOKIES / 2 ||
        !shm_out_has_room(out, RING_SLOTS / 2) || !shm_out_push_fence(endpoint, out, way, false))
        return false;
    atomic_exchange(&out->state, SHM_ENGAGED);
    return true;
}

static void shm_out_leave_ring(struct endpoint *endpoint, struct shm_out *out)
{
    ring_write_marker(&out->writer, shm_stamp(shm_of(endpoint)));
    atomic_exchange(&out->state, SHM_READY);
    shm_out_ring(out, false);
}

bool shm_send_or_leave(struct endpoint *endpoint, struct sending *sending,
                       const struct message *message, struct way *way)
{
    struct shm_out *out = shm_link_of(sending);
    if (atomic_load_explicit(&out->state, memory_order_relaxed) == SHM_OVER)
        return false;
    bool sent = false;
    bool fits = message_is_short(message, RING_SHORT) || sending->load;
    lock_acquire(&out->lock);
    if (out->state != SHM_ENGAGED) { /* what has come, and whether the peer is there at all */
        shm_out_hear(endpoint, out);
        shm_out_collect(out->shared, out);
        if (out->state == SHM_READY && fits && atomic_load(&endpoint->routing) != ROUTING_NEVER)
            shm_out_engage(endpoint, out, way);
        if (out->state != SHM_OVER && !out->announced)
            shm_out_push_fence(endpoint, out, way, true);
    }
    if (out->state == SHM_ENGAGED) {
        sent = shm_out_write(endpoint, sending, message);
        if (!sent && out->state == SHM_ENGAGED)
            shm_out_leave_ring(endpoint, out);
    }
    sending->counts = !sent && out->announced &&
                      dialect_word(endpoint->owner.dialect, &message->header) == WORD_NONE;
    lock_release(&out->lock);
    return sent;
}

void shm_conclude(struct endpoint *endpoint, struct sending *sending, bool sent)
{
    struct shm_out *out = shm_link_of(sending);
    (void)endpoint;
    if (sent && sending->counts) {
        lock_acquire(&out->lock);
        ring_note_elsewhere(&out->writer, sending->stamp.written);
        lock_release(&out->lock);
    }
    shm_load_release(sending->load);
    sending->load = NULL;
}

/* The leader's part. --------------------------------------------------------------------------- */

bool shm_out_serve(struct endpoint *endpoint, struct shm_out *out)
{
    lock_acquire(&out->lock);
    enum shm_socket_result heard = shm_out_hear(endpoint, out);
    lock_release(&out->lock);
    if (heard != SHM_SOCKET_END)
        return heard != SHM_SOCKET_NOTHING;
    shm_unwatch(out->shared, out->socket);
    lock_acquire(&endpoint->waiting->lock);
    peers_retire(&endpoint->peers, ROLE_OVER, &out->entry);
    lock_release(&endpoint->waiting->lock);
    return true;
}

/* Parts with a link that is in no record any more. With the lock of the endpoint. */
static void shm_out_part(struct shm_shared *shared, struct shm_out *out)
{
    shm_out_collect(shared, out);
    if (!shm_out_is_read(out) || !shm_socket_part(out->socket)) {
        shm_out_free(out);
        return;
    }
    shm_out_over(out);
    shm_out_close_page(out);
    out->next = shared->parted;
    shared->parted = out;
}

void shm_out_withdraw(struct endpoint *endpoint)
{
    struct peer *peer = NULL;
    while ((peer = peers_next(&endpoint->peers, peer)) != NULL)
        if (shm_out_to(peer))
            shm_unwatch(shm_out_to(peer)->shared, shm_out_to(peer)->socket);
}

void shm_out_leave(struct endpoint *endpoint)
{
    struct shm_shared *shared = shm_of(endpoint)->shared;
    struct peer *peer = NULL;
    lock_acquire(&endpoint->waiting->lock);
    shm_out_reap(shared);
    while ((peer = peers_next(&endpoint->peers, peer)) != NULL) {
        struct shm_out *out = shm_out_to(peer);
        if (out) {
            atomic_exchange(&peer->to[ROLE_OVER], NULL);
            shm_out_part(shared, out);
        }
    }
    lock_release(&endpoint->waiting->lock);
}

void shm_out_finish(struct shm_shared *shared)
{
    while (shared->parted) {
        struct shm_out *out = shared->parted;
        shared->parted = out->next;
        shm_out_free(out);
    }
}

void shm_out_abandon_parted(struct shm_shared *shared)
{
    for (struct shm_out *out = shared->parted; out; out = out->next)
        shm_out_abandon(&out->entry);
}

#define TIDY_ROOM 64

/* Links to peers, up to TIDY_ROOM, which the leader alone ends. Returns how many there are. */
static int shm_some_links(struct endpoint *endpoint, struct shm_out **some)
{
    struct peer *peer = NULL;
    int count = 0;
    lock_acquire(&endpoint->waiting->lock);
    while (count < TIDY_ROOM && (peer = peers_next(&endpoint->peers, peer)) != NULL) {
        some[count] = shm_out_to(peer);
        count += some[count] != NULL;
    }
    lock_release(&endpoint->waiting->lock);
    return count;
}

static void shm_tidy_links(struct endpoint *endpoint)
{
    struct shm_out *some[TIDY_ROOM];
    int count = shm_some_links(endpoint, some);
    while (count-- > 0) {
        lock_acquire(&some[count]->lock);
        shm_out_collect(some[count]->shared, some[count]);
        lock_release(&some[count]->lock);
    }
}

bool shm_tidy(struct engine *engine, bool idle)
{
    struct shm_shared *shared = shm_shared_of(engine);
    bool parted = atomic_load_explicit(&shared->parted, memory_order_relaxed) != NULL;
    if (parted && idle) {
        lock_acquire(&engine->waiting.lock);
        shm_out_reap(shared);
        lock_release(&engine->waiting.lock);
    }
    if (!atomic_load_explicit(&shared->arena.maker.wanted, memory_order_relaxed))
        return parted;
    struct endpoint *endpoint = engine->endpoints;
    if (atomic_load_explicit(&shared->lent, memory_order_relaxed) == 0)
        endpoint = NULL;
    for (; endpoint; endpoint = endpoint->next)
        shm_tidy_links(endpoint);
    if (idle)
        arena_give_back(&shared->arena);
    return parted || arena_is_large(&shared->arena);
}
