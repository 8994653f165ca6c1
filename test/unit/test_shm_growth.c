/* test_shm_growth.c - a sender may be far ahead of its receiver, at the cost of its arena alone. */
#include "ck/ports/shm/shm.h"

#include <sys/wait.h>
#include <unistd.h>

#include "neighbours.h"
#include "unit.h"

#define D        0x40004u
#define LONG     10000
#define AHEAD    20000
#define RUN_FITS ((int)(RING_SLOTS - RING_KEPT)) /* messages, beside a marker and a jump */

static void a_sends(int first, int count)
{
    for (int i = 0; i < count; i++)
        neighbour_send(&a, B, first + i, i % 2 ? 8 : 0);
}

static void b_expects(int first, int count)
{
    for (int i = 0; i < count; i++)
        neighbour_expect(&b, A, first + i, i % 2 ? 8 : 0);
}

static struct shm_out *link_to_b(void)
{
    return neighbour_link(&a, B);
}

static int pieces(void)
{
    int count = 0;
    for (const struct shm_piece *piece = link_to_b()->pieces; piece; piece = piece->next)
        count++;
    return count;
}

static void nothing_is_lent(void)
{
    shm_tidy(a.endpoint.engine, true);
    assert_int_equal(neighbour_uses(&a), 0);
    assert_int_equal(shm_of(&a.endpoint)->shared->lent, 0);
}

/* Each looks once, before it sleeps. */
static void ring_goes_home(void)
{
    shm_tidy(a.endpoint.engine, false);
    neighbour_look(&b);
    nothing_is_lent();
    assert_int_equal(pieces(), 0);
}

#define TEST(name)     UNIT_TEST_BETWEEN(name, neighbours_start, neighbours_finish)
#define TEST_MET(name) UNIT_TEST_BETWEEN(name, neighbours_start_met, neighbours_finish)

TEST(sender_far_ahead_does_without_the_daemon)
{
    shm_of(&a.endpoint)->shared->arena.limit = (size_t)64 << 20;
    neighbours_meet();
    for (int turn = 0; turn < 3; turn++) {
        a_sends(0, AHEAD);
        assert_int_equal(pieces(), AHEAD / RUN_FITS);
        neighbour_send(&a, B, AHEAD, LONG);
        b_expects(0, AHEAD);
        neighbour_expect(&b, A, AHEAD, LONG);
        assert_null(neighbour_arrives(&b));
        ring_goes_home();
    }
    assert_true(talk_is_silent(&a.heard));
}

TEST_MET(pieces_come_back_while_the_reader_reads)
{
    a_sends(0, 10 * RUN_FITS);
    neighbour_look(&b);
    for (int i = 0; i < 100; i++) {
        b_expects(i * RUN_FITS, RUN_FITS);
        a_sends((10 + i) * RUN_FITS, RUN_FITS);
        neighbour_look(&b);
        assert_in_range(pieces(), 0, i < 2 ? 11 : 1);
    }
    b_expects(100 * RUN_FITS, 10 * RUN_FITS);
    ring_goes_home();
    assert_true(talk_is_silent(&a.heard));
}

/* As long as its reader keeps up, too: the peer need not be far behind for a piece to be kept. */
TEST_MET(ring_is_home_again_after_a_run)
{
    a_sends(0, 2 * RUN_FITS);
    b_expects(0, 2 * RUN_FITS);
    assert_int_equal(pieces(), 1);
    for (int i = 0; i < 2 * RUN_FITS; i++) {
        a_sends(i, 1);
        b_expects(i, 1);
    }
    a_sends(0, RUN_FITS / 2);
    assert_ptr_equal(link_to_b()->writer.slots, link_to_b()->area->slots);
    b_expects(0, RUN_FITS / 2);
    ring_goes_home();
}

TEST_MET(ring_grows_to_the_limit_of_the_arena)
{
    const int most = LIMIT / RING_RUN_SIZE;
    for (int turn = 0; turn < 3; turn++) {
        int sent = 0;
        for (; talk_is_silent(&a.heard); sent++)
            neighbour_send(&a, B, sent, 8);
        assert_int_equal(sent, (most + 1) * RUN_FITS + 1);
        assert_int_equal(pieces(), most);
        assert_int_equal(shm_of(&a.endpoint)->shared->arena.size, LIMIT);
        neighbour_send(&a, B, sent++, LONG);
        assert_int_equal(neighbour_passes_on(&a, &b), 2);
        for (int tag = 0; tag < sent; tag++)
            neighbour_expect(&b, A, tag, tag == sent - 1 ? LONG : 8);
        assert_null(neighbour_arrives(&b));
        neighbour_send(&a, B, 1, LONG); /* all that the ring had is free */
        assert_int_equal(neighbour_passes_on(&a, &b), 1);
        neighbour_expect(&b, A, 1, LONG);
        ring_goes_home();
    }
}

