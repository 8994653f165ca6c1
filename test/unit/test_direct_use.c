/*
 * test_direct_use.c - what goes over direct routes, in which order, and how they end: with the
 * peer, with the daemon and with the endpoint.
 */
#include <pvm3.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/control.h"
#include "core/tid.h"

#include "stage.h"
#include "unit.h"

#define TEST(name) UNIT_TEST_BETWEEN(name, stage_start, stage_finish)

/* On a route. ---------------------------------------------------------------------------------- */

TEST(message_of_another_than_the_peer_is_dropped)
{
    int descriptor = hand_opens(HIGHER);
    hand_sends(descriptor, LOWER, 1);
    hand_sends(descriptor, HIGHER, 2);
    hand_sends(descriptor, TID_OWN_DAEMON, 3);
    side_expect_arrival(me, HIGHER, 2);
    side_expect_no_arrival(me);
    assert_int_equal(me->drops, 2);
    assert_true(endpoint_has_route(&me->endpoint, HIGHER));
}

TEST(stray_frame_on_a_route_is_told_of)
{
    unsigned char header[FRAME_HEADER_SIZE];
    int descriptor = hand_opens(HIGHER);
    frame_encode(&(struct frame){ME, HIGHER, 0, FRAME_LAST}, header);
    assert_int_equal(send(descriptor, header, sizeof header, 0), sizeof header);
    hand_sends(descriptor, HIGHER, 1);
    side_expect_arrival(me, HIGHER, 1);
    assert_int_equal(me->drops, 1);
}

TEST(corrupt_frame_ends_the_route)
{
    unsigned char header[FRAME_HEADER_SIZE];
    char byte;
    int descriptor = hand_opens(HIGHER);
    frame_encode(&(struct frame){ME, HIGHER, 0xffffffff, 0}, header);
    hand_sends(descriptor, HIGHER, 1);
    assert_int_equal(send(descriptor, header, sizeof header, 0), sizeof header);
    side_look(me);
    side_expect_arrival(me, HIGHER, 1); /* it was good until then */
    side_expect_told(me, 2, HIGHER, false);
    assert_int_equal(me->drops, 1);
    assert_int_equal(me->losses, 0);
    assert_int_equal(recv(descriptor, &byte, 1, 0), 0);
    assert_int_equal(side_send_now(me, HIGHER, 2), 0);
    daemon_hears_tag(me, HIGHER, 2);
}

TEST(end_of_the_peer_ends_the_route)
{
    int descriptor = hand_opens(HIGHER);
    daemon_brings(me, TID_OWN_DAEMON, hand_end(HIGHER));
    side_look(me);
    assert_int_equal(side_state(me, HIGHER), ROUTE_BROKEN); /* more may come */
    hand_sends(descriptor, HIGHER, 1);
    hand_close(descriptor);
    side_look(me);
    side_expect_told(me, 2, HIGHER, false);
    assert_int_equal(me->told_count, 3);
    assert_int_equal(me->drops, 0);
    side_expect_arrival(me, HIGHER, 1);
    assert_int_equal(side_send_now(me, HIGHER, 2), 0);
    daemon_hears_tag(me, HIGHER, 2);
}

/* A sender may find the end before what came last has been read. */
TEST(sender_that_finds_the_end_leaves_what_came_last)
{
    int descriptor = hand_opens(HIGHER);
    hand_sends(descriptor, HIGHER, 1);
    hand_close(descriptor);
    assert_int_equal(side_send_now(me, HIGHER, 2), 0);
    daemon_hears_tag(me, HIGHER, 2);
    assert_int_equal(side_state(me, HIGHER), ROUTE_BROKEN);
    uint32_t tids[] = {HIGHER};
    struct message *message = talk_make(3, 0, SIZE);
    assert_int_equal(endpoint_send_all(&me->endpoint, message, tids, 1), 0);
    message_free(message);
    daemon_hears_multicast(3, (uint32_t[]){HIGHER}, 1);
    side_expect_arrival(me, HIGHER, 1);
    side_look(me);
    side_expect_told(me, 2, HIGHER, false);
    daemon_expect_silence(me);
}

