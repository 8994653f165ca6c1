/*
 * checkpoint.h - for the console alone: the user-level processes of the virtual machine are put
 * away in a file, and brought back.
 *
 * The processes stand still meanwhile, all at once, so that the file has one state of all: what one
 * has sent to another has come, and is unread in its inbox, or it has not been sent. Then they run
 * on. If one of them cannot be put away, none is. Messages that tasks outside the file send them
 * meanwhile come to the processes that run on. A file is not left half written.
 *
 * Brought back, each has its tid and its memory. It lives on a host of the name that its host had,
 * or else on one that has few. Either all come back or none.
 *
 * Threads: one thread of the console.
 */
#ifndef LIB_CALLS_CHECKPOINT_H
#define LIB_CALLS_CHECKPOINT_H

#include <stdbool.h>
#include <stdint.h>

/* All zero before, but for `progress`. */
struct checkpoint_result {
    int processes;  /* that are in the file, or have come back */
    int others;     /* tasks that are no user-level processes, and so are not in it */
    uint64_t bytes; /* of the file */
    int tid;        /* of whom `why` tells; 0: of none of them */
    char why[600];  /* after an error: what hinders */
    /* Called after each that is written or has come: NULL, or who tells of it. */
    void (*progress)(struct checkpoint_result *result, int done, int count);
    long told; /* for that function */
};

/* Whether something else hinders it, which is in *result then, when all with these tids stand still. */
typedef bool checkpoint_hinders(const int *tids, int count, struct checkpoint_result *result);

/*
 * Puts these away, or all if `count` is 0. checkpoint_restart brings back what is in a file. 0, or an
 * error.
 */
__attribute__((visibility("default"))) int checkpoint_write(const char *path, const int *tids,
                                                            int count, checkpoint_hinders *hinders,
                                                            struct checkpoint_result *result);
__attribute__((visibility("default"))) int checkpoint_restart(const char *path,
                                                              struct checkpoint_result *result);

#endif
