/* test_line.c - several endpoints of an engine share the way to the daemon, which outlives each. */
#include "ck/ports/stream/line.h"

#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <pvm3.h>

#include "ck/ports/stream/stream.h"
#include "ck/requests/request.h"
#include "core/control.h"
#include "core/tid.h"

#include "quiet_owner.h"
#include "talk.h"
#include "unit.h"

#define A     0x40001u
#define B     0x40002u
#define C     0x40003u
#define PEER  0x40009u
#define BYTES 100

static struct engine *engine;
static struct endpoint endpoints[3]; /* whose addresses are A, B and C */
static int losses[3];
static int peer; /* the daemon's end */
static struct talk_reader heard;

static void lost(void *owner, const char *reason)
{
    assert_non_null(reason);
    ++*(int *)owner;
}

/* The first is attached, and its way kept. */
UNIT_STEP(start)
{
    engine = talk_engine();
    for (int i = 0; engine && i < 3; i++) {
        struct endpoint_owner owner = quiet_owner(&losses[i]);
        owner.lost = lost;
        losses[i] = 0;
        if (endpoint_init(&endpoints[i], engine, &owner) < 0)
            return -1;
    }
    peer = engine ? talk_attach(&endpoints[0]) : -1;
    if (peer < 0)
        return -1;
    endpoint_open(&endpoints[0], A, 0);
    endpoint_keep_common(&endpoints[0]);
    talk_reader_start(&heard, peer);
    return 0;
}

UNIT_STEP(finish)
{
    for (int i = 0; i < 3; i++) {
        endpoint_detach(&endpoints[i]);
        endpoint_destroy(&endpoints[i]);
    }
    assert_null(engine->under_part);
    engine_destroy(engine);
    free(engine);
    talk_reader_finish(&heard);
    close(peer);
    return 0;
}

#define TEST(name) UNIT_TEST_BETWEEN(name, start, finish)

static void join(int which)
{
    assert_true(endpoint_join(&endpoints[which], A + (uint32_t)which, A, &endpoints[0]));
}

static void peer_writes(uint32_t destination, int32_t tag)
{
    struct message *message = talk_make(tag, 0, BYTES);
    talk_write(peer, message, destination, PEER);
    message_free(message);
}

static void expect(int which, int32_t tag)
{
    struct message *message = talk_next(&endpoints[which]);
    assert_non_null(message);
    talk_expect(message, tag, BYTES);
}

static void expect_nothing(int which)
{
    assert_null(talk_next(&endpoints[which]));
}

static void expect_heard(uint32_t source, int32_t tag)
{
    struct message *message = talk_read(&heard);
    assert_int_equal(message->header.source, source);
    talk_expect(message, tag, BYTES);
}

static void expect_lost(int which)
{
    const struct pattern any = {PATTERN_ANY_SOURCE, PATTERN_ANY, PATTERN_ANY, 0};
    struct message *message;
    assert_int_equal(endpoint_poll(&endpoints[which], &any, &message), CK_LOST);
    assert_int_equal(talk_send(&endpoints[which], PEER, 1, BYTES), CK_LOST);
}

TEST(each_gets_what_is_for_it)
{
    join(1);
    join(2);
    peer_writes(B, 1);
    peer_writes(A, 2);
    peer_writes(A, 3);
    peer_writes(A + 7, 4); /* which there is not */
    peer_writes(B, 5);
    peer_writes(C, 6);
    expect(0, 2);
    expect(0, 3);
    expect(1, 1);
    expect(1, 5);
    expect(2, 6);
    for (int i = 0; i < 3; i++)
        expect_nothing(i);
}

TEST(each_sends_as_itself)
{
    join(1);
    join(2);
    for (int i = 0; i < 3; i++)
        assert_int_equal(talk_send(&endpoints[i], PEER, i + 1, BYTES), 0);
    expect_heard(A, 1);
    expect_heard(B, 2);
    expect_heard(C, 3);
    assert_true(talk_is_silent(&heard));
}

TEST(costs_no_descriptor)
{
    int before = dup(peer);
    close(before);
    join(1);
    int after = dup(peer);
    close(after);
    assert_int_equal(before, after);
    assert_ptr_equal(endpoints[1].common, endpoints[0].common);
}

TEST(outlives_who_began_it)
{
    join(1);
    endpoint_detach(&endpoints[0]);
    join(2);
    peer_writes(A, 1);
    peer_writes(C, 2);
    expect(2, 2);
    expect_nothing(1);
    assert_int_equal(talk_send(&endpoints[1], PEER, 3, BYTES), 0);
    expect_heard(B, 3);
}

TEST(outlives_all_who_use_it_while_another_is_attached)
{
    int other = talk_attach(&endpoints[2]);
    endpoint_open(&endpoints[2], C, 0);
    endpoint_detach(&endpoints[0]);
    peer_writes(A, 1);
    expect_nothing(2);
    join(1);
    assert_int_equal(talk_send(&endpoints[1], PEER, 2, BYTES), 0);
    expect_heard(B, 2);
    endpoint_detach(&endpoints[1]);
    endpoint_detach(&endpoints[2]);
    char byte;
    assert_int_equal(read(peer, &byte, 1), 0); /* its end */
    close(other);
}

