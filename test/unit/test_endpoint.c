/*
 * test_endpoint.c - threads that send, receive and wait at one socket, with a peer at its other
 * end.
 *
 * Threads are observed until they wait; no step rests on time.
 */
#include "ck/endpoint/endpoint.h"

#include <pthread.h>
#include <pvm3.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/control.h"
#include "core/tid.h"
#include "lib/link/dialect.h"

#include "body.h"
#include "shortage.h"
#include "talk.h"
#include "unit.h"

#define ME      0x40001u
#define PEER    0x40002u
#define THREADS 4
#define HANDLED 1000 /* the tag that the owner intercepts */

static struct endpoint endpoint;
static int peer;

/* What the owner of the endpoint has seen. */
static int handled; /* messages intercepted and not yet handled */
static int errands;
static int losses;
static int drops;
static int discarded;

static bool wants(void *owner, const struct message_header *header)
{
    (void)owner;
    return header->tag == HANDLED;
}

static bool intercept(void *owner, struct message *message)
{
    assert_ptr_equal(owner, &endpoint);
    assert_int_equal(message->header.tag, HANDLED);
    message_free(message);
    lock_acquire(&endpoint.waiting->lock);
    handled++;
    lock_release(&endpoint.waiting->lock);
    endpoint_request_errand(&endpoint);
    return true;
}

static void errand(void *owner)
{
    (void)owner;
    lock_acquire(&endpoint.waiting->lock);
    errands += handled;
    handled = 0;
    lock_release(&endpoint.waiting->lock);
}

static void lost(void *owner, const char *reason)
{
    (void)owner;
    assert_true(strlen(reason) > 0);
    losses++;
}

static void dropped(void *owner, const char *reason)
{
    (void)owner;
    assert_true(strlen(reason) > 0);
    drops++;
}

static void discard(void *owner, struct message *message)
{
    (void)owner;
    discarded++;
    message_free(message);
}

static int attach(void)
{
    peer = talk_attach(&endpoint);
    if (peer < 0)
        talk_end(&endpoint);
    else
        endpoint_open(&endpoint, ME, 0);
    return peer < 0 ? peer : 0;
}

UNIT_STEP(start)
{
    const struct endpoint_owner owner = {.wants = wants,
                                         .intercept = intercept,
                                         .errand = errand,
                                         .lost = lost,
                                         .dropped = dropped,
                                         .discard = discard,
                                         .dialect = &dialect_3_4_6,
                                         .owner = &endpoint};
    handled = errands = losses = drops = discarded = 0;
    int error = talk_begin(&endpoint, &owner);
    return error < 0 ? error : attach();
}

static void close_peer(void)
{
    if (peer >= 0)
        close(peer);
    peer = -1;
}

UNIT_STEP(finish)
{
    talk_end(&endpoint);
    close_peer();
    return 0;
}

/* Messages ------------------------------------------------------------------------------------- */

static void peer_writes(struct message *message)
{
    talk_write(peer, message, ME, PEER);
    message_free(message);
}

static void peer_sends(int32_t tag)
{
    peer_writes(talk_make(tag, 0, 10));
}

static struct pattern by_tag(int32_t tag)
{
    return (struct pattern){PATTERN_ANY_SOURCE, tag, PATTERN_ANY, 0};
}

static void expect_poll(int32_t tag, int result, int32_t found)
{
    const struct pattern pattern = by_tag(tag);
    OWN struct message *message = NULL;
    assert_int_equal(endpoint_poll(&endpoint, &pattern, &message), result);
    assert_int_equal(message ? message->header.tag : 0, found);
}

/* Threads -------------------------------------------------------------------------------------- */

struct actor {
    pthread_t thread;
    struct pattern pattern;
    const struct timespec *deadline;
    const struct parcel *parcel;
    struct message *message; /* received */
    int result;
};

static struct actor actors[THREADS];

static void *receive(void *argument)
{
    struct actor *actor = argument;
    actor->result = endpoint_receive(&endpoint, &actor->pattern, actor->deadline, &actor->message);
    return NULL;
}

