/*
 * talk.h - how do tests talk with an endpoint, message by message over its sockets, and know what
 * its threads do?
 */
#ifndef UNIT_TALK_H
#define UNIT_TALK_H

#include "ck/endpoint/endpoint.h"
#include "core/assemble.h"
#include "core/frame_reader.h"

#include "body.h"

/* An engine; NULL when the system has no memory or no descriptor. */
struct engine *talk_engine(void);

/*
 * Begins an endpoint that has this owner, in an engine of its own, and ends both, whether it is
 * attached or not. 0 or a negative error, which leaves nothing.
 */
int talk_begin(struct endpoint *endpoint, const struct endpoint_owner *owner);
void talk_end(struct endpoint *endpoint);

/* Attaches it to a socket. The other end, which is the caller's (close), or a negative error. */
int talk_attach(struct endpoint *endpoint);

/* More than any socket holds. */
#define TALK_LARGE (4 * 1024 * 1024)

/* A message whose body is `size` bytes that depend on its tag. Freed by message_free. */
struct message *talk_make(int32_t tag, int32_t wait, size_t size);

/* The test fails unless `message` is such a one. Frees it. */
void talk_expect(struct message *message, int32_t tag, size_t size);

/* The endpoint sends such a message: the result of endpoint_send, which may ask for a route. */
int talk_send(struct endpoint *endpoint, uint32_t to, int32_t tag, size_t size);

/* The next message that is there, which is the caller's (message_free), or NULL. */
struct message *talk_next(struct endpoint *endpoint);

/* A look at what there is, for a message that never comes. */
void talk_look(struct endpoint *endpoint);

/* Writes `message` to a socket, as frames. Blocks. */
void talk_write(int descriptor, const struct message *message, uint32_t destination,
                uint32_t source);

/* Reads messages from a socket, which stays the caller's. */
struct talk_reader {
    int descriptor;
    struct frame_reader frames;
    struct assembler assembler;
};

void talk_reader_start(struct talk_reader *reader, int descriptor);
void talk_reader_finish(struct talk_reader *reader);

/* The next whole message, which is the caller's (message_free). Blocks. */
struct message *talk_read(struct talk_reader *reader);

/* True when nothing is there that was not read. */
bool talk_is_silent(const struct talk_reader *reader);

/* Yields until `count` threads wait at the endpoint, one of them asleep as the leader. */
void talk_await_waiting(struct endpoint *endpoint, int count);

#endif
