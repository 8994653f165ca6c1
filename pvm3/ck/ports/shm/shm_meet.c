/* shm_meet.c - the links of tasks that have called, introduced themselves and shown their rings. */
#include <stdlib.h>
#include <unistd.h>

#include "ck/ports/shm/shm.h"
#include "ck/ports/shm/shm_socket.h"
#include "core/references.h"

static bool shm_make_page(struct shm_shared *shared)
{
    if (shared->page)
        return true;
    shared->page_file = arena_make_file("pvm page", SHM_PAGE_SIZE);
    if (shared->page_file >= 0)
        shared->page = arena_map(shared->page_file, SHM_PAGE_SIZE, true);
    return shared->page != NULL;
}

/*
 * Enters the link into the record of its peer, who has called, and so does not ignore calls. False
 * without memory.
 */
static bool shm_in_enter(struct endpoint *endpoint, struct shm_in *in,
                         const struct shm_letter *letter)
{
    lock_acquire(&endpoint->waiting->lock);
    struct peer *record = peers_make(&endpoint->peers, letter->value);
    if (record) {
        peers_set_from(&endpoint->peers, record, in);
        record->unanswered = record->patience = 0;
        in->record = record;
        in->peer = letter->value;
        in->number = letter->number;
    }
    lock_release(&endpoint->waiting->lock);
    return record;
}

/*
 * Maps the ring of a task that introduces itself, and welcomes it. False when we cannot. The task
 * may be gone already: then the welcome reaches nobody, but the ring tells what the task has sent.
 */
static bool shm_in_meet(struct endpoint *endpoint, struct shm_in *in,
                        const struct shm_letter *letter, int ring)
{
    struct shm *shm = shm_of(endpoint);
    const struct shm_letter welcome = {.version = SHM_VERSION, .kind = SHM_WELCOME};
    const struct addressing *addressing = &endpoint->owner.dialect->addressing;
    uint32_t peer = letter->value;
    if (!addressing->is_endpoint(peer) || peer == endpoint->own ||
        !addressing->on_one_host(peer, endpoint->own) || shm_in_find(endpoint, peer) ||
        !arena_is_file(ring, sizeof *in->area) || !shm_make_page(shm->shared))
        return false;
    in->area = arena_map(ring, sizeof *in->area, true);
    const int descriptors[] = {shm->shared->page_file, endpoint->waiting->doorbell};
    if (!in->area)
        return false;
    ring_reader_start(&in->reader, in->area, peer);
    if (!shm_in_enter(endpoint, in, letter))
        return false;
    shm_in_is_away(in, true);
    atomic_store(&in->area->use, RING_READ);
    /* Last: a peer that is welcome to a ring that nobody reads takes the link for over. */
    shm_socket_send(in->socket, &welcome, descriptors, SHM_DESCRIPTORS);
    return true;
}

/* The link of a task that has called. NULL without memory, or when no link is wanted. */
static struct shm_in *shm_in_new(struct endpoint *endpoint, int descriptor)
{
    struct shm *shm = shm_of(endpoint);
    bool wanted = shm->listening && !endpoint->aloof && descriptor < shm->shared->descriptors &&
                  atomic_load(&endpoint->routing) != ROUTING_NEVER;
    struct shm_in *in = wanted ? calloc(1, sizeof *in) : NULL;
    if (!in)
        return NULL;
    in->kind = SHM_IN;
    references_start(&in->references, 1);
    in->socket = descriptor;
    in->tie = -1;
    in->shm = shm;
    in->shared = shm->shared;
    if (!shm_add_gap(shm, in)) {
        free(in);
        return NULL;
    }
    lock_acquire(&endpoint->waiting->lock);
    in->next = shm->in;
    shm->in = in;
    lock_release(&endpoint->waiting->lock);
    return in;
}

bool shm_meet(struct endpoint *endpoint, int descriptor, const struct shm_letter *letter, int ring)
{
    struct shm_in *in = shm_in_new(endpoint, descriptor);
    if (!in)
        return false;
    shm_watch(in->shared, descriptor, &in->kind);
    if (!shm_in_meet(endpoint, in, letter, ring))
        shm_in_remove(endpoint, in); /* and its socket */
    return true;
}
