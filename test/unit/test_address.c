/*
 * test_address.c - what addresses mean is said by the owner of the endpoints alone, who is asked
 * once for each peer.
 *
 * The owner of this test counts its hosts, and a hundred addresses for each. Of these it gives 1 to
 * 49 to endpoints, and 51 to 99 to their lists. Taken for tids, all would be something else.
 */
#include "neighbours.h"
#include "quiet_owner.h"
#include "unit.h"

#define HERE     3000000100u
#define THERE    3000000200u
#define ONE      (HERE + 1)
#define OTHER    (HERE + 2)
#define FAR      (THERE + 1)
#define DAEMON   7u
#define NEWCOMER 9u
#define MESSAGES 100

static struct dialect dialect;
static atomic_int asked_whose, asked_where;

static bool is_endpoint(uint32_t address)
{
    asked_whose++;
    return address > HERE && address % 100 != 0 && address % 100 < 50;
}

static bool on_one_host(uint32_t one, uint32_t other)
{
    asked_where++;
    return one / 100 == other / 100;
}

static uint32_t list_of(uint32_t own)
{
    return own + 50;
}

static int start_daemon(void **state)
{
    (void)state;
    dialect = dialect_3_4_6;
    dialect.addressing = (struct addressing){.daemon = DAEMON,
                                             .newcomer = NEWCOMER,
                                             .is_endpoint = is_endpoint,
                                             .on_one_host = on_one_host,
                                             .list_of = list_of};
    return neighbours_begin_daemon();
}

static int start(void **state)
{
    int error = start_daemon(state);
    if (error < 0)
        return error;
    neighbour_make(&a, &dialect);
    neighbour_make(&b, &dialect);
    neighbour_enrol(&a, ONE, LIMIT);
    neighbour_enrol(&b, OTHER, LIMIT);
    asked_whose = asked_where = 0;
    return 0;
}

/* The daemon gets the next message of a, which is for this address. */
static void expect_at_daemon(uint32_t address)
{
    struct message *message = talk_read(&a.heard);
    assert_int_equal(message->header.destination, address);
    assert_int_equal(message->header.source, ONE);
    message_free(message);
}

/* A message that the daemon does not see. */
static void expect_in_memory(int32_t tag)
{
    neighbour_send(&a, OTHER, tag, 8);
    neighbour_expect(&b, ONE, tag, 8);
}

#define TEST(name) UNIT_TEST_BETWEEN(name, start, neighbours_finish)

TEST(owner_says_who_shares_memory)
{
    neighbours_meet();
    expect_in_memory(3);
}

TEST(nobody_asks_about_a_peer_that_is_known)
{
    neighbours_meet();
    asked_whose = asked_where = 0;
    for (int tag = 1; tag <= MESSAGES; tag++)
        expect_in_memory(tag);
    assert_int_equal(asked_whose, 0);
    assert_int_equal(asked_where, 0);
}

TEST(peer_on_another_host_is_asked_about_once)
{
    for (int i = 0; i < MESSAGES; i++) {
        neighbour_send(&a, FAR, 1, 8);
        expect_at_daemon(FAR);
    }
    assert_int_equal(asked_whose, 1);
    assert_int_equal(asked_where, 1);
}

TEST(next_peer_of_a_record_may_be_near)
{
    struct peers *peers = &a.endpoint.peers;
    uint32_t far = FAR;
    while (peers_chain(peers, far) != peers_chain(peers, OTHER))
        far++;
    neighbour_send(&a, far, 1, 8);
    expect_at_daemon(far);
    neighbours_meet();
    expect_in_memory(3);
    assert_null(peers_find(peers, far));
}

TEST(only_endpoints_have_records)
{
    const uint32_t others[] = {DAEMON, HERE, THERE, list_of(ONE)};
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        neighbour_send(&a, others[i], 1, 8);
        expect_at_daemon(others[i]);
    }
    neighbour_send(&a, ONE, 1, 8);
    neighbour_expect(&a, ONE, 1, 8);
    assert_int_equal(a.endpoint.peers.count, 0);
}

/* Addresses of no endpoint may be among those of a multicast; they get no record. */
TEST(daemon_takes_a_multicast_by_the_address_of_its_list)
{
    uint32_t addresses[] = {FAR, FAR + 1, THERE, ONE};
    struct message *message = talk_make(1, 0, 8);
    assert_int_equal(endpoint_send_all(&a.endpoint, message, addresses, COUNT_OF(addresses)), 0);
    message_free(message);
    expect_at_daemon(DAEMON);
    expect_at_daemon(list_of(ONE));
    assert_true(talk_is_silent(&a.heard));
    assert_int_equal(a.endpoint.peers.count, 2);
}

/* An offer of a direct route from this address comes through the daemon. */
static void bring_offer(uint32_t address)
{
    char socket[] = "7f000001:0001";
    struct message *offer = dialect.offer(&(struct offer){.address = socket});
    talk_write(a.daemon, offer, ONE, address);
    message_free(offer);
    neighbour_look(&a);
}

TEST(only_endpoints_get_an_answer_to_an_offer)
{
    const uint32_t others[] = {DAEMON, THERE, list_of(FAR), ONE};
    for (size_t i = 0; i < COUNT_OF(others); i++)
        bring_offer(others[i]);
    assert_true(talk_is_silent(&a.heard));
    bring_offer(FAR);
    expect_at_daemon(FAR);
    expect_at_daemon(DAEMON); /* a asks to be told of the end of the route's other side */
    assert_true(talk_is_silent(&a.heard));
}

UNIT_TEST_BETWEEN(endpoint_is_a_newcomer_until_it_is_opened, start_daemon, neighbours_finish)
{
    neighbour_make(&a, &dialect);
    neighbour_attach(&a);
    struct message *question = talk_make(3, 7, 8);
    talk_write(a.daemon, question, NEWCOMER, DAEMON); /* answers itself */
    const struct parcel parcel = {question, DAEMON};
    const struct pattern pattern = {DAEMON, 3, PATTERN_ANY, 7};
    struct message *answer;
    assert_int_equal(endpoint_call(&a.endpoint, &parcel, true, &pattern, &answer), CK_LOST);
    assert_int_equal(endpoint_call(&a.endpoint, &parcel, false, &pattern, &answer), 0);
    message_free(question);
    message_free(answer);
    struct message *heard = talk_read(&a.heard);
    assert_int_equal(heard->header.source, NEWCOMER);
    assert_int_equal(heard->header.destination, DAEMON);
    message_free(heard);
    endpoint_open(&a.endpoint, ONE, 0);
    a.tid = ONE;
    neighbour_send(&a, FAR, 1, 8);
    expect_at_daemon(FAR);
}
