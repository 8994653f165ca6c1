/*
 * messages.h - which send of a trace belongs to which receive?
 *
 * Messages from one task to another that have the same tag and context arrive in the order in which
 * they were sent: the first sent is the first received. A message to a task that was not traced, or
 * that was never received, has no receive, and the other way round.
 */
#ifndef TOOLS_MESSAGES_H
#define TOOLS_MESSAGES_H

#include "tools/timeline.h"

/* One end of a message: a call, or with `call` NULL a moment, in which a handler got it. */
struct message_end {
    int source;
    int destination;
    int tag;
    int context;
    size_t order; /* among all ends of this kind */
    struct timeline_task *task;
    const struct call *call;
    int64_t time; /* within the call, not shifted */
};

struct message_pair {
    struct message_end sent;
    struct message_end received;
};

struct messages {
    struct message_pair *pairs;
    size_t count;
    size_t sent; /* all that were, a multicast once for each receiver */
    size_t received;
};

void messages_match(struct messages *messages, struct timeline *timeline);
void messages_free(struct messages *messages);

/*
 * Clocks are not exact: shifts those of hosts onwards just so far that no message is received
 * before it was sent. Returns the number of messages for which that is not possible, since a clock
 * ran fast or slow meanwhile.
 */
size_t messages_shift_clocks(const struct messages *messages, struct timeline *timeline);

#endif
