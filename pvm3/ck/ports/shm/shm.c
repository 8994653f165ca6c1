/* shm.c - shared memory as a whole: beginning, serving its sockets, sleeping and ending. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>

#include "ck/ports/shm/shm.h"
#include "ck/base/descriptor.h"
#include "ck/inbox/loan.h"
#include "ck/ports/shm/shm_gate.h"
#include "core/annotate.h"
#include "core/cache_line.h"

#define READY_ROOM 16

static bool shm_serve_one(enum shm_kind *kind)
{
    ANNOTATE_ACQUIRE(kind);
    char *place = (char *)kind;
    struct shm_out *out = (void *)(place - offsetof(struct shm_out, kind));
    struct shm_in *in = (void *)(place - offsetof(struct shm_in, kind));
    struct shm_guest *guest = (void *)(place - offsetof(struct shm_guest, kind));
    struct shm_gate *gate = (void *)(place - offsetof(struct shm_gate, kind));
    switch (*kind) {
    case SHM_OUT:
        return shm_out_serve(out->shm->endpoint, out);
    case SHM_IN:
        return shm_in_serve(in->shm->endpoint, in);
    case SHM_GUEST:
        return shm_guest_serve(guest);
    default:
        return shm_gate_answer(gate);
    }
}

/* Nobody calls any more that had not before this moment. */
static void shm_has_answered(struct engine *engine, uint64_t moment)
{
    for (struct endpoint *endpoint = engine->endpoints; endpoint; endpoint = endpoint->next)
        if (moment > shm_of(endpoint)->answered)
            shm_of(endpoint)->answered = moment;
}

bool shm_serve(struct engine *engine)
{
    const struct shm_shared *shared = shm_shared_of(engine);
    struct epoll_event ready[READY_ROOM];
    if (shared->listening == 0)
        return false;
    uint64_t begin = stamp_before_look(shared->clock) >> MOMENT;
    /* One at a time: what one is ready for may remove another one. */
    int count = epoll_wait(shared->epoll, ready, 1, 0);
    bool happened = false;
    for (int turn = 0; count == 1 && turn < READY_ROOM; turn++) {
        happened |= shm_serve_one(ready[0].data.ptr);
        count = epoll_wait(shared->epoll, ready, 1, 0);
    }
    if (count == 0)
        shm_has_answered(engine, begin);
    return happened;
}

/* Sleeping. ------------------------------------------------------------------------------------ */

/* Whether there is anything to look at after all that ends the nap. */
static bool shm_has_work(const struct engine *engine, enum nap nap)
{
    const bool all = nap == NAP_UNTIL_ANYTHING;
    for (struct endpoint *endpoint = engine->endpoints; endpoint; endpoint = endpoint->next) {
        struct shm *shm = shm_of(endpoint);
        if (shm_has_due(shm) || (all ? shm_sees(shm) || shm_is_settled(shm) : shm_sees_urgent(shm)))
            return true;
    }
    return false;
}

bool shm_sleep(struct engine *engine, enum nap nap)
{
    const struct shm_shared *shared = shm_shared_of(engine);
    if (!shared->page)
        return false;
    uint32_t last = atomic_load_explicit(shared->page, memory_order_relaxed);
    uint32_t next = last - last % SHM_NAPS + SHM_NAPS + (uint32_t)nap;
    if (nap == NAP_NONE) {
        if (last % SHM_NAPS != NAP_NONE)
            atomic_store_explicit(shared->page, next, memory_order_relaxed);
        return false;
    }
    atomic_exchange(shared->page, next);
    return shm_has_work(engine, nap);
}

/* What all share. ------------------------------------------------------------------------------ */

static int shm_begin(struct engine *engine)
{
    struct shm_shared *shared = cache_line_allocate(sizeof *shared);
    if (!shared)
        return -ENOMEM;
    memset(shared, 0, sizeof *shared);
    engine->over_part = shared;
    engine->maker = &shared->arena.maker;
    shared->epoll = shared->page_file = -1;
    ANNOTATE_ATOMIC(&shared->listening, sizeof shared->listening);
    arena_start(&shared->arena, 0);
    lock_init(&shared->ties_lock, LOCK_ARENA);
    pool_start(&shared->bodies, POOL_MOST);
    pool_start(&shared->loads, POOL_MOST);
    return 0;
}

static void shm_end(struct engine *engine)
{
    struct shm_shared *shared = shm_shared_of(engine);
    shm_out_finish(shared);
    pool_finish(&shared->bodies, free);
    pool_finish(&shared->loads, free);
    arena_finish(&shared->arena);
    lock_destroy(&shared->ties_lock);
    free(shared);
    engine->over_part = NULL;
    engine->maker = NULL;
}

static void shm_share(struct engine *engine, size_t limit, int64_t one_copy)
{
    struct shm_shared *shared = shm_shared_of(engine);
    if (shared->listening > 0 || (shared->one_copy == one_copy && shared->arena.limit == limit))
        return;
    shared->one_copy = one_copy;
    shared->arena.limit = limit;
}

/* Half of what the system allows, and of what fits into an fd_set. */
static int shm_descriptors(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < FD_SETSIZE)
        return (int)files.rlim_cur / 2;
    return FD_SETSIZE / 2;
}

/* An endpoint more listens. False when the system does not allow it. */
static bool shm_begin_listening(struct engine *engine)
{
    struct shm_shared *shared = shm_shared_of(engine);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = &engine->ports};
    if (shared->listening == 0) {
        shared->epoll = epoll_create1(EPOLL_CLOEXEC);
        if (shared->epoll < 0)
            return false;
        if (epoll_ctl(engine->waiting.epoll, EPOLL_CTL_ADD, shared->epoll, &event) < 0) {
            descriptor_close(&shared->epoll);
            return false;
        }
        shared->descriptors = shm_descriptors();
        shared->clock = engine->waiting.clock;
    }
    lock_acquire(&engine->waiting.lock);
    shared->listening++;
    lock_release(&engine->waiting.lock);
    return true;
}