TEST_MET(ring_does_not_grow_into_a_file_that_cannot_be_sent)
{
    struct shm_out *out = link_to_b();
    int there = out->socket;
    out->socket = -1;
    a_sends(0, RUN_FITS);
    assert_true(talk_is_silent(&a.heard));
    neighbour_send(&a, B, RUN_FITS, 8);
    assert_false(talk_is_silent(&a.heard));
    assert_int_equal(neighbour_uses(&a), 0);
    out->socket = there;
    neighbour_send(&a, B, RUN_FITS + 1, 8);
    assert_int_equal(pieces(), 1);
    assert_int_equal(neighbour_passes_on(&a, &b), 2); /* a fence, too */
    b_expects(0, RUN_FITS);
    neighbour_expect(&b, A, RUN_FITS, 8);
    neighbour_expect(&b, A, RUN_FITS + 1, 8);
    ring_goes_home();
}

/* The child closes what it has of the ring; the ring stays as it is. */
TEST_MET(forked_child_leaves_pieces_alone)
{
    int status;
    a_sends(0, 3 * RUN_FITS);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        port_shm.abandon(&a.endpoint);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    a_sends(3 * RUN_FITS, 3 * RUN_FITS);
    b_expects(0, 6 * RUN_FITS);
    ring_goes_home();
    assert_true(talk_is_silent(&a.heard));
}

/* Ends of either side while there are pieces. -------------------------------------------------- */

/* Writes to all of the arena that is free, of whatever size. */
static void fill_the_arena(void)
{
    struct chunk_maker *maker = &shm_of(&a.endpoint)->shared->arena.maker;
    struct chunk *chunks[2 * LIMIT / ARENA_BLOCK_LEAST];
    unsigned count = 0;
    for (size_t size = LIMIT; size >= ARENA_BLOCK_LEAST; size /= 2) {
        while ((chunks[count] = maker->make(maker, size - ARENA_FRONT))) {
            memset(arena_block(chunks[count]), 0xa5, size);
            count++;
        }
    }
    assert_int_equal(neighbour_uses(&a), LIMIT);
    while (count > 0)
        chunk_release(chunks[--count]);
}

TEST_MET(pieces_stay_when_their_sender_enrols_anew)
{
    a_sends(0, 10 * RUN_FITS);
    neighbour_leave(&a);
    assert_non_null(shm_of(&a.endpoint)->shared->parted);
    neighbour_enrol(&a, D, LIMIT);
    fill_the_arena();
    for (int i = 0; i < 10 * RUN_FITS; i++)
        neighbour_expect(&b, A, i, i % 2 ? 8 : 0);
    neighbour_look(&b);
    assert_null(shm_of(&b.endpoint)->in);
    nothing_is_lent();
    assert_null(shm_of(&a.endpoint)->shared->parted);
}

/* A receiver that leaves reads no further, though its program has a body. */
TEST_MET(pieces_come_back_when_their_receiver_leaves)
{
    neighbour_send(&a, B, 0, LONG);
    a_sends(1, 10 * RUN_FITS);
    struct message *kept = neighbour_arrives(&b);
    assert_true(pieces() >= 9);
    neighbour_leave(&b);
    for (int i = 0; i < 2; i++) /* finds that nobody reads, and then gives back */
        shm_tidy(a.endpoint.engine, false);
    assert_int_equal(pieces(), 0);
    assert_int_equal(shm_of(&a.endpoint)->shared->lent, 1);
    talk_expect(kept, 0, LONG);
    neighbour_look(&a);
    nothing_is_lent();
    neighbour_enrol(&b, B, LIMIT);
}

TEST_MET(pieces_and_bodies_come_back_when_their_receiver_dies)
{
    for (int i = 0; i < 20; i++)
        neighbour_send(&a, B, i, LONG);
    a_sends(20, 10 * RUN_FITS);
    assert_true(neighbour_uses(&a) >= (size_t)20 * LONG);
    neighbour_end(&b);
    neighbour_look(&a);
    nothing_is_lent();
    neighbour_send(&a, B, 1, 8); /* to the daemon, as to anyone who is gone */
    talk_expect(talk_read(&a.heard), 1, 8);
}

/* The end of the sender is seen when the ring has been read to its end. */
TEST_MET(what_a_sender_left_in_pieces_is_received)
{
    a_sends(0, 10 * RUN_FITS);
    neighbour_end(&a);
    b_expects(0, 10 * RUN_FITS);
    neighbour_look(&b);
    assert_null(shm_of(&b.endpoint)->in);
}