static void *send_parcel(void *argument)
{
    struct actor *actor = argument;
    actor->result = endpoint_send(&endpoint, actor->parcel, false);
    return NULL;
}

static void *send_to_all(void *argument)
{
    struct actor *actor = argument;
    uint32_t tids[] = {PEER, PEER + 1};
    actor->result = endpoint_send_all(&endpoint, actor->parcel->message, tids, 2);
    return NULL;
}

static void *call(void *argument)
{
    struct actor *actor = argument;
    actor->result = endpoint_call(&endpoint, actor->parcel, true, &actor->pattern, &actor->message);
    return NULL;
}

static void begin(size_t i, void *(*act)(void *))
{
    assert_int_equal(pthread_create(&actors[i].thread, NULL, act, &actors[i]), 0);
}

static void begin_receive(size_t i, int32_t tag)
{
    actors[i] = (struct actor){.pattern = by_tag(tag), .result = 1};
    begin(i, receive);
}

/* Returns when thread i waits, the i + 1st to do so. */
static void begin_waiting_receive(size_t i, int32_t tag)
{
    begin_receive(i, tag);
    talk_await_waiting(&endpoint, (int)i + 1);
}

static void join(size_t i)
{
    assert_int_equal(pthread_join(actors[i].thread, NULL), 0);
}

static void expect_received(size_t i, int32_t tag)
{
    join(i);
    assert_int_equal(actors[i].result, 0);
    talk_expect(actors[i].message, tag, 10);
}

static void expect_failed(size_t i)
{
    join(i);
    assert_int_equal(actors[i].result, CK_LOST);
    assert_null(actors[i].message);
}

/* Receiving ------------------------------------------------------------------------------------ */

static int look_at(void *context, struct message *message)
{
    *(int32_t *)context = message->header.tag;
    return 42;
}

#define TEST(name) UNIT_TEST_BETWEEN(name, start, finish)

TEST(what_has_come_can_be_chosen_from)
{
    const struct pattern any = by_tag(PATTERN_ANY);
    struct message *message = NULL;
    int32_t tag = 0;
    assert_int_equal(endpoint_probe(&endpoint, &any, look_at, &tag), 0);
    expect_poll(PATTERN_ANY, 0, 0);
    for (int32_t sent = 1; sent <= 4; sent++)
        peer_sends(sent);
    expect_poll(2, 0, 0); /* lets in the first */
    expect_poll(2, 0, 2);
    assert_int_equal(endpoint_probe(&endpoint, &any, look_at, &tag), 42);
    assert_int_equal(tag, 1);
    assert_int_equal(endpoint_receive(&endpoint, &any, NULL, &message), 0);
    talk_expect(message, 1, 10);
    expect_poll(PATTERN_ANY, 0, 3);
    expect_poll(9, 0, 0);
    expect_poll(PATTERN_ANY, 0, 4);
    expect_poll(PATTERN_ANY, 0, 0);
}

TEST(time_that_is_up_gives_no_message)
{
    const struct pattern pattern = by_tag(1);
    const struct timespec past = {0, 1};
    struct message *message = NULL;
    assert_int_equal(endpoint_receive(&endpoint, &pattern, &past, &message), 0);
    assert_null(message);
    peer_sends(1);
    /* A look is always had. */
    assert_int_equal(endpoint_receive(&endpoint, &pattern, &past, &message), 0);
    talk_expect(message, 1, 10);
}

TEST(each_thread_gets_its_own)
{
    for (size_t i = 0; i < THREADS; i++)
        begin_waiting_receive(i, (int32_t)i + 1);
    peer_sends(99); /* nobody's */
    for (size_t i = THREADS; i-- > 0;) {
        peer_sends((int32_t)i + 1);
        expect_received(i, (int32_t)i + 1);
        talk_await_waiting(&endpoint, (int)i);
    }
    expect_poll(PATTERN_ANY, 0, 99);
}

TEST(same_wish_is_served_in_order)
{
    for (size_t i = 0; i < THREADS; i++)
        begin_waiting_receive(i, PATTERN_ANY);
    for (size_t i = 0; i < THREADS; i++) {
        peer_sends((int32_t)i + 1);
        expect_received(i, (int32_t)i + 1);
    }
}

