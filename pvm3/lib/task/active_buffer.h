/*
 * active_buffer.h - what a thread receives becomes its active receive buffer; and what becomes of
 * its active buffers when the thread ends.
 *
 * Threads: all functions are for the calling thread, and agree with turns.h on whose buffer is the
 * active one.
 */
#ifndef LIB_TASK_ACTIVE_BUFFER_H
#define LIB_TASK_ACTIVE_BUFFER_H

#include "lib/task/buffer.h"

/* Turns the taken message into the caller's active receive buffer; returns its id or PvmNoMem. */
int active_buffer_receive(struct caller *caller, struct message *message);

/* As above for what came within another message, or was read up to `cursor`. */
int active_buffer_receive_inner(struct caller *caller, struct message *message,
                                struct cursor cursor);

/*
 * As above around a call that receives: at first what was received before is gone, as if freed; in
 * the end its buffer and id serve for `message`, unless others use that or there is no message.
 * Then the buffer is freed. Returns the id, PvmNoMem, or `result` without a message.
 */
void active_buffer_begin_receive(struct caller *caller);
int active_buffer_end_receive(struct caller *caller, struct message *message, int result);

/* What a thread leaves behind when it ends: its active buffers are freed. */
void active_buffer_forget(struct caller *caller);

/*
 * The active buffers of a task that moves, of which the caller is the only thread, behind its
 * buffers.
 */
void active_buffer_put(struct caller *caller, struct luggage *luggage);
void active_buffer_get(struct caller *caller, struct luggage_reader *reader);

#endif
