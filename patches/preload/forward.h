/*
 * forward.h - how a function of ours calls the one of the same name beneath. next.h says where that
 * is: here, and in patches/source.
 */
#ifndef FORWARD_H
#define FORWARD_H

#include "next.h"

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

#endif
