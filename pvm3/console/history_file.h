/*
 * history_file.h - the lines that a user typed, in ~/.pvm_history: one a line, the oldest first.
 *
 * Each line is appended when it is typed, so consoles that run side by side lose none. A file that
 * has grown is cut down when it is opened. Without a HOME, or where the file cannot be made,
 * nothing is kept and nobody is bothered.
 */
#ifndef CONSOLE_HISTORY_FILE_H
#define CONSOLE_HISTORY_FILE_H

#include <stddef.h>
#include <stdio.h>

/* So many are kept; the file may have twice as many meanwhile. */
#define HISTORY_LINES 1000

struct history_file {
    FILE *file; /* NULL: there is none */
    char *line;
    size_t size;
    long skip; /* lines of the file that are too old */
};

void history_file_open(struct history_file *history);
void history_file_close(struct history_file *history);

/* The next line that was kept, valid until the next call; NULL after the last. */
char *history_file_next(struct history_file *history);

/* Appends a line; the earlier ones must have been taken. */
void history_file_add(struct history_file *history, const char *line);

#endif
