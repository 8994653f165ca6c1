/*
 * program.h - a program of which copies run: its file, and where the symbols are that it needs,
 * which are looked for once.
 *
 * Threads: any thread may call any function.
 */
#ifndef ULP_PROGRAM_H
#define ULP_PROGRAM_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "ulp/image.h"
#include "ulp/program_file.h"

struct program {
    struct program *next;
    char *path;         /* without symbolic links */
    struct stat status; /* of the file when it was read */
    struct program_file file;
    int users;
    bool opened;          /* its libraries are in the process (ulp.c) */
    const char *stays;    /* why its copies cannot move, or NULL */
    bool drops;           /* they may give pages back to the system */
    pthread_mutex_t lock; /* guards what follows */
    void **found;         /* addresses, by the index of the symbol; NULL: not known */
    size_t count;
};

/*
 * The program at `path`, which is read if it is not known, or has changed. NULL, or what is wrong
 * with it, in a text that stays. program_leave is to be called if there is a program.
 */
const char *program_use(struct program **program, const char *path);
void program_leave(struct program *program);

/* Where a symbol was found before; NULL: it was not. */
void *program_recall(struct program *program, const struct image_symbol *symbol);
void program_remember(struct program *program, const struct image_symbol *symbol, void *found);

#endif
