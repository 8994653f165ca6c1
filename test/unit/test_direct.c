/*
 * test_direct.c - how endpoints come to direct routes, or to none, when each message of the daemons
 * comes at the moment that suits least.
 */
#include <pthread.h>
#include <pvm3.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/control.h"
#include "core/tid.h"

#include "body.h"
#include "shortage.h"
#include "stage.h"
#include "unit.h"

#define TEST(name) UNIT_TEST_BETWEEN(name, stage_start, stage_finish)

/* Agreement. ----------------------------------------------------------------------------------- */

/*
 * A peer of 3.4.6 looks at no version, and takes only the first character of an address to heart.
 */
TEST(peer_by_hand_grants)
{
    const uint32_t peers[] = {HIGHER, FAR};
    side_request_routes(me);
    for (int i = 0; i < 2; i++) {
        address_text address, mine;
        int listening = hand_listen(i == 0, 1, address);
        sender_begin_one(0, me, peers[i], 1);
        message_free(daemon_hears_request(me, peers[i], mine));
        daemon_brings(me, peers[i], hand_answer(CONTROL_TASK_PROTOCOL, 0, address));
        sender_join(0, 0);
        int descriptor = hand_accept(listening, address);
        hand_hears(descriptor, 1);
        hand_sends(descriptor, peers[i], 2);
        side_expect_arrival(me, peers[i], 2);
    }
    daemon_expect_silence(me);
}

/* What a peer granted goes on sending through its daemon until it has accepted, in 3.4.6. */
TEST(granting_peer_of_3_4_6_may_use_both_ways)
{
    address_text address, mine;
    int listening = hand_listen(true, 1, address);
    side_request_routes(me);
    sender_begin_one(0, me, HIGHER, 1);
    message_free(daemon_hears_request(me, HIGHER, mine));
    daemon_brings_tag(me, HIGHER, 2);
    daemon_brings(me, HIGHER, hand_answer(CONTROL_TASK_PROTOCOL, 0, address));
    daemon_brings_tag(me, HIGHER, 3);
    sender_join(0, 0);
    side_look(me);
    hand_hears(hand_accept(listening, address), 1);
    assert_true(endpoint_has_route(&me->endpoint, HIGHER));
    side_expect_arrival(me, HIGHER, 2);
    side_expect_arrival(me, HIGHER, 3);
}

TEST(route_is_asked_for_only_when_wanted)
{
    OWN struct message *message = talk_make(3, 0, SIZE);
    const struct parcel parcel = {message, HIGHER};
    assert_int_equal(side_send_now(me, HIGHER, 1), 0); /* ROUTING_GRANTED */
    daemon_hears_tag(me, HIGHER, 1);
    atomic_store(&me->endpoint.routing, ROUTING_NEVER);
    assert_int_equal(side_send_now(me, HIGHER, 2), 0);
    daemon_hears_tag(me, HIGHER, 2);
    side_request_routes(me);
    assert_int_equal(endpoint_send(&me->endpoint, &parcel, false), 0);
    daemon_hears_tag(me, HIGHER, 3);
    assert_int_equal(side_send_now(me, ME, 4), 0); /* to itself: stays here */
    side_expect_arrival(me, ME, 4);
    assert_int_equal(side_send_now(me, TID_OWN_DAEMON, 5), 0);
    daemon_hears_tag(me, TID_OWN_DAEMON, 5);
    daemon_expect_silence(me);
}

TEST(descriptors_are_those_of_the_daemon_and_of_routes_in_order)
{
    address_text address;
    int list[4];
    hand_opens(FAR);
    hand_opens(LOWER);
    hand_asks(HIGHER, address);
    assert_int_equal(endpoint_descriptors(&me->endpoint, list, 4), 4);
    assert_int_equal(list[1], me->told[3].descriptor);
    assert_int_equal(list[2], me->told[4].descriptor); /* listens */
    assert_int_equal(list[3], me->told[1].descriptor);
    list[1] = -1;
    assert_int_equal(endpoint_descriptors(&me->endpoint, list, 1), 4);
    assert_int_equal(list[1], -1);
}

/* Denial. -------------------------------------------------------------------------------------- */

