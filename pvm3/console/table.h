/*
 * table.h - rows and columns of text.
 *
 * Two layouts: that of 3.4.6, whose widths are fixed, since scripts read it; and that for people,
 * where each column is as wide as what it holds.
 */
#ifndef CONSOLE_TABLE_H
#define CONSOLE_TABLE_H

#include <stdbool.h>
#include <stddef.h>

/* Column `title`; in 3.4.6 behind `gap`, filled up to `width` from the left, or from the right. */
struct column {
    const char *title;
    const char *gap;
    int width;
    bool fill_right; /* in 3.4.6 */
    bool text;       /* begins at the left of its column, for people */
};

struct table {
    const struct column *columns;
    int column_count;
    bool people;
    char **cells; /* row by row, allocated each */
    size_t cell_count;
    bool incomplete; /* for want of memory */
};

void table_start(struct table *table, const struct column *columns, int count, bool people);
void table_finish(struct table *table);

/* Adds the next cell, in the first column again behind the last. */
__attribute__((format(printf, 2, 3))) void table_add(struct table *table, const char *format, ...);

int table_rows(const struct table *table);

/* Rows from `first` up to, not including, `end`. */
void table_print_header(const struct table *table);
void table_print_rows(const struct table *table, int first, int end);

/* All of it. */
void table_print(const struct table *table);

#endif