TEST(many_messages_find_many_threads)
{
    for (int round = 0; round < 200; round++) {
        for (size_t i = 0; i < THREADS; i++)
            begin_receive(i, (int32_t)i + 1);
        for (size_t i = 0; i < THREADS; i++)
            peer_sends((int32_t)((i + (size_t)round) % THREADS) + 1);
        for (size_t i = 0; i < THREADS; i++)
            expect_received(i, (int32_t)i + 1);
    }
}

TEST(own_message_is_delivered_like_others)
{
    begin_waiting_receive(0, 5);
    endpoint_deliver(&endpoint, talk_make(6, 0, 10));
    endpoint_deliver(&endpoint, talk_make(5, 0, 10));
    expect_received(0, 5);
    expect_poll(PATTERN_ANY, 0, 6);
}

TEST(handler_runs_before_the_receive_that_follows_it)
{
    const struct pattern pattern = by_tag(1);
    struct message *message = NULL;
    peer_sends(HANDLED);
    peer_sends(1);
    assert_int_equal(endpoint_receive(&endpoint, &pattern, NULL, &message), 0);
    assert_int_equal(errands, 1);
    message_free(message);
    peer_sends(HANDLED);
    expect_poll(PATTERN_ANY, 0, 0);
    assert_int_equal(errands, 2);
}

/* Sending -------------------------------------------------------------------------------------- */

/* The list of a multicast and its message lie together, whatever other threads send. */
TEST(multicast_stays_together)
{
    struct parcel parcels[THREADS];
    struct talk_reader reader;
    for (int32_t i = 0; i < THREADS; i++) {
        parcels[i] = (struct parcel){talk_make(i, 0, 300000), PEER};
        actors[i] = (struct actor){.parcel = &parcels[i], .result = 1};
        begin((size_t)i, send_to_all);
    }
    talk_reader_start(&reader, peer);
    for (int i = 0; i < THREADS; i++) {
        struct message *list = talk_read(&reader);
        assert_int_equal(list->header.tag, TM_MCA);
        assert_int_equal(list->length, 12);
        message_free(list);
        struct message *message = talk_read(&reader);
        talk_expect(message, message->header.tag, 300000);
    }
    talk_reader_finish(&reader);
    for (size_t i = 0; i < THREADS; i++) {
        join(i);
        assert_int_equal(actors[i].result, 0);
        message_free((struct message *)(uintptr_t)parcels[i].message);
    }
}

TEST(answers_find_who_asked)
{
    struct message *questions[THREADS];
    struct parcel parcels[THREADS];
    struct talk_reader reader;
    for (int32_t i = 0; i < THREADS; i++) {
        questions[i] = talk_make(50, i + 1, 10);
        parcels[i] = (struct parcel){questions[i], TID_OWN_DAEMON};
        actors[i] =
            (struct actor){.pattern = {PEER, 50, 0, i + 1}, .parcel = &parcels[i], .result = 1};
        begin((size_t)i, call);
    }
    talk_reader_start(&reader, peer);
    for (int32_t i = 0; i < THREADS; i++)
        message_free(talk_read(&reader));
    talk_reader_finish(&reader);
    for (int32_t i = THREADS; i > 0; i--)
        peer_writes(talk_make(50, i, (size_t)i));
    for (int32_t i = 0; i < THREADS; i++) {
        join((size_t)i);
        assert_int_equal(actors[i].result, 0);
        assert_int_equal(actors[i].message->header.wait, i + 1);
        talk_expect(actors[i].message, 50, (size_t)i + 1);
        message_free(questions[i]);
    }
}

/* Ends ----------------------------------------------------------------------------------------- */