TEST(task_that_wants_no_routes_denies)
{
    side_start_other(HIGHER);
    side_request_routes(me);
    atomic_store(&other->endpoint.routing, ROUTING_NEVER);
    sender_begin_one(0, me, HIGHER, 1);
    daemon_passes_request(me, other);
    side_look(other);
    daemon_hears_denial(other, ME, true);
    daemon_brings(me, HIGHER, hand_answer(CONTROL_TASK_PROTOCOL, 1, ""));
    sender_join(0, 0);
    daemon_hears_tag(me, HIGHER, 1);
    assert_int_equal(side_send_now(me, HIGHER, 2), 0); /* it is not asked again */
    daemon_hears_tag(me, HIGHER, 2);
    side_request_routes(other); /* nor does it ask, should it change its mind */
    assert_int_equal(side_send_now(other, ME, 3), 0);
    daemon_hears_tag(other, ME, 3);
    daemon_expect_silence(me);
    daemon_expect_silence(other);
    assert_int_equal(side_state(me, HIGHER), ROUTE_DENIED);
    assert_int_equal(side_state(other, ME), ROUTE_DENIED);
    assert_int_equal(me->told_count + other->told_count, 0);
}

TEST(answer_that_opens_nothing_is_a_denial)
{
    const int version = CONTROL_TASK_PROTOCOL;
    char long_path[200] = "/";
    memset(long_path + 1, 'x', 107);
    side_request_routes(me);
    side_expect_refused(HIGHER, hand_answer(version, 1, ""));
    side_expect_refused(HIGHER + 1, hand_answer(version, 1, "/tmp"));
    side_expect_refused(HIGHER + 2, hand_answer(version + 1, 0, "/tmp"));
    side_expect_refused(HIGHER + 3, hand_answer(version, 0, "/no/such/name"));
    side_expect_refused(HIGHER + 4, hand_answer(version, 0, "/tmp"));
    side_expect_refused(HIGHER + 5, hand_answer(version, 0, long_path));
    side_expect_refused(HIGHER + 6, hand_answer(version, 0, "7f000001:1")); /* the other kind */
    side_expect_refused(HIGHER + 7, hand_answer(version, 0, ""));
    side_expect_refused(HIGHER + 8, hand_answer(version, 0, "nonsense"));
    side_expect_refused(HIGHER + 9, hand_answer(version, 0, NULL));
    side_expect_refused(HIGHER + 10, control_new(TC_CONACK, CONTROL_CONTEXT_TC, 0));
    side_expect_refused(FAR, hand_answer(version, 0, "/tmp"));
    side_expect_refused(FAR + 1, hand_answer(version, 0, "7f000001:0"));
    side_expect_refused(FAR + 2, hand_answer(version, 0, "xyz"));
    memset(long_path + 1, 'x', 106); /* the longest name that a socket can have */
    side_expect_refused(HIGHER + 11, hand_answer(version, 0, long_path));
}

/* Where nobody listens any more, which shows only when the connection has been on its way. */
TEST(address_where_nobody_listens_is_a_denial)
{
    for (uint32_t i = 0; i < 2; i++) {
        address_text address;
        hand_close(hand_listen(i == 0, 1, address));
        if (i == 0)
            unlink(address);
        side_request_routes(me);
        side_expect_refused(i == 0 ? HIGHER : FAR, hand_answer(CONTROL_TASK_PROTOCOL, 0, address));
    }
}

TEST(senseless_request_is_denied)
{
    daemon_brings(me, HIGHER, hand_request(CONTROL_TASK_PROTOCOL + 1, "/any"));
    daemon_brings(me, HIGHER, hand_request(CONTROL_TASK_PROTOCOL, NULL));
    daemon_brings(me, HIGHER, control_new(TC_CONREQ, CONTROL_CONTEXT_TC, 0));
    side_look(me);
    for (int i = 0; i < 3; i++)
        daemon_hears_denial(me, HIGHER, i == 0);
    daemon_brings(me, HIGHER, hand_request(CONTROL_TASK_PROTOCOL, "nonsense"));
    side_look(me);
    daemon_hears_denial(me, HIGHER, true);
    assert_int_equal(side_state(me, HIGHER), ROUTE_DENIED);
    assert_int_equal(side_send_now(me, HIGHER, 1), 0);
    daemon_hears_tag(me, HIGHER, 1);
    daemon_expect_silence(me);
}