TEST(message_half_written_is_sent_again_through_the_daemon)
{
    char some[1000];
    int descriptor = hand_opens(HIGHER);
    sender_begin_one(0, me, HIGHER, 1);
    sender_join(0, 0);
    hand_hears(descriptor, 1);
    senders[0].size = senders[1].size = TALK_LARGE;
    sender_begin(0);
    talk_await_waiting(&me->endpoint, 1);
    sender_begin_one(1, me, HIGHER, 2);
    talk_await_waiting(&me->endpoint, 2);
    assert_int_equal(recv(descriptor, some, sizeof some, MSG_WAITALL), sizeof some);
    hand_close(descriptor);
    int seen = 0;
    for (int i = 0; i < 2; i++) {
        struct message *message = daemon_hears(me, HIGHER);
        seen += message->header.tag;
        talk_expect(message, message->header.tag, message->header.tag == 1 ? TALK_LARGE : SIZE);
    }
    assert_int_equal(seen, 1 + 2);
    sender_join(0, 0);
    sender_join(1, 0);
    side_look(me);
    side_expect_told(me, 2, HIGHER, false);
}

TEST(multicast_uses_open_routes)
{
    int near = hand_opens(HIGHER);
    int far = hand_opens(FAR);
    uint32_t all[] = {LOWER, HIGHER, FAR, FAR + 1};
    uint32_t routed[] = {HIGHER, FAR};
    OWN struct message *message = talk_make(1, 0, SIZE);
    assert_int_equal(endpoint_send_all(&me->endpoint, message, all, 4), 0);
    daemon_hears_multicast(1, (uint32_t[]){LOWER, FAR + 1}, 2);
    hand_hears(near, 1);
    hand_hears(far, 1);
    side_request_routes(me); /* it never asks for routes */
    assert_int_equal(endpoint_send_all(&me->endpoint, message, routed, 2), 0);
    hand_hears(near, 1);
    hand_hears(far, 1);
    daemon_expect_silence(me);
}

/* More than one look is told of. */
TEST(many_routes_are_read_before_the_daemon)
{
    enum { MANY = 100 };
    int descriptors[MANY];
    for (uint32_t i = 0; i < MANY; i++)
        descriptors[i] = hand_opens(HIGHER + i);
    for (uint32_t i = 0; i < MANY; i++) {
        hand_sends(descriptors[i], HIGHER + i, 1);
        hand_close(descriptors[i]);
    }
    daemon_brings_tag(me, TID_OWN_DAEMON, 2);
    for (uint32_t i = 0; i < MANY; i++)
        talk_expect(talk_next(&me->endpoint), 1, SIZE);
    side_expect_arrival(me, TID_OWN_DAEMON, 2);
    side_look(me);
    assert_int_equal(stream_of(&me->endpoint)->routes, 0);
    assert_int_equal(stream_of(&me->endpoint)->watched, 0);
    for (uint32_t i = 0; i < MANY; i++)
        side_expect_told(me, (int)(2 * MANY + i), me->told[2 * MANY + i].peer, false);
}

/* Order. --------------------------------------------------------------------------------------- */

TEST(threads_keep_their_order_when_a_route_is_denied)
{
    enum { EACH = 50 };
    int next[THREADS] = {0};
    address_text mine;
    side_request_routes(me);
    senders_begin(me, HIGHER, EACH, SIZE);
    message_free(daemon_hears_request(me, HIGHER, mine));
    daemon_brings(me, HIGHER, hand_answer(CONTROL_TASK_PROTOCOL, 1, ""));
    for (int i = 0; i < THREADS * EACH; i++)
        senders_expect_next(daemon_hears(me, HIGHER), next);
    senders_join(0);
    daemon_expect_silence(me);
}

/* The peer reads some messages and goes: what it has not read is lost with it, the rest is not. */
TEST(threads_keep_their_order_when_a_route_ends)
{
    enum { EACH = 50, READ = 7, LONG = 100000 };
    struct talk_reader reader;
    int next[THREADS] = {0};
    address_text address;
    hand_asks(HIGHER, address);
    senders_begin(me, HIGHER, EACH, LONG);
    int descriptor = hand_connect(address);
    talk_reader_start(&reader, descriptor);
    for (int i = 0; i < READ; i++)
        senders_expect_next(talk_read(&reader), next);
    talk_reader_finish(&reader);
    hand_close(descriptor);
    bool begun[THREADS] = {false};
    for (int ended = 0; ended < THREADS;) {
        struct message *message = daemon_hears(me, HIGHER);
        int thread = message->header.tag / 1000 - 1;
        if (!begun[thread]) { /* the socket held some that nobody reads */
            begun[thread] = true;
            assert_in_range(message->header.tag % 1000, next[thread], EACH - 1);
            next[thread] = message->header.tag % 1000;
        }
        senders_expect_next(message, next);
        ended += next[thread] == EACH;
    }
    senders_join(0);
    daemon_expect_silence(me);
}

