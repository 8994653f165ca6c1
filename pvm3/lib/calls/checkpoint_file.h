/*
 * checkpoint_file.h - the file in which the user-level processes of a program are put away.
 *
 * It consists of sections: a name, a size, a number for their bytes, and the bytes. All are as this
 * kind of machine has them. The first is SECTION_BEGIN, the last SECTION_END. In between each
 * process has five, in the order of their names below.
 *
 * A file is written under another name, and gets its own when it is whole. Threads: one for each.
 */
#ifndef LIB_CALLS_CHECKPOINT_FILE_H
#define LIB_CALLS_CHECKPOINT_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define SECTION_BEGIN   "PVMsaved" /* struct file_begin */
#define SECTION_PROCESS "process"  /* struct file_process */
#define SECTION_ENTRIES "entries"  /* of the mailbox, that it owns (lib/spawn/park.h) */
#define SECTION_RECORD  "record"   /* what the pvmd has known of it */
#define SECTION_TRAITS  "traits"   /* what must be equal where it comes back (ulp/traits.h) */
#define SECTION_CARGO   "cargo"    /* all else, as pvmulp puts it (ulp/parking.h) */
#define SECTION_END     "end"

/* Changes with anything in the file. */
#define FILE_VERSION 1

struct file_begin {
    uint32_t version;
    uint32_t count; /* of processes */
    char machine[64];
    char release[64]; /* of PVM */
};

struct file_process {
    int32_t tid;
    int32_t region;
    uint64_t stack;
    char name[256];
    char host[256];
};

#define SECTION_NAME 16

struct section {
    char name[SECTION_NAME];
    uint64_t size;
    uint64_t digest;
};

/* Writing. It keeps its first failure, for writer_end. */
struct writer {
    FILE *file;
    const char *path;
    char fresh[PATH_MAX];
    struct section section; /* that is being written */
    long place;             /* where it begins */
    uint64_t bytes;         /* in all */
    int error;              /* errno, or 0 */
};

void writer_begin(struct writer *writer, const char *path);
void writer_open(struct writer *writer, const char *name);
void writer_put(struct writer *writer, const void *bytes, size_t size);
void writer_close(struct writer *writer);

/* The file gets its name, if `good` and nothing has failed, or goes. 0 or an errno. */
int writer_end(struct writer *writer, bool good);

/* A section of these bytes. */
void writer_add(struct writer *writer, const char *name, const void *bytes, size_t size);

/* The next section of a file, of this name, whose bytes come next. NULL, or why there is none. */
const char *section_read(FILE *file, const char *name, struct section *section);

/* Its bytes, in memory of the caller (free), or none of them if `skips`; then *bytes is NULL. */
const char *section_get(FILE *file, const struct section *section, bool skips, void **bytes);

#endif