/* Anyone on the host may connect to a port: that takes the place of the peer neither way. */
TEST(only_the_peer_may_connect)
{
    address_text address;
    char byte;
    hand_asks(FAR, address);
    for (int i = 0; i < 3; i++) {
        int stranger = hand_keep(socket(AF_INET, SOCK_STREAM, 0));
        assert_int_equal(hand_dial(stranger, address), 0);
        side_look(me);
        assert_int_equal(recv(stranger, &byte, 1, 0), 0);
        assert_int_equal(side_state(me, FAR), ROUTE_GRANTED);
    }
    hand_connect(address);
    side_look(me);
    assert_int_equal(side_state(me, FAR), ROUTE_OPEN);
    assert_int_equal(me->drops, 0);
}

/* The secret of the peer, which is granted a route to this address. */
static const unsigned char told_secret[OFFER_SECRET_SIZE] = {1, 2, 3, [OFFER_SECRET_SIZE - 1] = 9};

static void grant_to_who_has_the_secret(address_text address)
{
    struct control_reader reader;
    daemon_brings(me, FAR, hand_request_with(told_secret));
    side_look(me);
    OWN struct message *answer = daemon_hears_answer(me, FAR, true, address);
    control_read(&reader, answer);
    control_get_int(&reader);
    control_get_int(&reader);
    free(control_get_string(&reader, 0));
    assert_int_equal(control_get_int(&reader), 1);
    assert_int_equal(control_rest(&reader), 0);
}

/* What pvm_getfds tells of the route. */
static int route_descriptor(void)
{
    int list[2];
    assert_int_equal(endpoint_descriptors(&me->endpoint, list, 2), 2);
    return list[1];
}

static void hand_hears_half(int descriptor, const unsigned char half[ROUTE_SECRET_HALF])
{
    unsigned char said[ROUTE_SECRET_HALF];
    assert_int_equal(recv(descriptor, said, sizeof said, MSG_WAITALL), sizeof said);
    assert_memory_equal(said, half, sizeof said);
}

TEST(wrong_secret_makes_no_peer)
{
    address_text address;
    char byte;
    grant_to_who_has_the_secret(address);
    int listening = route_descriptor();
    for (size_t right = 0; right < ROUTE_SECRET_HALF; right++) {
        unsigned char said[ROUTE_SECRET_HALF];
        memcpy(said, told_secret, sizeof said);
        said[right] ^= 1;
        int stranger = hand_connect(address);
        side_look(me);
        assert_int_not_equal(route_descriptor(), listening);
        assert_int_equal(send(stranger, said, sizeof said, 0), sizeof said);
        side_look(me);
        assert_true(recv(stranger, &byte, 1, 0) <= 0);
        assert_int_equal(side_state(me, FAR), ROUTE_GRANTED);
        assert_int_equal(route_descriptor(), listening);
        hand_close(stranger);
    }
    int stranger = hand_connect(address);
    hand_sends(stranger, FAR, 1);
    side_look(me);
    side_expect_no_arrival(me);
    hand_close(stranger);
    hand_close(hand_connect(address)); /* it says nothing */
    side_look(me);
    side_look(me);
    int peer = hand_connect(address);
    assert_int_equal(send(peer, told_secret, ROUTE_SECRET_HALF, 0), ROUTE_SECRET_HALF);
    hand_sends(peer, FAR, 2);
    side_expect_arrival(me, FAR, 2);
    for (int32_t tag = 3; tag < 5; tag++) {
        assert_int_equal(side_send_now(me, FAR, tag), 0);
        if (tag == 3)
            hand_hears_half(peer, told_secret + ROUTE_SECRET_HALF);
        hand_hears(peer, tag);
    }
    assert_int_equal(side_state(me, FAR), ROUTE_OPEN);
    assert_int_equal(me->told_count, 2);
    assert_int_equal(me->drops, 0);
}

TEST(secret_may_come_in_pieces)
{
    address_text address;
    grant_to_who_has_the_secret(address);
    int peer = hand_connect(address);
    for (size_t i = 0; i < ROUTE_SECRET_HALF; i++) {
        side_look(me);
        assert_int_equal(side_state(me, FAR), ROUTE_GRANTED);
        assert_int_equal(send(peer, &told_secret[i], 1, 0), 1);
    }
    side_look(me);
    assert_int_equal(side_state(me, FAR), ROUTE_OPEN);
    hand_sends(peer, FAR, 1);
    side_expect_arrival(me, FAR, 1);
}

