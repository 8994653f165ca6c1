/* test_shm_parting.c - what a task has sent stays as it was, also when it or its peer leaves. */
#include <unistd.h>

#include "ck/ports/shm/shm.h"

#include "neighbours.h"
#include "unit.h"

#define D     0x40004u
#define LONG  10000
#define SENT  5
#define TURNS 20

/* The messages `tag` and on come from a, one after the other. */
static void b_expects(int32_t tag, int count)
{
    for (int i = 0; i < count; i++)
        neighbour_expect(&b, a.tid, tag + i, LONG);
}

static void a_sends(int32_t tag, int count)
{
    for (int i = 0; i < count; i++)
        neighbour_send(&a, b.tid, tag + i, LONG);
}

static int parted_links(void)
{
    int count = 0;
    for (const struct shm_out *out = shm_of(&a.endpoint)->shared->parted; out; out = out->next)
        count++;
    return count;
}

/* All that a has of links to b. */
static int links_to_b(uint32_t tid)
{
    int ended = 0;
    for (const struct entry *entry = a.endpoint.peers.ended; entry; entry = entry->next)
        ended++;
    return (neighbour_link(&a, tid) != NULL) + ended + parted_links();
}

#define TEST(name)     UNIT_TEST_BETWEEN(name, neighbours_start, neighbours_finish)
#define TEST_MET(name) UNIT_TEST_BETWEEN(name, neighbours_start_met, neighbours_finish)

TEST(bodies_stay_when_their_sender_enrols_anew)
{
    neighbours_meet();
    a_sends(10, SENT);
    struct message *early = neighbour_arrives(&b);
    neighbour_leave(&a);
    neighbour_enrol(&a, D, LIMIT);
    neighbour_look(&b);
    for (int i = 1; i < SENT; i++) /* queued since */
        neighbour_expect(&b, A, 10 + i, LONG);
    neighbours_meet();
    for (int turn = 0; turn < TURNS; turn++) {
        a_sends(100, SENT);
        b_expects(100, SENT);
    }
    assert_int_equal(parted_links(), 1);
    talk_expect(early, 10, LONG);
    shm_tidy(a.endpoint.engine, true);
    assert_null(shm_of(&a.endpoint)->shared->parted);
    assert_int_equal(neighbour_uses(&a), 0);
}

TEST(bodies_stay_when_their_receiver_enrols_anew)
{
    neighbours_meet();
    a_sends(10, SENT);
    struct message *kept = neighbour_arrives(&b);
    int copy = dup(shm_of(&b.endpoint)->in->socket); /* as a child of fork may have one */
    neighbour_leave(&b);                             /* without the others */
    neighbour_enrol(&b, D, LIMIT);
    neighbours_meet();
    for (int turn = 0; turn < TURNS; turn++) {
        a_sends(100, SENT);
        b_expects(100, SENT);
    }
    neighbour_look(&a);
    assert_int_equal(links_to_b(B), 1);
    talk_expect(kept, 10, LONG);
    neighbour_look(&a);
    assert_int_equal(links_to_b(B), 0);
    shm_tidy(a.endpoint.engine, false);
    assert_int_equal(neighbour_uses(&a), 0);
    close(copy);
}

/* Of a process that ended the system closes the socket. */
TEST_MET(what_a_process_had_is_free_when_it_ends)
{
    a_sends(10, SENT);
    OWN struct message *kept = neighbour_arrives(&b);
    struct shm_body *body = (struct shm_body *)(void *)kept->segments[0].chunk;
    neighbour_leave(&a);
    neighbour_look(&b);
    for (int i = 1; i < SENT; i++)
        neighbour_expect(&b, A, 10 + i, LONG);
    neighbour_enrol(&a, D, LIMIT);
    shm_tidy(a.endpoint.engine, true);
    assert_int_equal(parted_links(), 1);
    assert_true(neighbour_uses(&a) >= LONG);
    close(body->link->tie);
    body->link->tie = -1;
    shm_tidy(a.endpoint.engine, true);
    assert_null(shm_of(&a.endpoint)->shared->parted);
    assert_int_equal(neighbour_uses(&a), 0);
}

TEST(sockets_are_not_kept_for_processes_that_have_ended)
{
    struct message *kept[TURNS];
    for (int turn = 0; turn < TURNS; turn++) {
        neighbours_meet();
        a_sends(turn, 1);
        kept[turn] = neighbour_arrives(&b);
        neighbour_leave(&a);
        neighbour_look(&b);
        talk_end(&a.endpoint);
        neighbour_begin(&a, turn % 2 ? A : D, LIMIT);
        int ties = 0;
        for (const struct shm_in *in = shm_of(&b.endpoint)->shared->ties; in; in = in->next_tied)
            ties++;
        assert_int_equal(ties, 1);
    }
    for (int turn = 0; turn < TURNS; turn++)
        talk_expect(kept[turn], turn, LONG);
    assert_null(shm_of(&b.endpoint)->shared->ties);
}

TEST(who_enrols_often_keeps_little)
{
    struct message *kept = NULL;
    int first = 0;
    for (int turn = 0; turn < 1000; turn++) {
        neighbours_meet();
        a_sends(10, 1);
        message_free(kept); /* of the last turn */
        kept = neighbour_arrives(&b);
        assert_true(parted_links() <= 1);
        int next = dup(a.daemon); /* the lowest number that is free */
        close(next);
        if (turn == 2)
            first = next;
        assert_true(turn < 2 || next <= first);
        neighbour_leave(&a);
        neighbour_look(&b);
        assert_null(shm_of(&b.endpoint)->in);
        neighbour_enrol(&a, turn % 2 ? A : D, LIMIT);
    }
    talk_expect(kept, 10, LONG);
}
