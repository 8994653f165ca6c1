/* neighbours.c - endpoints that find each other by the socket of a common daemon. */
#include "neighbours.h"

#include <pvm3.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/tid.h"

#include "quiet_owner.h"
#include "unit.h"

struct neighbour a, b;
static char folder[32];
static struct sockaddr_un pvmd;
static int listener;

static bool wants(void *owner, const struct message_header *header)
{
    const struct neighbour *side = owner;
    return side->intercepts != 0 && header->tag == side->intercepts;
}

/* As lib/serve/handler.c does. */
static bool intercept(void *owner, struct message *message)
{
    struct neighbour *side = owner;
    assert_int_equal(message_detach(message, false), 0);
    side->intercepted = message;
    return true;
}

static void dropped(void *owner, const char *reason)
{
    (void)reason;
    ((struct neighbour *)owner)->drops++;
}

void neighbour_attach(struct neighbour *side)
{
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(descriptor, (struct sockaddr *)&pvmd, sizeof pvmd), 0);
    side->daemon = accept(listener, NULL, NULL);
    assert_true(side->daemon >= 0);
    talk_reader_start(&side->heard, side->daemon);
    assert_int_equal(endpoint_attach(&side->endpoint, descriptor), 0);
}

void neighbour_enrol(struct neighbour *side, uint32_t tid, size_t limit)
{
    side->tid = tid;
    neighbour_attach(side);
    engine_share(side->endpoint.engine, limit, ONE_COPY_FROM);
    endpoint_open(&side->endpoint, tid, 0);
}

void neighbour_make(struct neighbour *side, const struct dialect *dialect)
{
    struct endpoint_owner owner = quiet_owner(side);
    owner.wants = wants;
    owner.intercept = intercept;
    owner.dropped = dropped;
    owner.dialect = dialect;
    memset(side, 0, sizeof *side);
    assert_int_equal(talk_begin(&side->endpoint, &owner), 0);
    side->begun = true;
}

void neighbour_begin(struct neighbour *side, uint32_t tid, size_t limit)
{
    neighbour_make(side, &dialect_3_4_6);
    neighbour_enrol(side, tid, limit);
}

void neighbour_leave(struct neighbour *side)
{
    endpoint_detach(&side->endpoint);
    close(side->daemon);
    talk_reader_finish(&side->heard);
    side->tid = 0;
}

void neighbour_end(struct neighbour *side)
{
    if (side->tid)
        neighbour_leave(side);
    if (side->begun)
        talk_end(&side->endpoint);
    side->begun = false;
}

int neighbours_begin_daemon(void)
{
    strcpy(folder, "/tmp/pvm-shm.XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    memset(&pvmd, 0, sizeof pvmd);
    pvmd.sun_family = AF_UNIX;
    snprintf(pvmd.sun_path, sizeof pvmd.sun_path, "%s/pvmd", folder);
    listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return bind(listener, (struct sockaddr *)&pvmd, sizeof pvmd) < 0 ? -1 : listen(listener, 8);
}

int neighbours_start(void **state)
{
    (void)state;
    if (neighbours_begin_daemon() < 0)
        return -1;
    neighbour_begin(&a, A, LIMIT);
    neighbour_begin(&b, B, LIMIT);
    return 0;
}

int neighbours_finish(void **state)
{
    (void)state;
    neighbour_end(&a);
    neighbour_end(&b);
    close(listener);
    unlink(pvmd.sun_path);
    return rmdir(folder);
}

size_t neighbour_uses(const struct neighbour *side)
{
    size_t used = 0;
    for (int i = 0; i < shm_of(&side->endpoint)->shared->arena.file_count; i++)
        used += shm_of(&side->endpoint)->shared->arena.files[i].used;
    return used;
}

struct shm_out *neighbour_link(struct neighbour *side, uint32_t to)
{
    lock_acquire(&side->endpoint.waiting->lock);
    const struct peer *peer = peers_find(&side->endpoint.peers, to);
    struct shm_out *out = peer ? shm_out_to(peer) : NULL;
    lock_release(&side->endpoint.waiting->lock);
    return out;
}

void neighbour_look(struct neighbour *side)
{
    for (int i = 0; i < 70; i++) /* as many as it takes for the sockets to have their turn */
        talk_look(&side->endpoint);
}

void neighbour_send(struct neighbour *from, uint32_t to, int32_t tag, size_t size)
{
    assert_int_equal(talk_send(&from->endpoint, to, tag, size), 0);
}

int neighbour_passes_on(struct neighbour *from, struct neighbour *to)
{
    int count = 0;
    for (; !talk_is_silent(&from->heard); count++) {
        struct message *message = talk_read(&from->heard);
        if (message->header.destination == to->tid)
            talk_write(to->daemon, message, to->tid, from->tid);
        message_free(message);
    }
    return count;
}

struct message *neighbour_arrives(struct neighbour *side)
{
    return talk_next(&side->endpoint);
}

void neighbour_expect(struct neighbour *side, uint32_t source, int32_t tag, size_t size)
{
    struct message *message = neighbour_arrives(side);
    assert_non_null(message);
    assert_int_equal(message->header.source, source);
    assert_int_equal(message->header.destination, side->tid);
    talk_expect(message, tag, size);
}

void neighbours_meet(void)
{
    neighbour_send(&a, b.tid, 1, 8);
    assert_int_equal(neighbour_passes_on(&a, &b), 2); /* a fence before it */
    neighbour_look(&b);
    neighbour_expect(&b, a.tid, 1, 8);
    neighbour_send(&a, b.tid, 2, 8);
    assert_int_equal(neighbour_passes_on(&a, &b), 1); /* the fence */
    neighbour_expect(&b, a.tid, 2, 8);
    assert_true(talk_is_silent(&a.heard));
}

int neighbours_start_met(void **state)
{
    int error = neighbours_start(state);
    if (error == 0)
        neighbours_meet();
    return error;
}