/* The daemon tells of the end twice: the program, and behind that the library. */
TEST(word_of_the_end_waits_for_the_stream_of_a_far_peer)
{
    enum { WORD = 77 };
    address_text address;
    grant_to_who_has_the_secret(address);
    int peer = hand_connect(address);
    assert_int_equal(send(peer, told_secret, ROUTE_SECRET_HALF, 0), ROUTE_SECRET_HALF);
    side_look(me);
    assert_int_equal(side_state(me, FAR), ROUTE_OPEN);
    OWN struct message *word = control_new(WORD, 0, 0);
    control_put_tid(word, FAR);
    daemon_brings(me, TID_OWN_DAEMON, word);
    side_expect_no_arrival(me);
    hand_sends(peer, FAR, 1);
    side_expect_arrival(me, FAR, 1);
    daemon_brings(me, TID_OWN_DAEMON, hand_end(FAR));
    hand_sends(peer, FAR, 2);
    hand_close(peer);
    side_expect_arrival(me, FAR, 2);
    const struct pattern that = {TID_OWN_DAEMON, WORD, PATTERN_ANY, 0};
    assert_int_equal(endpoint_poll(&me->endpoint, &that, &word), 0);
    assert_non_null(word);
}

TEST(connection_without_the_secret_ends_with_the_peer)
{
    address_text address;
    char byte;
    grant_to_who_has_the_secret(address);
    int stranger = hand_connect(address);
    side_look(me);
    daemon_brings(me, TID_OWN_DAEMON, hand_end(FAR));
    side_look(me);
    assert_int_equal(side_state(me, FAR), -1);
    assert_true(recv(stranger, &byte, 1, 0) <= 0);
    int late = hand_keep(socket(AF_INET, SOCK_STREAM, 0));
    assert_int_equal(hand_dial(late, address), -1);
}

/* `me` asks `peer` for a route, and tells the secret; the socket of the peer. */
static int hand_is_asked(uint32_t peer, bool asks_back, unsigned char secret[OFFER_SECRET_SIZE])
{
    address_text address, mine;
    struct control_reader reader;
    int listening = hand_listen(false, 1, address);
    sender_begin_one(0, me, peer, 1);
    struct message *request = daemon_hears_request(me, peer, mine);
    control_read(&reader, request);
    control_get_int(&reader);
    free(control_get_string(&reader, 0));
    assert_int_equal(control_rest(&reader), OFFER_SECRET_SIZE);
    control_get_bytes(&reader, secret, OFFER_SECRET_SIZE);
    message_free(request);
    daemon_brings(me, peer,
                  asks_back ? hand_answer_with(address, 1)
                            : hand_answer(CONTROL_TASK_PROTOCOL, 0, address));
    sender_join(0, 0);
    return hand_accept(listening, address);
}

/* A peer of 3.4.6 must not get the secret, which would be a frame to it, and says none. */
TEST(secret_is_said_to_who_asks)
{
    unsigned char secret[OFFER_SECRET_SIZE];
    side_request_routes(me);
    for (int asks_back = 0; asks_back < 2; asks_back++) {
        uint32_t peer = FAR + (uint32_t)asks_back;
        int descriptor = hand_is_asked(peer, asks_back, secret);
        if (asks_back)
            hand_hears_half(descriptor, secret);
        hand_hears(descriptor, 1);
        for (size_t i = 0; asks_back && i < ROUTE_SECRET_HALF; i++) {
            side_look(me);
            assert_int_equal(send(descriptor, &secret[ROUTE_SECRET_HALF + i], 1, 0), 1);
        }
        hand_sends(descriptor, peer, 2);
        side_expect_arrival(me, peer, 2);
    }
}

TEST(wrong_answer_ends_the_route)
{
    unsigned char secret[OFFER_SECRET_SIZE];
    side_request_routes(me);
    for (int half = 0; half < 2; half++) {
        uint32_t peer = FAR + (uint32_t)half;
        int descriptor = hand_is_asked(peer, true, secret);
        if (half == 1) /* the one that the peer was told */
            assert_int_equal(send(descriptor, secret, ROUTE_SECRET_HALF, 0), ROUTE_SECRET_HALF);
        hand_sends(descriptor, peer, 2);
        side_look(me);
        side_expect_no_arrival(me);
        assert_int_equal(side_state(me, peer), -1);
    }
}