TEST(loss_of_the_peer_fails_all_that_wait)
{
    OWN struct message *message = talk_make(1, 1, TALK_LARGE);
    const struct parcel parcel = {message, PEER};
    begin_waiting_receive(0, 1);
    begin_waiting_receive(1, 2);
    actors[2] = (struct actor){.parcel = &parcel};
    actors[3] = (struct actor){.parcel = &parcel, .pattern = {PEER, 1, 0, 1}};
    begin(2, send_parcel);
    begin(3, call);
    talk_await_waiting(&endpoint, 4);
    peer_sends(99);
    close_peer();
    for (size_t i = 0; i < 4; i++)
        expect_failed(i);
    assert_int_equal(losses, 1);
    assert_int_equal(endpoint_send(&endpoint, &parcel, false), CK_LOST);
    expect_poll(99, 0, 99); /* what had come before stays */
    expect_poll(99, CK_LOST, 0);
}

/* It is there at once, for a receive or handler. A closed endpoint refuses it, keeping nothing. */
TEST(message_to_oneself_needs_an_open_endpoint)
{
    const int32_t tags[] = {5, HANDLED, 6};
    OWN struct message *message = talk_make(0, 0, 10);
    const struct parcel parcel = {message, ME};
    for (size_t i = 0; i < COUNT_OF(tags); i++) {
        message->header.tag = tags[i];
        assert_int_equal(endpoint_send(&endpoint, &parcel, false), 0);
    }
    assert_int_equal(handled + errands, 1);
    expect_poll(6, 0, 6);
    expect_poll(HANDLED, 0, 0);
    endpoint_detach(&endpoint);
    assert_int_equal(discarded, 1);
    long before = shortage_live();
    message->header.tag = 7;
    for (int i = 0; i < 100; i++)
        assert_int_equal(endpoint_send(&endpoint, &parcel, false), CK_LOST);
    assert_in_range(shortage_live() - before, 0, 2); /* a message in the pool, with its body */
    assert_int_equal(attach(), 0);
    expect_poll(7, 0, 0);
}

TEST(nonsense_is_a_loss)
{
    unsigned char header[FRAME_HEADER_SIZE];
    begin_waiting_receive(0, 1);
    frame_encode(&(struct frame){ME, PEER, 0xffffffff, 0}, header);
    assert_int_equal(send(peer, header, sizeof header, 0), sizeof header);
    expect_failed(0);
    assert_int_equal(losses, 1);
}

TEST(stray_frame_is_no_loss)
{
    unsigned char header[FRAME_HEADER_SIZE];
    begin_waiting_receive(0, 1);
    frame_encode(&(struct frame){ME, PEER, 0, FRAME_LAST}, header);
    assert_int_equal(send(peer, header, sizeof header, 0), sizeof header);
    peer_sends(1);
    expect_received(0, 1);
    assert_int_equal(losses, 0);
    assert_int_equal(drops, 1);
}

TEST(detach_lets_everybody_go)
{
    OWN struct message *message = talk_make(1, 0, TALK_LARGE);
    const struct parcel parcel = {message, PEER};
    peer_sends(98);
    expect_poll(1, 0, 0);
    begin_waiting_receive(0, 1);
    begin_waiting_receive(1, 2);
    actors[2] = (struct actor){.parcel = &parcel};
    begin(2, send_parcel);
    talk_await_waiting(&endpoint, 3);
    endpoint_detach(&endpoint);
    for (size_t i = 0; i < 3; i++)
        expect_failed(i);
    assert_int_equal(discarded, 1);
    assert_int_equal(losses, 0); /* it was we who went */
    expect_poll(98, CK_LOST, 0);
    endpoint_detach(&endpoint); /* once more does no harm */
}

TEST(endpoint_may_be_attached_again)
{
    endpoint_detach(&endpoint);
    close_peer();
    assert_int_equal(attach(), 0);
    begin_waiting_receive(0, 1);
    peer_sends(1);
    expect_received(0, 1);
}

TEST(detaching_under_load_loses_nobody)
{
    for (int round = 0; round < 100; round++) {
        for (size_t i = 0; i < THREADS; i++)
            begin_receive(i, 1);
        peer_sends(1);
        endpoint_detach(&endpoint);
        for (size_t i = 0; i < THREADS; i++) {
            join(i);
            assert_int_equal(actors[i].result, actors[i].message ? 0 : CK_LOST);
            message_free(actors[i].message);
        }
        close_peer();
        assert_int_equal(attach(), 0);
    }
}

