/*
 * test_stream_port.c - messages over a socket: what it does not take at once, what comes in pieces,
 * how it ends.
 */
#include "ck/ports/stream/stream_port.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "body.h"
#include "talk.h"
#include "unit.h"

#define ME    0x40001u
#define PEER  0x40002u
#define LARGE (2 * TALK_LARGE)

static struct stream_port port;
static int peer;  /* the other end of the port's socket */
static int epoll; /* the set that the port is watched in */

UNIT_STEP(start)
{
    int ends[2];
    epoll = epoll_create1(0);
    if (epoll < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0)
        return -1;
    peer = ends[1];
    stream_port_start(&port);
    return stream_port_open(&port, ends[0], epoll);
}

UNIT_STEP(finish)
{
    stream_port_finish(&port);
    close(epoll);
    return peer < 0 ? 0 : close(peer);
}

static void close_peer(void)
{
    close(peer);
    peer = -1;
}

/* What the set says of the port: EPOLLIN, EPOLLOUT or both, or 0. */
static uint32_t ready_events(void)
{
    struct epoll_event event = {0};
    if (epoll_wait(epoll, &event, 1, 0) != 1)
        return 0;
    assert_ptr_equal(event.data.ptr, &port);
    return event.events & (EPOLLIN | EPOLLOUT);
}

/* The peer reads exactly the stream of `message`, from offset `*at` on, as far as there is any. */
static void peer_reads(const unsigned char *stream, size_t size, size_t *at)
{
    static unsigned char bytes[65536];
    ssize_t got;
    while ((got = recv(peer, bytes, size - *at < sizeof bytes ? size - *at : sizeof bytes,
                       MSG_DONTWAIT)) > 0) {
        assert_memory_equal(bytes, stream + *at, (size_t)got);
        *at += (size_t)got;
    }
}

#define TEST(name) UNIT_TEST_BETWEEN(name, start, finish)

/* Out ------------------------------------------------------------------------------------------ */

static enum push_result push(struct outgoing *outgoing)
{
    lock_acquire(&port.way.lock);
    enum push_result result = port.way.push(&port.way, outgoing);
    lock_release(&port.way.lock);
    return result;
}

TEST(parcels_go_out_as_frames_in_order)
{
    OWN struct message *first = talk_make(1, 0, 5000);
    OWN struct message *second = talk_make(2, 0, 10);
    const struct parcel parcels[] = {{first, PEER}, {second, PEER + 1}};
    struct outgoing outgoing = {.parcels = parcels, .count = 2, .source = ME};
    size_t sizes[2];
    unsigned char *streams[2] = {body_stream(first, PEER, ME, &sizes[0]),
                                 body_stream(second, PEER + 1, ME, &sizes[1])};
    assert_int_equal(push(&outgoing), PUSH_DONE);
    for (size_t i = 0; i < 2; i++) {
        size_t at = 0;
        peer_reads(streams[i], sizes[i], &at);
        assert_int_equal(at, sizes[i]);
        free(streams[i]);
    }
    assert_int_equal(ready_events(), 0); /* nobody waits for room */
}

/*
 * The peer reads and the port writes on in turn, until the port is done; returns what it finished.
 */
static struct outgoing *flush_to_peer(const unsigned char *stream, size_t size, size_t *at)
{
    struct outgoing *finished = NULL;
    while (!finished) {
        assert_true(*at < size);
        assert_int_equal(ready_events(), 0);
        peer_reads(stream, size, at);
        assert_int_equal(ready_events(), EPOLLOUT); /* the leader is woken to go on */
        finished = stream_port_flush(&port);
    }
    return finished;
}

TEST(what_the_socket_does_not_take_is_queued)
{
    struct message *messages[] = {talk_make(1, 0, LARGE), talk_make(2, 0, 10)};
    struct parcel parcels[] = {{messages[0], PEER}, {messages[1], PEER}};
    struct outgoing first = {.parcels = &parcels[0], .count = 1, .source = ME, .result = 1};
    struct outgoing second = {.parcels = &parcels[1], .count = 1, .source = ME, .result = 1};
    size_t sizes[2], at[2] = {0, 0};
    unsigned char *streams[2];
    for (size_t i = 0; i < 2; i++)
        streams[i] = body_stream(messages[i], PEER, ME, &sizes[i]);
    assert_int_equal(push(&first), PUSH_PENDING);
    assert_int_equal(push(&second), PUSH_PENDING); /* never past the first */
    assert_null(stream_port_flush(&port));
    assert_ptr_equal(flush_to_peer(streams[0], sizes[0], &at[0]), &first);
    assert_ptr_equal(first.next, &second);
    assert_null(second.next);
    assert_int_equal(first.result, 0);
    assert_int_equal(second.result, 0);
    for (size_t i = 0; i < 2; i++) {
        peer_reads(streams[i], sizes[i], &at[i]);
        assert_int_equal(at[i], sizes[i]);
        free(streams[i]);
        message_free(messages[i]);
    }
    assert_int_equal(ready_events(), 0); /* nothing is queued: room wakes nobody */
}