/* An endpoint less listens: the last one ends what is of use only while any does. Locked. */
static void shm_end_listening(struct engine *engine)
{
    struct shm_shared *shared = shm_shared_of(engine);
    if (--shared->listening > 0)
        return;
    if (shared->page)
        munmap((void *)(uintptr_t)shared->page, SHM_PAGE_SIZE);
    shared->page = NULL;
    /* A child of fork may have it, too. */
    epoll_ctl(engine->waiting.epoll, EPOLL_CTL_DEL, shared->epoll, NULL);
    descriptor_close(&shared->epoll);
    descriptor_close(&shared->page_file);
    atomic_exchange(&shared->arena.maker.wanted, false);
}

/* The endpoint's. ------------------------------------------------------------------------------ */

static int shm_start(struct endpoint *endpoint)
{
    struct shm *shm = cache_line_allocate(sizeof *shm);
    if (!shm)
        return -ENOMEM;
    memset(shm, 0, sizeof *shm);
    endpoint->over_part = shm;
    shm->endpoint = endpoint;
    shm->shared = shm_shared_of(endpoint->engine);
    return 0;
}

static void shm_finish(struct endpoint *endpoint)
{
    struct shm *shm = shm_of(endpoint);
    free(shm->gaps);
    free(shm->heads);
    free(shm);
    endpoint->over_part = NULL;
}

void shm_listen(struct endpoint *endpoint)
{
    struct shm *shm = shm_of(endpoint);
    if (shm->shared->arena.limit == 0)
        return;
    if (!shm_begin_listening(endpoint->engine))
        return;
    shm->gate = shm_gate_open(endpoint);
    shm->listening = shm->gate != NULL;
    if (shm->listening)
        return;
    lock_acquire(&endpoint->waiting->lock);
    shm_end_listening(endpoint->engine);
    lock_release(&endpoint->waiting->lock);
}

static bool shm_join(struct endpoint *endpoint)
{
    struct shm *shm = shm_of(endpoint);
    shm->gate = shm_gate_join(shm->shared, endpoint->called);
    shm->listening = shm->gate != NULL;
    shm->shared->listening += shm->listening;
    return shm->listening || shm->shared->arena.limit == 0;
}

void shm_withdraw(struct endpoint *endpoint)
{
    struct shm *shm = shm_of(endpoint);
    if (!shm->listening)
        return;
    for (struct shm_in *in = shm->in; in; in = in->next)
        if (in->socket >= 0)
            shm_unwatch(shm->shared, in->socket);
    shm_out_withdraw(endpoint);
    shm->listening = false;
    shm_gate_leave(shm->gate);
    shm->gate = NULL;
    shm_end_listening(endpoint->engine);
}

void shm_leave(struct endpoint *endpoint)
{
    struct shm *shm = shm_of(endpoint);
    shm_forget_late(shm);
    while (shm->in)
        shm_in_remove(endpoint, shm->in);
    shm_out_leave(endpoint);
}

static void shm_abandon(struct endpoint *endpoint)
{
    struct shm *shm = shm_of(endpoint);
    for (struct shm_in *in = shm->in; in; in = in->next) {
        descriptor_close(&in->socket);
        if (in->loan)
            in->loan->link = NULL;
        in->loan = NULL;
    }
}

static void shm_forsake(struct engine *engine)
{
    struct shm_shared *shared = shm_shared_of(engine);
    descriptor_close(&shared->epoll);
    descriptor_close(&shared->page_file);
    shm_gate_abandon_all(shared);
    shm_out_abandon_parted(shared);
    shm_tie_abandon(shared);
    arena_abandon(&shared->arena);
}

static void shm_hold(struct engine *engine, bool held)
{
    struct shm_shared *shared = shm_shared_of(engine);
    if (held)
        lock_acquire_beside(&shared->ties_lock);
    else
        lock_release(&shared->ties_lock);
}

static void shm_drop(void *load)
{
    shm_load_release(load);
}

static bool shm_has_late(const struct endpoint *endpoint)
{
    return shm_of(endpoint)->late != NULL;
}

static bool shm_lacks(const struct endpoint *endpoint)
{
    const struct shm *shm = shm_of(endpoint);
    return shm->late || shm->held || shm_missing(shm, 0) != UINT64_MAX;
}

const struct port port_shm = {
    .begin = shm_begin,
    .end = shm_end,
    .share = shm_share,
    .hold = shm_hold,
    .forsake = shm_forsake,
    .start = shm_start,
    .finish = shm_finish,
    .open = shm_listen,
    .join = shm_join,
    .retire = shm_retire,
    .settle = shm_settle,
    .withdraw = shm_withdraw,
    .close = shm_leave,
    .abandon = shm_abandon,
    .offer = shm_offer,
    .send = shm_send,
    .place = shm_place,
    .send_or_leave = shm_send_or_leave,
    .conclude = shm_conclude,
    .drop = shm_drop,
    .lend = shm_lend,
    .reclaim = shm_reclaim,
    .glance = shm_look,
    .serve = shm_serve,
    .sleep = shm_sleep,
    .tidy = shm_tidy,
    .come_first = shm_come_first,
    .defer = shm_defer,
    .has_deferred = shm_has_late,
    .lacks = shm_lacks,
    .due = shm_due,
    .insist = shm_insist,
    .precede = shm_precede,
};
