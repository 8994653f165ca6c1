/* forward.h - how a function of ours calls the one of the same name beneath. */
#ifndef PRELOAD_FORWARD_H
#define PRELOAD_FORWARD_H

#include <string.h>

#include <pvm3.h>

#include "section.h"

#define PUBLIC __attribute__((visibility("default")))

/* Inside the section. `next` becomes the function beneath of the function that it stands in. */
#define FIND_NEXT(name)                                                                            \
    static __typeof__(name) *next;                                                                 \
    if (!next) {                                                                                   \
        void *found = section_next(#name);                                                         \
        memcpy(&next, &found, sizeof next);                                                        \
    }

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
