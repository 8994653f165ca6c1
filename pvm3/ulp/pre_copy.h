/*
 * pre_copy.h - the memory of a user-level process that is to move goes ahead of it.
 *
 * While the process runs on, a thread sends the pages that it uses, then those that it has written to
 * meanwhile, and so on until few are left. Then the process stops, and takes along only these.
 *
 * Source: M. M. Theimer, K. A. Lantz and D. R. Cheriton, "Preemptable Remote Execution Facilities for
 * the V-System", Proceedings of the 10th ACM Symposium on Operating Systems Principles, 1985.
 *
 * Threads: for the thread that runs the user-level process.
 */
#ifndef ULP_PRE_COPY_H
#define ULP_PRE_COPY_H

#include <stdbool.h>
#include <stdint.h>

#include "ulp/cargo.h"

struct image;
struct region;

/* Where to the memory goes, and what of it goes ahead. */
struct pre_copy_way {
    int connection;
    uint32_t holder; /* of own_program_knock */
    const struct image *image;
    const struct region *region;
    const unsigned char *stack; /* what the program has of it begins here */
};

struct pre_copy;

/*
 * Begins, and puts off what the task is ordered to do until all has gone ahead. NULL if the system
 * cannot, or so little is in use that it does not pay: then the process moves now.
 */
struct pre_copy *pre_copy_begin(const struct pre_copy_way *way);

/*
 * The process stops: waits until all has gone ahead. *way is what was given to pre_copy_begin. False
 * if the connection has ended.
 */
bool pre_copy_take_up(struct pre_copy *copy, struct pre_copy_way *way);

/* For cargo_put_memory: what is still to go. */
const struct written *pre_copy_written(const struct pre_copy *copy);

/* The process has gone, or stays. */
void pre_copy_finish(struct pre_copy *copy);

/* The process ends while its memory goes ahead: the connection is closed, too. */
void pre_copy_abandon(struct pre_copy *copy);

#endif