/* What a peer does between two looks at different sockets. */
static struct {
    int descriptor;       /* of its route, or -1 before it has connected; */
    address_text address; /* then where to */
    bool told;            /* the daemon tells of its end */
    uint32_t last;        /* from whom the daemon brings a message then */
} cue;

static void peer_sends_and_ends(struct side *side)
{
    int descriptor = cue.descriptor >= 0 ? cue.descriptor : hand_connect(cue.address);
    hand_sends(descriptor, FAR, 2);
    hand_close(descriptor);
    if (cue.told)
        daemon_brings(side, TID_OWN_DAEMON, hand_end(FAR));
    daemon_brings_tag(side, cue.last, 3);
}

/*
 * The peer FAR sends when the daemon's socket is known to be readable, and the route of FAR is not
 * yet; or, if `descriptor` is -1, FAR has not even connected.
 */
static void expect_route_before_daemon(int descriptor, bool told, uint32_t last)
{
    int first = hand_opens(HIGHER);
    cue.descriptor = descriptor;
    cue.told = told;
    cue.last = last;
    me->on_cue = peer_sends_and_ends;
    daemon_brings_tag(me, LOWER, 1);
    hand_sends(first, HIGHER, CUE);
    side_look(me);
    side_expect_arrival(me, HIGHER, CUE);
    side_expect_arrival(me, FAR, 2);
    side_expect_arrival(me, LOWER, 1);
    side_expect_arrival(me, last, 3);
}

TEST(word_of_the_end_comes_after_the_route)
{
    expect_route_before_daemon(hand_opens(FAR), false, TID_OWN_DAEMON);
}

TEST(word_of_the_end_comes_after_a_route_that_was_not_open)
{
    hand_asks(FAR, cue.address);
    expect_route_before_daemon(-1, true, TID_OWN_DAEMON);
    assert_int_equal(side_state(me, FAR), -1);
}

TEST(what_follows_a_route_that_ended_comes_after_it)
{
    hand_asks(FAR, cue.address);
    expect_route_before_daemon(-1, false, FAR);
}

/* Ends of the whole. --------------------------------------------------------------------------- */

/* Threads wait for routes that are asked for, granted and on their way, and to write on one. */
static int begin_to_wait_in_all_states(void)
{
    address_text address;
    int descriptor = hand_opens(LOWER);
    hand_asks(HIGHER, address);
    sender_begin_connecting(); /* thread 0 */
    senders[1] = (struct sender){.side = me, .tids = {LOWER}, .tid_count = 1, .tag = 1};
    senders[1].count = 1;
    senders[1].size = TALK_LARGE;
    sender_begin(1);
    talk_await_waiting(&me->endpoint, 2);
    sender_begin_one(2, me, HIGHER, 2);
    talk_await_waiting(&me->endpoint, 3);
    sender_begin_one(3, me, HIGHER + 1, 3);
    message_free(daemon_hears_request(me, HIGHER + 1, address));
    talk_await_waiting(&me->endpoint, 4);
    return descriptor;
}

TEST(loss_of_the_daemon_fails_all_that_wait_for_routes)
{
    begin_to_wait_in_all_states();
    side_close_daemon(me);
    senders_join(CK_LOST);
    assert_int_equal(me->losses, 1);
    assert_int_equal(side_send_now(me, LOWER, 1), CK_LOST);
}

TEST(detach_fails_all_that_wait_for_routes)
{
    begin_to_wait_in_all_states();
    endpoint_detach(&me->endpoint);
    senders_join(CK_LOST);
    assert_int_equal(me->losses, 0);
    assert_int_equal(stage_entries(stage_folder), 2);
    assert_int_equal(stream_of(&me->endpoint)->routes, 0);
    assert_int_equal(stream_of(&me->endpoint)->watched, 0);
}

