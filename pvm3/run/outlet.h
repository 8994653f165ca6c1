/*
 * outlet.h - text on its way to the standard output or error of pvmrun, which may be slow to take it.
 */
#ifndef RUN_OUTLET_H
#define RUN_OUTLET_H

#include <stdbool.h>
#include <stddef.h>

struct outlet {
    int fd;
    int error;    /* why nothing can be written any more, else 0 */
    size_t piece; /* a write of so many bytes does not block after poll */
    char *text;
    size_t begin, end, room;
    bool within_line; /* the last line has no end yet */
    int writer;       /* who wrote last */
};

void outlet_start(struct outlet *outlet, int fd);

/* Adds text of a writer. A line of somebody else that has no end gets one before. */
void outlet_add(struct outlet *outlet, int writer, const char *text, size_t length);

/* How many bytes wait. */
size_t outlet_waiting(const struct outlet *outlet);

/* Writes what the descriptor takes without blocking. */
void outlet_write(struct outlet *outlet);

/* Writes all that waits, however long it takes. */
void outlet_finish(struct outlet *outlet);

#endif
