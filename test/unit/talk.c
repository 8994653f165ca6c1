/* talk.c - messages in and out of plain sockets, and a look at the list of who waits. */
#include "talk.h"

#include <errno.h>
#include <pvm3.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/cache_line.h"
#include "core/encode.h"
#include "core/tid.h"

#include "body.h"
#include "unit.h"

struct engine *talk_engine(void)
{
    struct engine *engine = cache_line_allocate(sizeof *engine);
    if (engine && engine_init(engine) < 0) {
        free(engine);
        engine = NULL;
    }
    return engine;
}

int talk_begin(struct endpoint *endpoint, const struct endpoint_owner *owner)
{
    struct engine *engine = talk_engine();
    int error = engine ? endpoint_init(endpoint, engine, owner) : -ENOMEM;
    if (engine && error < 0) {
        engine_destroy(engine);
        free(engine);
    }
    return error;
}

void talk_end(struct endpoint *endpoint)
{
    struct engine *engine = endpoint->engine;
    endpoint_detach(endpoint);
    endpoint_destroy(endpoint);
    engine_destroy(engine);
    free(engine);
}

int talk_attach(struct endpoint *endpoint)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0)
        return -1;
    int error = endpoint_attach(endpoint, ends[0]);
    if (error == 0)
        return ends[1];
    close(ends[0]);
    close(ends[1]);
    return error;
}

struct message *talk_make(int32_t tag, int32_t wait, size_t size)
{
    struct message *message = message_new(MESSAGE_XDR, MESSAGE_FRAGMENT_DEFAULT);
    char *bytes = malloc(size + 1);
    body_fill(bytes, size, (unsigned)tag);
    message->header.tag = tag;
    message->header.wait = wait;
    assert_int_equal(encode_pack(message, PVM_BYTE, bytes, (int)size, 1), 0);
    free(bytes);
    return message;
}

void talk_expect(struct message *message, int32_t tag, size_t size)
{
    struct message *expected = talk_make(tag, 0, size);
    unsigned char *bytes = body_bytes(expected);
    assert_non_null(message);
    assert_int_equal(message->header.tag, tag);
    body_expect_bytes(message, bytes, expected->length);
    free(bytes);
    message_free(expected);
    message_free(message);
}

int talk_send(struct endpoint *endpoint, uint32_t to, int32_t tag, size_t size)
{
    OWN struct message *message = talk_make(tag, 0, size);
    const struct parcel parcel = {message, to};
    return endpoint_send(endpoint, &parcel, true);
}

struct message *talk_next(struct endpoint *endpoint)
{
    const struct pattern any = {PATTERN_ANY_SOURCE, PATTERN_ANY, PATTERN_ANY, 0};
    struct message *message;
    assert_int_equal(endpoint_poll(endpoint, &any, &message), 0);
    return message;
}

void talk_look(struct endpoint *endpoint)
{
    const struct pattern nobody = {PATTERN_ANY_SOURCE, 999999, PATTERN_ANY, 0};
    const struct timespec past = {0, 0};
    struct message *message;
    assert_int_equal(endpoint_receive(endpoint, &nobody, &past, &message), 0);
    assert_null(message);
}

void talk_write(int descriptor, const struct message *message, uint32_t destination,
                uint32_t source)
{
    size_t size;
    unsigned char *stream = body_stream(message, destination, source, &size);
    for (size_t at = 0; at < size;) {
        ssize_t written = send(descriptor, stream + at, size - at, MSG_NOSIGNAL);
        assert_true(written > 0);
        at += (size_t)written;
    }
    free(stream);
}

void talk_reader_start(struct talk_reader *reader, int descriptor)
{
    reader->descriptor = descriptor;
    frame_reader_start(&reader->frames, FRAME_LENGTH_LIMIT);
    assembler_start(&reader->assembler);
}

void talk_reader_finish(struct talk_reader *reader)
{
    frame_reader_finish(&reader->frames);
    assembler_finish(&reader->assembler);
}

struct message *talk_read(struct talk_reader *reader)
{
    struct received_frame received;
    struct message *message = NULL;
    for (;;) {
        while (frame_reader_next(&reader->frames, &received) == FRAME_READER_FRAME)
            if (assembler_add(&reader->assembler, &received, &message) == ASSEMBLER_MESSAGE)
                return message;
        size_t room;
        unsigned char *space = frame_reader_space(&reader->frames, &room);
        ssize_t got = recv(reader->descriptor, space, room, 0);
        assert_true(got > 0);
        frame_reader_filled(&reader->frames, (size_t)got);
    }
}

bool talk_is_silent(const struct talk_reader *reader)
{
    char byte;
    return !frame_reader_is_amid(&reader->frames) &&
           recv(reader->descriptor, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0;
}

void talk_await_waiting(struct endpoint *endpoint, int count)
{
    int waiters = -1;
    while (waiters != count) {
        sched_yield();
        lock_acquire(&endpoint->waiting->lock);
        waiters = 0;
        for (const struct waiter *waiter = endpoint->waiting->first; waiter; waiter = waiter->next)
            waiters += waiter->following ||
                       (waiter == endpoint->waiting->leader && endpoint->waiting->asleep);
        lock_release(&endpoint->waiting->lock);
    }
}
