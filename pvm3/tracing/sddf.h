/*
 * sddf.h - trace files: the text form of records, that of 3.4.6.
 *
 * A file begins with a comment; then come layouts and records, each layout before its first record.
 * A string has its length before it and may hold any byte but NUL.
 */
#ifndef TRACING_SDDF_H
#define TRACING_SDDF_H

#include <stdio.h>

#include "tracing/record.h"

/* Zeroed but for the file, it is ready; what is written is of one set of layouts. */
struct sddf_writer {
    FILE *file;
    bool *written; /* layouts that have been, by their numbers */
    int count;
};

/* The comment that a file begins with: the date, and `machine`, who wrote it. */
void sddf_write_head(struct sddf_writer *writer, const char *machine);

/* A record, and before it its layout unless that is written already. */
void sddf_write(struct sddf_writer *writer, const struct record *record);

/* Does not close the file. */
void sddf_write_end(struct sddf_writer *writer);

struct sddf_alias;

struct sddf_reader {
    FILE *file;
    struct record_layouts *layouts; /* what is read goes there */
    struct sddf_alias *aliases;     /* and what the file calls it */
    int line;
    const char *problem; /* what is wrong in this line */
};

void sddf_read_start(struct sddf_reader *reader, FILE *file, struct record_layouts *layouts);
void sddf_read_end(struct sddf_reader *reader);

/* The next record; NULL at the end of the file, or with a `problem`. */
struct record *sddf_read(struct sddf_reader *reader);

/*
 * All records of the file at `path` ("-": stdin) in order, through their `next`. NULL, and a line
 * on stderr says what is wrong and where, when it cannot be read or is no trace file. `*empty` is
 * true when it is one without any record.
 */
struct record *sddf_read_file(const char *path, struct record_layouts *layouts, bool *empty);

#endif
