/*
 * assemble.h - puts frames back together into messages.
 *
 * A link may mix the frames of several messages if these differ in source or destination. One
 * example is a multicast to tasks that share the link. Frames with the same source and destination
 * are whole and in order. One caller at a time.
 */
#ifndef CORE_ASSEMBLE_H
#define CORE_ASSEMBLE_H

#include "core/frame_reader.h"
#include "core/message.h"

/* What a piece of a message counts at least, so that many short ones are not for nothing. */
#define ASSEMBLER_PIECE_LEAST 1024

struct assembler {
    struct pool *messages;   /* where they come from, set by the owner; NULL: from the allocator */
    size_t limit;            /* bytes of a message at most, set by the owner; 0: any number */
    struct message *partial; /* messages begun and not ended, linked by `next` */
};

void assembler_start(struct assembler *assembler);

/* Frees what was begun. */
void assembler_finish(struct assembler *assembler);

/* Drops what `source` has begun: nothing more comes from there. */
void assembler_forget(struct assembler *assembler, uint32_t source);

enum assembler_result {
    ASSEMBLER_MORE,    /* taken in, the message goes on */
    ASSEMBLER_MESSAGE, /* *message is whole and the caller's (message_free) */
    ASSEMBLER_STRAY,   /* without a beginning, or a second one: what was begun is dropped */
    ASSEMBLER_MEMORY,  /* memory is short: what was begun is dropped */
    ASSEMBLER_LONG,    /* it is longer than the limit: *message is what was begun, the caller's */
};

/* The body of `received` is shared, not copied. The source is the one in the frame. */
enum assembler_result assembler_add(struct assembler *assembler,
                                    const struct received_frame *received,
                                    struct message **message);

#endif