TEST(detach_leaves_nothing_of_any_route)
{
    address_text address;
    side_request_routes(me);
    side_expect_refused(HIGHER, hand_answer(CONTROL_TASK_PROTOCOL, 1, ""));
    hand_opens(HIGHER + 1);
    hand_opens(FAR);
    hand_asks(HIGHER + 2, address);
    hand_asks(FAR + 1, address);
    hand_close(hand_opens(HIGHER + 3));
    assert_int_equal(side_send_now(me, HIGHER + 3, 1), 0);
    assert_int_equal(side_state(me, HIGHER + 3), ROUTE_BROKEN);
    daemon_hears_tag(me, HIGHER + 3, 1);
    hand_close(hand_opens(HIGHER + 4));
    hand_sends(hand_opens(HIGHER + 5), HIGHER + 5, 1); /* which nobody reads any more */
    endpoint_detach(&me->endpoint);
    assert_int_equal(stage_entries(stage_folder), 2);
    side_close_daemon(me);
    assert_int_equal(side_attach(me), 0); /* and no route is left for the next life */
    endpoint_open(&me->endpoint, ME, LOOPBACK);
    assert_int_equal(stream_of(&me->endpoint)->routes, 0);
    hand_opens(HIGHER);
}

/* A child that was forked has the sockets, too: what happens on those must not keep us awake. */
TEST(socket_that_a_child_keeps_wakes_nobody)
{
    struct epoll_event event;
    address_text first, second;
    hand_asks(FAR, first);
    hand_keep(dup(me->told[0].descriptor));
    hand_connect(first);
    side_look(me);
    int stranger = hand_keep(socket(AF_INET, SOCK_STREAM, 0));
    assert_int_equal(hand_dial(stranger, first), 0); /* to the child */
    assert_int_equal(epoll_wait(me->endpoint.waiting->epoll, &event, 1, 0), 0);
    hand_asks(FAR + 1, second);
    hand_keep(dup(me->told[2].descriptor));
    daemon_brings_tag(me, FAR + 1, 1);
    side_look(me);
    hand_connect(second);
    assert_int_equal(epoll_wait(me->endpoint.waiting->epoll, &event, 1, 0), 0);
    hand_asks(FAR + 2, second);
    hand_keep(dup(me->told[3].descriptor));
    hand_keep(dup(me->endpoint.descriptor));
    endpoint_detach(&me->endpoint);
    hand_connect(second);
    side_close_daemon(me);
    assert_int_equal(epoll_wait(me->endpoint.waiting->epoll, &event, 1, 0), 0);
}

/* What comes before the task is introduced takes effect then, in order. */
TEST(request_may_come_before_the_endpoint_is_open)
{
    address_text address;
    endpoint_detach(&me->endpoint);
    side_close_daemon(me);
    assert_int_equal(side_attach(me), 0);
    daemon_brings_tag(me, HIGHER, 1);
    daemon_brings(me, HIGHER, hand_request(CONTROL_TASK_PROTOCOL, "/any"));
    daemon_brings_tag(me, LOWER, 2);
    struct message *answer = talk_make(3, 7, SIZE);
    daemon_brings(me, TID_OWN_DAEMON, answer);
    struct message *request = talk_make(3, 7, SIZE), *reply;
    const struct parcel parcel = {request, TID_OWN_DAEMON};
    const struct pattern pattern = {TID_OWN_DAEMON, 3, PATTERN_ANY, 7};
    assert_int_equal(endpoint_call(&me->endpoint, &parcel, false, &pattern, &reply), 0);
    talk_expect(reply, 3, SIZE);
    message_free(request);
    request = talk_read(&me->heard);
    assert_int_equal(request->header.source, TID_ANY);
    message_free(request);
    daemon_expect_silence(me);
    assert_int_equal(stream_of(&me->endpoint)->routes, 0);
    endpoint_open(&me->endpoint, ME, LOOPBACK);
    message_free(daemon_hears_answer(me, HIGHER, true, address));
    side_expect_arrival(me, HIGHER, 1);
    side_expect_arrival(me, LOWER, 2);
    int descriptor = hand_connect(address);
    hand_sends(descriptor, HIGHER, 4);
    side_expect_arrival(me, HIGHER, 4);
}
