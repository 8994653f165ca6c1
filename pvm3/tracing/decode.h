/*
 * decode.h - trace messages (pvmtev.h) as records.
 *
 * A task or pvmd describes each kind of its events once to each task that reads them; later events
 * refer to the description. So a task that reads traces has one decoder, which sees all messages in
 * order, even if it is asked for several traces.
 */
#ifndef TRACING_DECODE_H
#define TRACING_DECODE_H

#include "tracing/record.h"

struct decoder_task;

/* Zeroed, it is ready. */
struct decoder {
    struct record_layouts layouts; /* of all records */
    struct decoder_task *tasks;
};

/* Gets a record with the tid that sent it, and frees it. */
typedef void decoder_take(void *owner, int source, struct record *record);

/*
 * Decodes the active receive buffer. False when it makes no sense; the records before that have
 * been taken.
 */
bool decode_message(struct decoder *decoder, int buffer, decoder_take *take, void *owner);

/* Forgets what a task has described. */
void decode_forget(struct decoder *decoder, int source);
void decode_end(struct decoder *decoder);

#endif
