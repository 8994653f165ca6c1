/*
 * sent.h - the post of a daemon under test: router_send keeps what it is given.
 */
#ifndef UNIT_SENT_H
#define UNIT_SENT_H

#include "core/control.h"

/* Messages that have been sent and not yet been expected. */
int sent_count(void);

/*
 * The message sent first goes there and has that tag, context and wait identifier. Its body, to be
 * read before the next one is expected.
 */
struct control_reader *sent_expect(uint32_t destination, int32_t tag, int32_t context,
                                   int32_t wait);

/* The wait identifier of the message sent first. */
int32_t sent_wait(void);

/* Drops what has been sent. */
void sent_forget(void);

#endif
