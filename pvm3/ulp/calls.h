/*
 * calls.h - tables of the functions that a program has instead of those of libraries.
 *
 * Threads: the tables never change.
 */
#ifndef ULP_CALLS_H
#define ULP_CALLS_H

#include <stddef.h>
#include <string.h>

struct call {
    const char *name;
    void *function;
};

/* The function of this name in a table; NULL: the table does not have it. */
static inline void *call_find(const struct call *calls, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, calls[i].name) == 0)
            return calls[i].function;
    return NULL;
}

#endif
