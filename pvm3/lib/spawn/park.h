/*
 * park.h - what a task that is put away in a file, or comes from one, says on the connection to the
 * process that writes the file (checkpoint.h) or reads it.
 *
 * Being put away, each task connects and says that it stands still. When all do, each is told who
 * they are, and says when all that they had sent has come. Then each in turn sends what it has. If
 * the connection ends, it runs on.
 *
 * Coming back, a task says twice whether it is content: first with the process that it comes to
 * (PARK_TRAITS), then when it has arrived. Then it waits for three blocks, each with its length in
 * front: the tids of all, what the pvmd has known of it, and its entries of the mailbox. It says
 * whether it is content with them, and waits for a word to run (PARK_RUN).
 *
 * Entries are luggage: of each a 1, name, index, flags and message; and a 0 behind the last.
 */
#ifndef LIB_SPAWN_PARK_H
#define LIB_SPAWN_PARK_H

#include <stdbool.h>
#include <stdint.h>

enum park_kind {
    PARK_STANDS,  /* struct park_stands */
    PARK_CANNOT,  /* why, in words */
    PARK_FLUSH,   /* a number, and the tids of all */
    PARK_FLUSHED, /* nothing */
    PARK_WRITE,   /* nothing: it is to send the rest */
    PARK_RECORD,  /* what the pvmd knows */
    PARK_TRAITS,  /* what must be equal where it comes back, in words */
    PARK_CARGO,   /* all else, whose size is not known, and PARK_WHOLE at its end */
    PARK_RUN,     /* nothing: it is to run on */
};

/* In front of so many bytes. */
struct park_word {
    uint32_t kind;
    int32_t tid; /* of who says it; 0: of no task */
    uint64_t size;
};

struct park_stands {
    int32_t tid;
    int32_t region; /* its number */
    uint64_t stack; /* bytes */
};

#define PARK_WHOLE "that is all of it"

/* Whether one that comes is content. */
struct arrival_word {
    bool content;
    char why[511]; /* it is not */
};

#endif