TEST(ends_with_the_last)
{
    join(1);
    endpoint_detach(&endpoints[0]);
    endpoint_detach(&endpoints[1]);
    char byte;
    assert_int_equal(read(peer, &byte, 1), 0);
    assert_false(endpoint_join(&endpoints[2], C, A, &endpoints[0]));
}

/* All that use it are told, and another way can be kept. */
TEST(end_of_the_daemon_is_the_end_of_all)
{
    join(1);
    shutdown(peer, SHUT_RDWR);
    expect_lost(0);
    expect_lost(1);
    assert_int_equal(losses[0], 1);
    assert_int_equal(losses[1], 1);
    assert_false(endpoint_join(&endpoints[2], C, A, &endpoints[0]));
    int other = talk_attach(&endpoints[2]);
    endpoint_open(&endpoints[2], C, 0);
    endpoint_keep_common(&endpoints[2]);
    endpoint_detach(&endpoints[1]);
    join(1);
    assert_int_equal(losses[2], 0);
    close(other);
}

TEST(daemon_ends_one)
{
    join(1);
    struct message *ended = control_new(CONTROL_ENDED, CONTROL_CONTEXT_TC, 0);
    talk_write(peer, ended, B, PEER); /* nobody else may say so */
    talk_look(&endpoints[0]);
    assert_int_equal(losses[1], 0);
    talk_write(peer, ended, B, TID_OWN_DAEMON);
    message_free(ended);
    talk_look(&endpoints[0]);
    expect_lost(1);
    assert_int_equal(losses[1], 1);
    assert_int_equal(losses[0], 0);
    peer_writes(A, 2);
    expect(0, 2);
}

static void *read_two(void *messages)
{
    struct message **read = messages;
    read[0] = talk_read(&heard);
    read[1] = talk_read(&heard);
    return NULL;
}

/* One is hung up while the way is full: what it has queued fails, and the rest goes on. */
TEST(hung_up_takes_its_own_along)
{
    struct request *requests[3];
    OWN struct message *large = talk_make(1, 0, TALK_LARGE);
    OWN struct message *small = talk_make(2, 0, BYTES);
    const struct parcel parcels[] = {{large, PEER}, {small, PEER}, {small, PEER}};
    join(1);
    for (int i = 0; i < 3; i++)
        assert_int_equal(request_post_send(&endpoints[i % 2], &parcels[i], &requests[i]), 0);
    endpoint_hang_up(&endpoints[1]);
    assert_true(request_wait(requests[1], NULL));
    assert_int_equal(request_result(requests[1]), CK_LOST);
    assert_false(request_test(requests[0]));
    assert_false(request_test(requests[2]));
    expect_lost(1);
    assert_int_equal(losses[1], 0); /* the owner knows */
    struct message *read[2];
    pthread_t reader;
    assert_int_equal(pthread_create(&reader, NULL, read_two, read), 0);
    for (int i = 0; i < 3; i++) {
        assert_true(request_wait(requests[i], NULL));
        assert_int_equal(request_result(requests[i]), i == 1 ? CK_LOST : 0);
        request_free(requests[i]);
    }
    pthread_join(reader, NULL);
    assert_int_equal(read[0]->header.source, A);
    assert_int_equal(read[1]->header.source, A);
    talk_expect(read[0], 1, TALK_LARGE);
    talk_expect(read[1], 2, BYTES);
}

static void send_unattended(int which, struct message *message)
{
    const uint32_t daemon = TID_OWN_DAEMON;
    struct unattended *letter = endpoint_prepare(&message, &daemon, 1);
    assert_non_null(letter);
    endpoint_send_unattended(&endpoints[which], letter);
}

/* What nobody waits for goes out although its endpoint is lost: word of its end. */
TEST(last_word_of_one_that_is_hung_up)
{
    join(1);
    endpoint_hang_up(&endpoints[1]);
    send_unattended(1, talk_make(3, 0, BYTES));
    expect_heard(B, 3);
}

/* The daemon takes nothing from it any more, and would complain; its neighbours go on. */
TEST(nothing_follows_the_last_word)
{
    join(1);
    struct message *last = talk_make(CONTROL_DEATHS, 0, BYTES);
    last->header.context = CONTROL_CONTEXT_TM;
    send_unattended(1, last);
    send_unattended(1, talk_make(4, 0, BYTES));
    OWN struct message *message = talk_make(5, 0, BYTES);
    uint32_t everybody[] = {PEER, PEER + 1};
    assert_int_equal(talk_send(&endpoints[1], PEER, 5, BYTES), CK_LOST);
    assert_int_equal(endpoint_send_all(&endpoints[1], message, everybody, 2), CK_LOST);
    endpoint_detach(&endpoints[1]);
    assert_int_equal(talk_send(&endpoints[0], PEER, 5, BYTES), 0);
    expect_heard(B, CONTROL_DEATHS);
    expect_heard(A, 5);
    join(1);
    assert_int_equal(talk_send(&endpoints[1], PEER, 5, BYTES), 0);
    expect_heard(B, 5);
}
