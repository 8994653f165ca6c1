/*
 * test_taken.c - messages that a glance takes in are delivered when its look is over, and before
 * anything that comes behind them.
 */
#include "ck/endpoint/taken.h"

#include <sys/socket.h>
#include <unistd.h>

#include "ck/requests/request.h"
#include "core/control.h"

#include "neighbours.h"
#include "quiet_owner.h"
#include "unit.h"

#define TEST(name) UNIT_TEST_BETWEEN(name, neighbours_start_met, neighbours_finish)

static const struct waiting_work *work(void)
{
    return &b.endpoint.waiting->work;
}

static bool glance(void)
{
    return work()->glance(work()->owner);
}

static void conclude(void)
{
    lock_acquire(&b.endpoint.waiting->lock);
    work()->deliver(work()->owner);
    lock_release(&b.endpoint.waiting->lock);
}

static bool has_messages(const struct neighbour *side)
{
    lock_acquire(&side->endpoint.waiting->lock);
    bool has = inbox_has_messages(&side->endpoint.inbox);
    lock_release(&side->endpoint.waiting->lock);
    return has;
}

/* From now on messages of one to the other go through memory. */
static void meet(struct neighbour *from, struct neighbour *to)
{
    for (int tag = 1; tag <= 2; tag++) {
        neighbour_send(from, to->tid, tag, 8);
        neighbour_passes_on(from, to);
        neighbour_look(to);
        neighbour_expect(to, from->tid, tag, 8);
    }
}

TEST(glance_delivers_at_its_end)
{
    for (int turn = 0; turn < 2; turn++) {
        for (int tag = 3; tag < 6; tag++)
            neighbour_send(&a, B, tag, 8);
        assert_true(glance());
        assert_false(has_messages(&b));
        conclude();
        for (int tag = 3; tag < 6; tag++)
            neighbour_expect(&b, A, tag, 8);
        assert_null(neighbour_arrives(&b));
    }
}

/* What came before was delivered when this was called, for the first time. */
static bool called, came_behind;

static void note(void)
{
    came_behind = called ? came_behind : has_messages(&b);
    called = true;
}

static bool intercept(void *owner, struct message *message)
{
    (void)owner;
    note();
    message_free(message);
    return true;
}

static void lost(void *owner, const char *reason)
{
    (void)owner;
    (void)reason;
    note();
}

static void take_word(struct endpoint *endpoint, const struct message *message)
{
    (void)endpoint;
    (void)message;
    note();
}

/* A message of this kind, behind one that nobody wants, and before another one. */
static void is_taken_amid_others(int32_t context, int32_t tag)
{
    struct message *message = talk_make(tag, 0, 8);
    message->header.context = context;
    const struct parcel parcel = {message, B};
    called = false;
    neighbour_send(&a, B, 3, 8);
    assert_int_equal(endpoint_send(&a.endpoint, &parcel, false), 0);
    message_free(message);
    neighbour_send(&a, B, 4, 8);
    assert_true(glance());
    assert_true(called);
    assert_true(came_behind);
    conclude();
    neighbour_expect(&b, A, 3, 8);
    neighbour_expect(&b, A, 4, 8);
    assert_null(neighbour_arrives(&b));
}

TEST(what_the_owner_wants_comes_behind)
{
    b.endpoint.owner.intercept = intercept;
    b.intercepts = 7;
    is_taken_amid_others(0, 7);
}

TEST(word_of_ways_comes_behind)
{
    static struct port under;
    under = *b.endpoint.under;
    under.take_word = take_word;
    b.endpoint.under = &under;
    is_taken_amid_others(CONTROL_CONTEXT_TC, TC_CONREQ);
}

TEST(what_sockets_bring_comes_behind)
{
    called = false;
    b.endpoint.owner.lost = lost;
    neighbour_send(&a, B, 3, 8);
    shutdown(b.daemon, SHUT_RDWR);
    assert_true(glance());
    assert_true(work()->look(work()->owner));
    assert_true(called);
    assert_true(came_behind);
    neighbour_expect(&b, A, 3, 8);
}

/* A writes it to the memory of a receive. */
static void send_straight(int32_t tag)
{
    static unsigned char body[ONE_COPY_FROM];
    struct message message;
    const struct parcel parcel = {&message, B};
    message_init(&message, MESSAGE_IN_PLACE, MESSAGE_FRAGMENT_DEFAULT);
    message.header.tag = tag;
    body_fill(body, sizeof body, (unsigned)tag);
    assert_int_equal(message_append_memory(&message, body, sizeof body), 0);
    assert_int_equal(endpoint_send(&a.endpoint, &parcel, false), 0);
    message_finish(&message);
}

TEST(what_has_landed_comes_behind)
{
    static unsigned char memory[ONE_COPY_FROM];
    static struct neighbour c;
    const struct pattern of_a = {A, PATTERN_ANY, PATTERN_ANY, 0};
    struct request *request;
    neighbour_begin(&c, C, LIMIT);
    meet(&c, &b);
    assert_int_equal(request_post_receive(&b.endpoint, &of_a, memory, sizeof memory, &request), 0);
    called = false;
    b.endpoint.owner.intercept = intercept;
    b.intercepts = 4;
    neighbour_send(&c, B, 3, 8);
    send_straight(4);
    assert_true(glance());
    assert_true(called);
    assert_true(came_behind);
    neighbour_expect(&b, C, 3, 8);
    request_free(request);
    neighbour_end(&c);
}

/* Another task in the process of B. */
TEST(each_endpoint_gets_its_own)
{
    static struct neighbour c;
    const struct endpoint_owner owner = quiet_owner(&c);
    assert_int_equal(endpoint_init(&c.endpoint, b.endpoint.engine, &owner), 0);
    neighbour_enrol(&c, C, LIMIT);
    meet(&a, &c);
    neighbour_send(&a, B, 3, 8);
    neighbour_send(&a, C, 4, 8);
    assert_true(glance());
    conclude();
    neighbour_expect(&b, A, 3, 8);
    neighbour_expect(&c, A, 4, 8);
    neighbour_leave(&c);
    endpoint_destroy(&c.endpoint);
}
