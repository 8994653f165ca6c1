/* shm.c - shared memory as a whole: beginning, serving its sockets, sleeping and ending. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <unistd.h>

#include "ck/ports/shm/shm.h"
#include "ck/loan.h"
#include "ck/ports/shm/shm_socket.h"
#include "core/cache_line.h"

#define READY_ROOM 16

static bool shm_serve_one(struct endpoint *endpoint, enum shm_kind *kind)
{
    char *place = (char *)kind;
    switch (*kind) {
    case SHM_OUT:
        return shm_out_serve(endpoint, (void *)(place - offsetof(struct shm_out, kind)));
    case SHM_IN:
        return shm_in_serve(endpoint, (void *)(place - offsetof(struct shm_in, kind)));
    default:
        return shm_answer(endpoint);
    }
}

bool shm_serve(struct endpoint *endpoint)
{
    struct shm *shm = shm_of(endpoint);
    struct epoll_event ready[READY_ROOM];
    if (!shm->listening)
        return false;
    uint64_t begin = stamp_before_look(shm->clock) >> MOMENT;
    /* One at a time: what one is ready for may remove another one. */
    int count = epoll_wait(shm->epoll, ready, 1, 0);
    bool happened = false;
    for (int turn = 0; count == 1 && turn < READY_ROOM; turn++) {
        happened |= shm_serve_one(endpoint, ready[0].data.ptr);
        count = epoll_wait(shm->epoll, ready, 1, 0);
    }
    if (count == 0 && begin > shm->answered) /* nobody calls any more, then */
        shm->answered = begin;
    return happened;
}

/* Sleeping. ------------------------------------------------------------------------------------ */

bool shm_sleep(struct endpoint *endpoint, bool asleep)
{
    struct shm *shm = shm_of(endpoint);
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

static int shm_start(struct endpoint *endpoint)
{
    struct shm *shm = cache_line_allocate(sizeof *shm);
    if (!shm)
        return -ENOMEM;
    memset(shm, 0, sizeof *shm);
    endpoint->over_part = shm;
    endpoint->maker = &shm->arena.maker;
    shm->kind = SHM_LISTENER;
    shm->listener = shm->epoll = shm->page_file = -1;
    arena_start(&shm->arena, 0);
    lock_init(&shm->ties_lock, LOCK_ARENA);
    pool_start(&shm->bodies, POOL_MOST);
    pool_start(&shm->loads, POOL_MOST);
    return 0;
}

static void shm_finish(struct endpoint *endpoint)
{
    struct shm *shm = shm_of(endpoint);
    shm_out_finish(shm);
    free(shm->gaps);
    free(shm->heads);
    pool_finish(&shm->bodies, free);
    pool_finish(&shm->loads, free);
    arena_finish(&shm->arena);
    lock_destroy(&shm->ties_lock);
    free(shm);
    endpoint->over_part = NULL;
    endpoint->maker = NULL;
}

static void shm_share(struct endpoint *endpoint, size_t limit, int64_t one_copy)
{
    shm_of(endpoint)->one_copy = one_copy;
    shm_of(endpoint)->arena.limit = limit;
}

/* Half of what the system allows, and of what fits into an fd_set. */
static int shm_descriptors(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < FD_SETSIZE)
        return (int)files.rlim_cur / 2;
    return FD_SETSIZE / 2;
}

void shm_listen(struct endpoint *endpoint)
{
    struct shm *shm = shm_of(endpoint);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = &endpoint->over};
    if (shm->arena.limit == 0)
        return;
    shm->listener = shm_socket_listen(endpoint->descriptor, endpoint->own);
    shm->epoll = shm->listener < 0 ? -1 : epoll_create1(EPOLL_CLOEXEC);
    if (shm->epoll < 0 ||
        epoll_ctl(endpoint->waiting.epoll, EPOLL_CTL_ADD, shm->epoll, &event) < 0) {
        shm_leave(endpoint);
        return;
    }
    shm_watch(shm, shm->listener, &shm->kind);
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
    struct shm *shm = shm_of(endpoint);
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
    atomic_exchange(&shm->arena.maker.wanted, false);
}

static void shm_abandon(struct endpoint *endpoint)
{
    struct shm *shm = shm_of(endpoint);
    shm_close(shm);
    for (struct shm_in *in = shm->in; in; in = in->next) {
        shm_close_descriptor(&in->socket);
        if (in->loan)
            in->loan->link = NULL;
        in->loan = NULL;
    }
    shm_out_abandon_parted(shm);
    shm_tie_abandon(shm);
    arena_abandon(&shm->arena);
}

static void shm_stand_still(struct endpoint *endpoint, bool still)
{
    struct shm *shm = shm_of(endpoint);
    if (still)
        lock_acquire_beside(&shm->ties_lock);
    else
        lock_release(&shm->ties_lock);
}

static void shm_drop(void *load)
{
    shm_load_release(load);
}

static bool shm_has_late(const struct endpoint *endpoint)
{
    return shm_of(endpoint)->late != NULL;
}

const struct port port_shm = {
    .start = shm_start,
    .finish = shm_finish,
    .share = shm_share,
    .open = shm_listen,
    .close = shm_leave,
    .stand_still = shm_stand_still,
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
    .due = shm_due,
    .insist = shm_insist,
    .precede = shm_precede,
};