TEST(request_of_who_is_no_other_task_is_ignored)
{
    daemon_brings(me, ME, hand_request(CONTROL_TASK_PROTOCOL, "/any"));
    daemon_brings(me, TID_OWN_DAEMON, hand_request(CONTROL_TASK_PROTOCOL, "/any"));
    daemon_brings(me, 0x40000u | TID_DAEMON_BIT, hand_request(CONTROL_TASK_PROTOCOL, "/any"));
    daemon_brings(me, ME | TID_MULTICAST_BIT, hand_request(CONTROL_TASK_PROTOCOL, "/any"));
    daemon_brings(me, 0, hand_request(CONTROL_TASK_PROTOCOL, NULL));
    side_look(me);
    daemon_expect_silence(me);
    assert_int_equal(stream_of(&me->endpoint)->routes, 0);
}

TEST(answer_that_nobody_asked_for_is_ignored)
{
    address_text address;
    int listening = hand_listen(true, 1, address);
    int descriptor = hand_opens(LOWER);
    daemon_brings(me, HIGHER, hand_answer(CONTROL_TASK_PROTOCOL, 0, address));
    daemon_brings(me, LOWER, hand_answer(CONTROL_TASK_PROTOCOL, 1, ""));
    daemon_brings(me, HIGHER, hand_end(HIGHER));
    daemon_brings(me, HIGHER, control_new(TC_TASKEXIT, CONTROL_CONTEXT_TC, 0));
    side_look(me);
    daemon_expect_silence(me);
    assert_int_equal(side_state(me, HIGHER), -1);
    assert_int_equal(side_send_now(me, LOWER, 1), 0);
    hand_hears(descriptor, 1);
    unlink(address);
    hand_close(listening);
}

/* Without a socket or a name for it no route is asked for or granted. */
static void expect_no_means(void)
{
    side_request_routes(me);
    assert_int_equal(side_send_now(me, HIGHER, 1), 0);
    daemon_hears_tag(me, HIGHER, 1);
    assert_int_equal(side_state(me, HIGHER), ROUTE_DENIED);
    daemon_brings(me, LOWER, hand_request(CONTROL_TASK_PROTOCOL, "/any"));
    side_look(me);
    daemon_hears_denial(me, LOWER, true);
    assert_int_equal(side_state(me, LOWER), ROUTE_DENIED);
    daemon_expect_silence(me);
}

TEST(task_without_names_gets_no_unix_route)
{
    me->nameless = true;
    expect_no_means();
}

TEST(name_too_long_for_a_socket_serves_no_route)
{
    me->name_width = 120;
    expect_no_means();
}

TEST(name_in_use_is_not_taken)
{
    me->taken = 100;
    expect_no_means();
    me->taken = 3;
    hand_opens(HIGHER + 1);
}

