/*
 * blocking_calls.h - the calls in which a program waits for something outside PVM: for a time, a
 * child, a file that is not ready.
 *
 * A carrier would wait with the program, and with it all programs that it could run meanwhile. So
 * the program's own thread makes such a call (ck/base/fiber.h). A call on a file that is ready stays
 * where it is.
 *
 * Known are the program's own calls. One that a library makes holds up its carrier.
 *
 * Threads: any thread of a user-level process.
 */
#ifndef ULP_BLOCKING_CALLS_H
#define ULP_BLOCKING_CALLS_H

#include <stdbool.h>
#include <stdio.h>

/* The substitute for a function of this name; NULL if there is no substitute. */
void *blocking_call_find(const char *name);

/* Around a call that does not return at once, unless `ready`. Both keep errno. */
void blocking_call_begin(bool ready);
void blocking_call_end(void);

/* Whether a call that reads or writes (POLLIN or POLLOUT) the descriptor would return at once. */
bool blocking_call_is_ready(int descriptor, short events);

/* Likewise, one that reads a stream. One with more in its buffer may seem not to be ready. */
bool blocking_call_stream_is_ready(FILE *stream);

#endif
