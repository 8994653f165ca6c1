/* test_shm_gate.c - endpoints that share a connection are called at one address, each by its own name. */
#include "ck/ports/shm/shm_gate.h"

#include <unistd.h>

#include "ck/ports/shm/shm_socket.h"
#include "core/control.h"

#include "neighbours.h"
#include "quiet_owner.h"
#include "unit.h"

#define BLOCK  (B - B % CONTROL_LEASE_BLOCK)
#define BESIDE 2

static struct endpoint beside[BESIDE]; /* B + 1 and so on, which share b's connection */

static void expect_gates(unsigned count)
{
    unsigned found = 0;
    for (struct shm_gate *gate = shm_shared_of(b.endpoint.engine)->gates; gate; gate = gate->next)
        found++;
    assert_int_equal(found, count);
}

UNIT_STEP(start)
{
    if (neighbours_start(state) != 0)
        return -1;
    endpoint_keep_common(&b.endpoint);
    for (int i = 0; i < BESIDE; i++) {
        const struct endpoint_owner owner = quiet_owner(NULL);
        if (endpoint_init(&beside[i], b.endpoint.engine, &owner) < 0 ||
            !endpoint_join(&beside[i], B + 1 + (uint32_t)i, BLOCK, &b.endpoint))
            return -1;
    }
    return 0;
}

UNIT_STEP(finish)
{
    for (int i = 0; i < BESIDE; i++) {
        endpoint_detach(&beside[i]);
        endpoint_destroy(&beside[i]);
    }
    return neighbours_finish(state);
}

#define TEST(name) UNIT_TEST_BETWEEN(name, start, finish)

static void expect_beside(int which, int32_t tag, bool through_memory)
{
    struct message *message = talk_next(&beside[which]);
    assert_non_null(message);
    assert_int_equal(message->header.source, A);
    assert_int_equal(message->segments[0].chunk->foreign, through_memory);
    talk_expect(message, tag, 2000);
}

/* What a has given the daemon for `to`. Returns how many messages there were. */
static int daemon_brings(uint32_t to)
{
    int count = 0;
    for (; !talk_is_silent(&a.heard); count++) {
        struct message *message = talk_read(&a.heard);
        assert_int_equal(message->header.destination, to);
        talk_write(b.daemon, message, to, A);
        message_free(message);
    }
    return count;
}

/* The first goes by the daemon, since the call is not answered yet. */
static void meet(int which)
{
    uint32_t to = B + 1 + (uint32_t)which;
    neighbour_send(&a, to, 1, 2000);
    assert_int_equal(daemon_brings(to), 2); /* a fence before it */
    expect_beside(which, 1, false);
    neighbour_send(&a, to, 2, 2000);
    assert_int_equal(daemon_brings(to), 1); /* the fence */
    expect_beside(which, 2, true);
    neighbour_send(&a, to, 3, 2000);
    assert_true(talk_is_silent(&a.heard));
    expect_beside(which, 3, true);
}

TEST(each_is_found_through_one_gate)
{
    expect_gates(2); /* b's own and that of the block */
    assert_ptr_equal(shm_of(&beside[0])->gate, shm_of(&beside[1])->gate);
    meet(0);
    meet(1);
}

TEST(gate_stays_for_who_is_left)
{
    endpoint_detach(&beside[0]);
    expect_gates(2);
    meet(1);
    endpoint_detach(&beside[1]);
    expect_gates(1);
}

/* Who calls somebody that is not there is declined, and may call again. */
TEST(caller_of_nobody_is_declined)
{
    for (uint32_t to = B + 7; to <= B + 8; to++) {
        int socket = shm_socket_connect(a.endpoint.descriptor, BLOCK);
        int file = arena_make_file("ring", sizeof(struct ring_area));
        const struct shm_letter letter = {SHM_VERSION, SHM_INTRODUCTION,        A, 1,
                                          to,          sizeof(struct ring_area)};
        assert_true(shm_socket_send(socket, &letter, &file, 1));
        talk_look(&beside[0]);
        assert_null(shm_of(&beside[0])->in);
        assert_null(shm_of(&beside[0])->gate->guests);
        assert_false(shm_socket_is_open(socket));
        close(socket);
        close(file);
    }
    meet(0);
}

/* A caller that has not said whom it wants is let in when it does. */
TEST(guest_may_take_its_time)
{
    int socket = shm_socket_connect(a.endpoint.descriptor, BLOCK);
    talk_look(&beside[0]);
    assert_non_null(shm_of(&beside[0])->gate->guests);
    meet(1);
    close(socket);
    talk_look(&beside[0]);
    assert_null(shm_of(&beside[0])->gate->guests);
}