/* The system gives no further descriptor until this is called with false. */
static void exhaust_descriptors(bool exhausted)
{
    static struct rlimit before;
    struct rlimit limit;
    int next = dup(me->daemon);
    close(next);
    if (exhausted)
        assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    limit = before;
    if (exhausted)
        limit.rlim_cur = (rlim_t)next;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

TEST(task_without_descriptors_gets_no_route)
{
    exhaust_descriptors(true);
    expect_no_means();
    daemon_brings(me, FAR, hand_request(CONTROL_TASK_PROTOCOL, hand_address(FAR)));
    side_look(me);
    daemon_hears_denial(me, FAR, true);
    exhaust_descriptors(false);
}

TEST(connection_that_cannot_be_accepted_is_told_of)
{
    address_text address;
    char byte;
    hand_asks(HIGHER, address);
    int descriptor = hand_connect(address);
    exhaust_descriptors(true);
    side_look(me);
    exhaust_descriptors(false);
    assert_int_equal(me->drops, 1);
    assert_int_equal(side_state(me, HIGHER), ROUTE_DENIED);
    assert_true(recv(descriptor, &byte, 1, 0) <= 0); /* the peer knows */
    assert_int_equal(side_send_now(me, HIGHER, 1), 0);
    daemon_hears_tag(me, HIGHER, 1);
}

TEST(denied_route_is_not_granted_by_who_wants_none)
{
    side_request_routes(me);
    side_expect_refused(HIGHER, hand_answer(CONTROL_TASK_PROTOCOL, 1, ""));
    atomic_store(&me->endpoint.routing, ROUTING_NEVER);
    daemon_brings(me, HIGHER, hand_request(CONTROL_TASK_PROTOCOL, "/any"));
    side_look(me);
    daemon_hears_denial(me, HIGHER, false);
    daemon_expect_silence(me);
}

/* Both ask. ------------------------------------------------------------------------------------ */

TEST(lower_task_ignores_a_crossed_request)
{
    address_text address, mine;
    int listening = hand_listen(true, 1, address);
    side_request_routes(me);
    sender_begin_one(0, me, HIGHER, 1);
    message_free(daemon_hears_request(me, HIGHER, mine));
    daemon_brings(me, HIGHER, hand_request(CONTROL_TASK_PROTOCOL, "/any"));
    daemon_brings(me, HIGHER, hand_answer(CONTROL_TASK_PROTOCOL, 0, address));
    sender_join(0, 0);
    daemon_expect_silence(me);
    hand_hears(hand_accept(listening, address), 1);
}

/* The socket that it bound for its own request is the one that it listens on. */
TEST(higher_task_grants_a_crossed_request)
{
    address_text asked, granted;
    side_request_routes(me);
    sender_begin_one(0, me, LOWER, 1);
    message_free(daemon_hears_request(me, LOWER, asked));
    daemon_brings(me, LOWER, hand_request(CONTROL_TASK_PROTOCOL, "/any"));
    message_free(daemon_hears_answer(me, LOWER, true, granted));
    assert_string_equal(asked, granted);
    talk_await_waiting(&me->endpoint, 1);
    daemon_expect_silence(me);
    int descriptor = hand_connect(granted);
    sender_join(0, 0);
    hand_hears(descriptor, 1);
}

/* While a route is being made. ----------------------------------------------------------------- */

/* Has granted a route to HIGHER; two threads wait, with a message and with a multicast. */
static void begin_to_wait(address_text address)
{
    hand_asks(HIGHER, address);
    sender_begin_one(0, me, HIGHER, 1);
    senders[1] = (struct sender){.side = me, .tids = {LOWER, HIGHER}, .tid_count = 2, .tag = 2};
    senders[1].count = 1;
    senders[1].size = SIZE;
    sender_begin(1);
    talk_await_waiting(&me->endpoint, 2);
    daemon_expect_silence(me);
}

TEST(senders_wait_until_the_peer_has_connected)
{
    address_text address;
    begin_to_wait(address);
    int descriptor = hand_connect(address);
    sender_join(0, 0);
    sender_join(1, 0);
    daemon_hears_multicast(2, (uint32_t[]){LOWER}, 1);
    daemon_expect_silence(me);
    struct talk_reader reader;
    talk_reader_start(&reader, descriptor);
    int seen = 0;
    for (int i = 0; i < 2; i++) {
        OWN struct message *message = talk_read(&reader);
        seen += message->header.tag;
    }
    assert_int_equal(seen, 1 + 2);
    talk_reader_finish(&reader);
}

/* The message and the multicast, in any order. */
static void daemon_hears_both(void)
{
    int singles = 0;
    for (int i = 0; i < 3; i++) {
        OWN struct message *message = talk_read(&me->heard);
        singles += message->header.destination == HIGHER && message->header.tag == 1;
    }
    assert_int_equal(singles, 1);
    daemon_expect_silence(me);
}

/* Whoever was granted a route and sends through the daemon has given it up, for good. */
TEST(senders_go_on_when_the_peer_gives_up)
{
    address_text address;
    begin_to_wait(address);
    daemon_brings_tag(me, HIGHER, 3);
    sender_join(0, 0);
    sender_join(1, 0);
    daemon_hears_both();
    side_expect_arrival(me, HIGHER, 3);
    int descriptor = hand_keep(socket(AF_UNIX, SOCK_STREAM, 0));
    assert_int_equal(hand_dial(descriptor, address), -1);
    side_request_routes(me);
    assert_int_equal(side_send_now(me, HIGHER, 4), 0); /* that peer is not asked in turn */
    daemon_hears_tag(me, HIGHER, 4);
    daemon_expect_silence(me);
}

TEST(senders_go_on_when_the_peer_ends)
{
    address_text address;
    begin_to_wait(address);
    daemon_brings(me, TID_OWN_DAEMON, hand_end(HIGHER));
    sender_join(0, 0);
    sender_join(1, 0);
    daemon_hears_both();
    assert_int_equal(side_state(me, HIGHER), -1);
    assert_int_equal(me->told_count, 1);
}

TEST(asking_sender_goes_on_when_the_peer_ends)
{
    address_text mine;
    side_request_routes(me);
    sender_begin_one(0, me, HIGHER, 1);
    message_free(daemon_hears_request(me, HIGHER, mine));
    daemon_brings(me, TID_OWN_DAEMON, hand_end(LOWER)); /* of another one */
    daemon_brings(me, TID_OWN_DAEMON, hand_end(HIGHER));
    sender_join(0, 0);
    daemon_hears_tag(me, HIGHER, 1);
    side_look(me);
    assert_int_equal(stage_entries(stage_folder), 2);
}

/* A denied one is forgotten with its peer: a later task may have the tid. */
TEST(end_of_the_peer_ends_a_denial)
{
    side_request_routes(me);
    side_expect_refused(HIGHER, hand_answer(CONTROL_TASK_PROTOCOL, 1, ""));
    daemon_brings(me, TID_OWN_DAEMON, hand_end(HIGHER));
    side_look(me);
    assert_int_equal(side_state(me, HIGHER), -1);
}

/* A request to a task, such as one that started others for us, keeps the order as well. */
static void *call_run(void *argument)
{
    struct sender *sender = argument;
    struct message *request = talk_make(sender->tag, 7, SIZE);
    const struct parcel parcel = {request, HIGHER};
    const struct pattern answer = {HIGHER, sender->tag, PATTERN_ANY, 7};
    struct message *reply;
    sender->result = endpoint_call(&me->endpoint, &parcel, true, &answer, &reply);
    message_free(reply);
    message_free(request);
    return NULL;
}

TEST(call_to_a_task_waits_for_the_route_and_uses_it)
{
    address_text address;
    hand_asks(HIGHER, address);
    senders[0] = (struct sender){.tag = 5, .result = 1};
    assert_int_equal(pthread_create(&senders[0].thread, NULL, call_run, &senders[0]), 0);
    talk_await_waiting(&me->endpoint, 1);
    daemon_expect_silence(me);
    int descriptor = hand_connect(address);
    hand_hears(descriptor, 5);
    struct message *reply = talk_make(5, 7, SIZE);
    talk_write(descriptor, reply, ME, HIGHER);
    message_free(reply);
    sender_join(0, 0);
    daemon_expect_silence(me);
}

TEST(connecting_ends_with_the_peer)
{
    sender_begin_connecting();
    daemon_brings(me, TID_OWN_DAEMON, hand_end(FAR));
    sender_join(0, 0);
    daemon_hears_tag(me, FAR, 1);
    daemon_expect_silence(me);
    assert_int_equal(me->told_count, 0);
}

/* A second request. ---------------------------------------------------------------------------- */

static void request_again(uint32_t peer)
{
    daemon_brings(me, peer, hand_request(CONTROL_TASK_PROTOCOL, hand_address(peer)));
}

TEST(second_request_changes_no_granted_route)
{
    address_text address;
    hand_asks(HIGHER, address);
    request_again(HIGHER);
    side_look(me);
    daemon_hears_denial(me, HIGHER, false);
    assert_int_equal(side_state(me, HIGHER), ROUTE_GRANTED);
    hand_connect(address);
    side_look(me);
    assert_true(endpoint_has_route(&me->endpoint, HIGHER));
}

TEST(second_request_changes_no_connecting_route)
{
    sender_begin_connecting();
    request_again(FAR);
    daemon_hears_denial(me, FAR, false);
    talk_await_waiting(&me->endpoint, 1);
    daemon_expect_silence(me);
    assert_int_equal(side_state(me, FAR), ROUTE_CONNECTING);
    daemon_brings(me, TID_OWN_DAEMON, hand_end(FAR));
    sender_join(0, 0);
}

TEST(second_request_changes_no_open_route)
{
    int descriptor = hand_opens(HIGHER);
    request_again(HIGHER);
    side_look(me);
    daemon_hears_denial(me, HIGHER, false);
    assert_int_equal(side_send_now(me, HIGHER, 1), 0);
    hand_hears(descriptor, 1);
    daemon_expect_silence(me);
}

/* It shows that the peer has lost the first route. */
TEST(second_request_follows_a_route_that_ended)
{
    int descriptor = hand_opens(HIGHER);
    hand_sends(descriptor, HIGHER, 1);
    hand_close(descriptor);
    hand_opens(HIGHER);
    side_expect_told(me, 2, HIGHER, false);
    side_expect_arrival(me, HIGHER, 1);
}

TEST(denied_task_may_be_granted_a_route)
{
    side_request_routes(me);
    side_expect_refused(HIGHER, hand_answer(CONTROL_TASK_PROTOCOL, 1, ""));
    hand_opens(HIGHER);
}

/* Shortage. ------------------------------------------------------------------------------------ */

static unsigned char *shortage_streams[3]; /* a request, an answer, a message */
static size_t shortage_sizes[3];
static struct message *shortage_message;
static int shortage_listening;

static void shortage_write(int descriptor, int which)
{
    ssize_t written =
        send(descriptor, shortage_streams[which], shortage_sizes[which], MSG_NOSIGNAL);
    assert_true(written == (ssize_t)shortage_sizes[which] || shortage_was_met());
}

/* An endpoint needs memory to begin with. */
static bool shortage_lets_begin(void)
{
    bool begun = side_start(me, ME) == 0;
    assert_true(begun || shortage_was_met());
    return begun;
}

/* Sends; a message to a peer that is new needs memory for it. */
static void shortage_send(void)
{
    const struct parcel parcel = {shortage_message, HIGHER};
    int result = endpoint_send(&me->endpoint, &parcel, true);
    if (result != CK_NO_MEMORY)
        assert_int_equal(result, me->losses ? CK_LOST : 0);
    else
        assert_true(shortage_was_met());
}

static void shortage_look(void)
{
    const struct pattern pattern = {PATTERN_ANY_SOURCE, 5, PATTERN_ANY, 0};
    struct message *message;
    int result = endpoint_poll(&me->endpoint, &pattern, &message);
    assert_int_equal(result, me->losses ? CK_LOST : 0);
    message_free(message);
}

/* A route is granted, used by both, and ends. */
static void shortage_grants(void)
{
    address_text path;
    if (!shortage_lets_begin())
        return;
    shortage_write(me->daemon, 0);
    shortage_look();
    snprintf(path, sizeof path, "%s/%x.0", stage_folder, ME);
    int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
    if (hand_dial(descriptor, path) == 0) {
        shortage_look();
        shortage_write(descriptor, 2);
        shortage_look();
        shortage_send();
    } else {
        assert_true(shortage_was_met());
    }
    close(descriptor);
    if (!me->losses)
        shortage_look();
    side_finish(me);
}

/* A route is asked for, and granted by the peer. */
static void shortage_requests(void)
{
    if (!shortage_lets_begin())
        return;
    side_request_routes(me);
    shortage_write(me->daemon, 1);
    shortage_send();
    bool open = endpoint_has_route(&me->endpoint, HIGHER);
    assert_true(open || shortage_was_met());
    if (open)
        close(accept(shortage_listening, NULL, NULL));
    side_finish(me);
}

/* Whatever is short, nobody waits for ever and nothing is left. */
TEST(shortage_costs_routes_only)
{
    address_text address;
    side_finish(me);
    shortage_listening = hand_listen(true, 100, address);
    shortage_message = talk_make(4, 0, SIZE);
    struct message *messages[] = {hand_request(CONTROL_TASK_PROTOCOL, "/any"),
                                  hand_answer(CONTROL_TASK_PROTOCOL, 0, address),
                                  talk_make(5, 0, SIZE)};
    for (int i = 0; i < 3; i++) {
        shortage_streams[i] = body_stream(messages[i], ME, HIGHER, &shortage_sizes[i]);
        message_free(messages[i]);
    }
    shortage_try_each(shortage_grants, 5);
    shortage_try_each(shortage_requests, 5);
    for (int i = 0; i < 3; i++)
        free(shortage_streams[i]);
    message_free(shortage_message);
    unlink(address);
}
