/*
 * assemble.c - one open message for each source and destination, found by a short walk: few are open
 * at once.
 */
#include "core/assemble.h"

#include <stdlib.h>

void assembler_start(struct assembler *assembler)
{
    *assembler = (struct assembler){.partial = NULL};
}

void assembler_finish(struct assembler *assembler)
{
    while (assembler->partial) {
        struct message *message = assembler->partial;
        assembler->partial = message->next;
        message_free(message);
    }
}

/* Takes the message that the frame goes on out of the list; NULL when there is none. */
static struct message *assembler_take(struct assembler *assembler, const struct frame *frame)
{
    for (struct message **link = &assembler->partial; *link; link = &(*link)->next) {
        struct message *message = *link;
        if (message->header.source == frame->source &&
            message->header.destination == frame->destination) {
            *link = message->next;
            message->next = NULL;
            return message;
        }
    }
    return NULL;
}

void assembler_forget(struct assembler *assembler, uint32_t source)
{
    struct message **link = &assembler->partial;
    while (*link) {
        struct message *message = *link;
        if (message->header.source != source) {
            link = &message->next;
            continue;
        }
        *link = message->next;
        message_free(message);
    }
}

static struct message *assembler_begin(const struct assembler *assembler,
                                       const struct received_frame *received)
{
    struct message *message =
        assembler->messages ? message_new_from(assembler->messages, 0, MESSAGE_FRAGMENT_DEFAULT)
                            : message_new(0, MESSAGE_FRAGMENT_DEFAULT);
    if (!message)
        return NULL;
    frame_decode_message(&message->header, received->frame.source, received->body);
    message->header.source = received->frame.source;
    message->header.destination = received->frame.destination;
    return message;
}

/* A message may go on without end: each piece counts its bytes, and no piece is free. */
static bool assembler_has_room(const struct assembler *assembler, const struct message *message,
                               size_t length)
{
    size_t least = (message->segment_count + 1) * ASSEMBLER_PIECE_LEAST;
    size_t size = message->length + length;
    return assembler->limit == 0 || (size > least ? size : least) <= assembler->limit;
}

enum assembler_result assembler_add(struct assembler *assembler,
                                    const struct received_frame *received, struct message **whole)
{
    bool first = received->frame.flags & FRAME_FIRST;
    size_t skip = first ? FRAME_MESSAGE_HEADER_SIZE : 0;
    struct message *message = assembler_take(assembler, &received->frame);
    if ((message != NULL) == first) {
        message_free(message);
        return ASSEMBLER_STRAY;
    }
    if (first)
        message = assembler_begin(assembler, received);
    if (!message)
        return ASSEMBLER_MEMORY;
    size_t length = received->frame.length - skip;
    if (!assembler_has_room(assembler, message, length)) {
        *whole = message;
        return ASSEMBLER_LONG;
    }
    if (length > 0 && message_append(message, received->chunk, received->body + skip, length) < 0) {
        message_free(message);
        return ASSEMBLER_MEMORY;
    }
    if (received->frame.flags & FRAME_LAST) {
        *whole = message;
        return ASSEMBLER_MESSAGE;
    }
    message->next = assembler->partial;
    assembler->partial = message;
    return ASSEMBLER_MORE;
}
