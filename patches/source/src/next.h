/*
 * next.h - how a public function finds that of libpvm3 or libgpvm3 behind it: by its name there
 * (lpvmname.h, gpvmname.h).
 */
#ifndef NEXT_H
#define NEXT_H

#define _GNU_SOURCE

#include <pthread.h>
#include <stdbool.h>

#include <pvm3.h>

#define PUBLIC

/* `next` becomes the function behind the one that it stands in. */
#define FIND_NEXT(name)                                                                            \
    extern __typeof__(name) stock_##name;                                                          \
    __typeof__(name) *next = stock_##name;

/* Enters the critical section. True when the thread was outside, to be given to section_leave. */
bool section_enter(void);

/* received: messages may have been taken in. They are given out as they come, whatever it says. */
void section_leave(bool outermost, bool received);

/* For a call of libgpvm3, of which there is one at a time. True when the thread was outside. */
bool section_enter_group(void);
void section_leave_group(bool outermost);

/* Inside: the buffer is nobody's active one any more. */
void section_forget_buffer(int buffer);

/* Inside: the copy of the descriptors that the calling thread may read when it has left. */
int section_descriptors(int **descriptors);

#endif
