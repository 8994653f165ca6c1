/*
 * image.h - a copy of a program in memory, at addresses of its own, with variables of its own.
 *
 * Text is mapped from the file, so that all copies share its memory. The caller that loads the
 * program finds what it needs of libraries. This does what the dynamic linker does for the one
 * program of a process; dlopen refuses programs, and dlmopen has room for few.
 *
 * Threads: a value; one thread loads and ends it.
 */
#ifndef ULP_IMAGE_H
#define ULP_IMAGE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ulp/program_file.h"

/* The entries of a dynamic section whose numbers are small enough to be an index. */
#define IMAGE_TABLES 64

struct image {
    const struct program_file *file; /* which outlives it */
    unsigned char *base;
    bool placed;  /* in memory of who loads it, who unmaps it, too */
    intptr_t tls; /* where its thread-local variables begin, from the thread pointer on */
    size_t tables[IMAGE_TABLES];
    size_t versions_used, versions, version_count; /* DT_VERSYM, DT_VERNEED, DT_VERNEEDNUM */
};

/* A symbol that a program needs, or has. */
struct image_symbol {
    size_t index; /* in the program's own table */
    const char *name;
    const char *version; /* NULL: any */
    size_t size;
    bool weak;  /* NULL will do */
    void *room; /* the program has room for the variable here, and takes its value; or NULL */
};

/* The loader: where a symbol is. NULL, and *why, if there is none or the program cannot have it. */
typedef void *image_find(const struct image_symbol *symbol, const char **why);

/*
 * Maps the file at `place`, where file->span bytes are free for it; NULL: anywhere. NULL, or what is
 * wrong, in a text that stays; image_unmap is to be called in either case.
 */
const char *image_map(struct image *image, const struct program_file *file, void *place);
void image_unmap(struct image *image);

/* The name of the next library that the program needs: `*at` is 0 at first. NULL: no more. */
const char *image_next_library(const struct image *image, size_t *at);

/*
 * Binds the program to what it needs. NULL, or what is wrong, as above; `name` is then the symbol
 * that is concerned, or NULL.
 */
const char *image_link(struct image *image, image_find *find, const char **name);

/* Makes memory that only linking changes read-only. image_link does this in the end. */
void image_protect(const struct image *image);

/*
 * The next part of the image that the program may change, or that linking has changed: `*at` is 0 at
 * first. False: no more.
 */
bool image_next_variables(const struct image *image, int *at, unsigned char **from,
                          unsigned char **end);

/* Gives the calling thread the program's thread-local variables. */
void image_start_thread(const struct image *image, unsigned char *thread_pointer);

/* Calls the functions that come before main, and those that come after it. */
void image_begin(const struct image *image, int count, char **words, char **environment);
void image_end(const struct image *image);

/* Where the program is entered; NULL: nowhere. */
void *image_entry(const struct image *image);

/* Whether the address lies in the image. */
bool image_has(const struct image *image, uintptr_t address);

/* The tables by which exceptions find their way through its code; NULL: none. */
void *image_frames(const struct image *image);

#endif