TEST(break_gives_back_what_was_queued)
{
    OWN struct message *large = talk_make(1, 0, LARGE);
    const struct parcel parcel = {large, PEER};
    struct outgoing first = {.parcels = &parcel, .count = 1, .source = ME};
    struct outgoing second = {.parcels = &parcel, .count = 1, .source = ME};
    struct outgoing third = {.parcels = &parcel, .count = 1, .source = ME};
    assert_int_equal(push(&first), PUSH_PENDING);
    assert_int_equal(push(&second), PUSH_PENDING);
    struct outgoing *queued = port.way.cut(&port.way);
    assert_ptr_equal(queued, &first);
    assert_ptr_equal(first.next, &second);
    assert_null(second.next);
    assert_int_equal(first.result, CK_LOST);
    assert_int_equal(second.result, CK_LOST);
    assert_int_equal(push(&third), PUSH_BROKEN);
    assert_null(stream_port_flush(&port));
    assert_null(port.way.cut(&port.way));
}

TEST(push_to_nobody_is_broken)
{
    OWN struct message *small = talk_make(1, 0, 10);
    const struct parcel parcel = {small, PEER};
    struct outgoing outgoing = {.parcels = &parcel, .count = 1, .source = ME};
    close_peer();
    assert_int_equal(push(&outgoing), PUSH_BROKEN); /* and no signal kills us */
}

/* A peer that reads no more, though it may still write, must not keep the leader busy for ever. */
TEST(way_out_that_breaks_ends_the_way_in)
{
    OWN struct message *large = talk_make(1, 0, LARGE);
    struct message *arrived = NULL;
    const char *reason = NULL;
    const struct parcel parcel = {large, PEER};
    struct outgoing outgoing = {.parcels = &parcel, .count = 1, .source = ME};
    assert_int_equal(push(&outgoing), PUSH_PENDING);
    assert_int_equal(stream_port_receive(&port, &arrived, &reason), 0);
    assert_int_equal(shutdown(peer, SHUT_RD), 0);
    assert_null(stream_port_flush(&port));
    assert_int_equal(stream_port_receive(&port, &arrived, &reason), CK_LOST);
    assert_non_null(reason);
    assert_ptr_equal(port.way.cut(&port.way), &outgoing);
}

/* In ------------------------------------------------------------------------------------------- */

static void peer_writes(const void *bytes, size_t size)
{
    assert_int_equal(send(peer, bytes, size, MSG_NOSIGNAL), size);
}

/* All but the last `cut` bytes of a message. */
static void peer_sends(int32_t tag, size_t length, size_t cut)
{
    size_t size;
    OWN struct message *message = talk_make(tag, 0, length);
    unsigned char *stream = body_stream(message, ME, PEER, &size);
    peer_writes(stream, size - cut);
    free(stream);
}

/* Receives once, and expects messages with tags from `tag` on, `count` of them. */
static void expect_arrivals(int result, int32_t tag, size_t count)
{
    struct message *arrived = NULL;
    const char *reason = "unset";
    assert_int_equal(stream_port_receive(&port, &arrived, &reason), result);
    assert_int_equal(reason == NULL, result >= 0);
    for (size_t i = 0; i < count; i++) {
        OWN struct message *message = arrived;
        assert_non_null(message);
        arrived = message->next;
        assert_int_equal(message->header.tag, tag++);
        assert_int_equal(message->header.source, PEER);
    }
    assert_null(arrived);
}

TEST(nothing_is_no_end)
{
    expect_arrivals(0, 0, 0);
}

TEST(one_read_takes_in_what_is_there)
{
    for (int32_t tag = 1; tag <= 3; tag++)
        peer_sends(tag, 100, 0);
    assert_int_equal(ready_events(), EPOLLIN);
    expect_arrivals(1, 1, 3);
    assert_int_equal(ready_events(), 0);
}

TEST(message_may_come_byte_by_byte)
{
    OWN struct message *message = talk_make(7, 0, 30);
    size_t size;
    unsigned char *stream = body_stream(message, ME, PEER, &size);
    for (size_t i = 0; i < size; i++) {
        peer_writes(stream + i, 1);
        expect_arrivals(1, 7, i + 1 == size);
    }
    free(stream);
}

TEST(end_comes_after_the_last_message)
{
    peer_sends(1, 10, 0);
    close_peer();
    expect_arrivals(1, 1, 1);
    expect_arrivals(CK_LOST, 0, 0);
}

TEST(end_within_a_message_is_an_end)
{
    peer_sends(1, 10, 1);
    close_peer();
    expect_arrivals(1, 0, 0);
    expect_arrivals(CK_LOST, 0, 0);
}

TEST(closing_frees_what_was_begun)
{
    peer_sends(1, 10000, 100);
    expect_arrivals(1, 0, 0);
}

TEST(descriptor_that_cannot_be_watched_is_refused)
{
    struct stream_port other;
    stream_port_start(&other);
    assert_int_equal(stream_port_open(&other, port.descriptor, epoll), -EEXIST);
    assert_int_equal(stream_port_open(&other, -1, epoll), -EBADF);
    stream_port_finish(&other);
}
