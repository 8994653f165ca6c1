/*
 * written.h - which pages of a part of memory have been written to, as the system sees it.
 *
 * Facts: userfaultfd(2), and PAGEMAP_SCAN in the documentation of Linux (admin-guide/mm/pagemap), from
 * release 6.7 on. The system marks pages so that it notes the first write to each, by whatever it is
 * made, also by a system call; nobody has to handle anything.
 *
 * Threads: one at a time; any thread may write to the memory meanwhile.
 */
#ifndef ULP_WRITTEN_H
#define ULP_WRITTEN_H

#include <stdbool.h>
#include <stddef.h>

struct written {
    int watch; /* while it is open, the system notes */
    int map;   /* where it tells */
    unsigned char *from, *end;
};

/* Watches these whole pages, all of which are mapped. False if the system cannot. */
bool written_begin(struct written *written, unsigned char *from, unsigned char *end);
void written_finish(struct written *written);

/*
 * The next pages from `*from` on, before `end`, that have been written to since they were `noted`, or
 * since ever. Both are the beginning of a page; *from is where they begin then. Where they end; NULL:
 * there are none. `note`: from now on only what is written anew counts. If the system does not tell,
 * it is all of them.
 */
unsigned char *written_next(const struct written *written, unsigned char **from, unsigned char *end,
                            bool note);

#endif
