/* next.h - how a function of ours finds the one of the same name beneath: the loader knows it. */
#ifndef PRELOAD_NEXT_H
#define PRELOAD_NEXT_H

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

#endif
