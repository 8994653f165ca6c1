/* forward.h - how a public function calls that of libpvm3 or libgpvm3 behind it (lpvmname.h). */
#ifndef FORWARD_H
#define FORWARD_H

#define _GNU_SOURCE

#include <pthread.h>
#include <stdbool.h>

#include <pvm3.h>

#define PUBLIC

/* `next` becomes the function behind the one that it stands in. */
#define FIND_NEXT(name)                                                                            \
    extern __typeof__(name) stock_##name;                                                          \
    __typeof__(name) *next = stock_##name;

#define FORWARD(received, type, name, parameters, arguments)                                       \
    PUBLIC type name parameters                                                                    \
    {                                                                                              \
        bool outermost = section_enter();                                                          \
        FIND_NEXT(name)                                                                            \
        type result = next arguments;                                                              \
        section_leave(outermost, received);                                                        \
        return result;                                                                             \
    }

/* A call that works on what the task has, and one that may take in messages. */
#define LOCAL(name, parameters, arguments)  FORWARD(false, int, name, parameters, arguments)
#define REMOTE(name, parameters, arguments) FORWARD(true, int, name, parameters, arguments)

/* Enters the critical section. True when the thread was outside, to be given to section_leave. */
bool section_enter(void);

/* received: messages may have been taken in. They are given out as they come, whatever it says. */
void section_leave(bool outermost, bool received);

/* Inside: the buffer is nobody's active one any more. */
void section_forget_buffer(int buffer);

/* Inside: the copy of the descriptors that the calling thread may read when it has left. */
int section_descriptors(int **descriptors);

#endif