/* Interrupts ----------------------------------------------------------------------------------- */

TEST(stopped_receive_is_given_nothing)
{
    begin_waiting_receive(0, 1);
    assert_int_equal(endpoint_interrupt(&endpoint), 0);
    peer_sends(1);
    peer_sends(2);
    begin_receive(1, 2);
    expect_received(1, 2); /* so the first has come as well */
    lock_acquire(&endpoint.waiting->lock);
    assert_false(waiting_paused(&endpoint.party)->done);
    lock_release(&endpoint.waiting->lock);
    assert_int_equal(endpoint_resume(&endpoint), 0);
    expect_received(0, 1);
}

TEST(stopped_receive_leaves_its_message_to_others)
{
    begin_waiting_receive(0, 1);
    assert_int_equal(endpoint_interrupt(&endpoint), 0);
    peer_sends(1);
    begin_receive(1, 1);
    expect_received(1, 1);
    assert_int_equal(endpoint_resume(&endpoint), 0);
    peer_sends(1);
    expect_received(0, 1);
}

static void *interrupt(void *argument)
{
    ((struct actor *)argument)->result = endpoint_interrupt(&endpoint);
    return NULL;
}

TEST(interrupt_waits_for_a_receive)
{
    actors[1] = (struct actor){.result = 1};
    begin(1, interrupt);
    begin_receive(0, 1);
    join(1);
    assert_int_equal(actors[1].result, 0);
    assert_int_equal(endpoint_resume(&endpoint), 0);
    peer_sends(1);
    expect_received(0, 1);
}

TEST(resume_without_interrupt_finds_nobody)
{
    assert_int_equal(endpoint_resume(&endpoint), CK_NOT_FOUND);
    begin_waiting_receive(0, 1);
    assert_int_equal(endpoint_resume(&endpoint), CK_NOT_FOUND);
    peer_sends(1);
    expect_received(0, 1);
}

TEST(loss_ends_interrupts_and_stopped_receives)
{
    begin_waiting_receive(0, 1);
    assert_int_equal(endpoint_interrupt(&endpoint), 0);
    actors[1] = (struct actor){.result = 1};
    begin(1, interrupt);
    close_peer();
    expect_failed(0);
    join(1);
    assert_int_equal(actors[1].result, CK_LOST);
    assert_int_equal(endpoint_interrupt(&endpoint), CK_LOST);
}

/* Shortage ------------------------------------------------------------------------------------- */

static unsigned char *scenario_stream;
static size_t scenario_size;

/*
 * A message that finds no memory costs the connection, and its owner and whoever waits are told. A
 * receive that finds none to wait with costs nothing.
 */
static void shortage_scenario(void)
{
    const struct pattern pattern = by_tag(3);
    struct message *message = NULL;
    if (start(NULL) < 0) {
        assert_true(shortage_was_met());
        return;
    }
    assert_int_equal(send(peer, scenario_stream, scenario_size, 0), scenario_size);
    int result = endpoint_receive(&endpoint, &pattern, NULL, &message);
    assert_int_equal(result, message ? 0 : CK_NO_MEMORY);
    if (losses != shortage_was_met()) {
        expect_poll(3, 0, 0); /* lets in the first */
        expect_poll(3, 0, 3);
    }
    if (!shortage_was_met())
        expect_poll(1, 0, 1);
    message_free(message);
    finish(NULL);
}

UNIT_TEST(shortage_is_told)
{
    struct message *first = talk_make(1, 0, 10);
    struct message *third = talk_make(3, 0, 10);
    size_t sizes[2];
    unsigned char *streams[2] = {body_stream(first, ME, PEER, &sizes[0]),
                                 body_stream(third, ME, PEER, &sizes[1])};
    scenario_size = sizes[0] + sizes[1];
    scenario_stream = malloc(scenario_size);
    memcpy(scenario_stream, streams[0], sizes[0]);
    memcpy(scenario_stream + sizes[0], streams[1], sizes[1]);
    message_free(first);
    message_free(third);
    free(streams[0]);
    free(streams[1]);
    shortage_try_each(shortage_scenario, 3);
    free(scenario_stream);
}
