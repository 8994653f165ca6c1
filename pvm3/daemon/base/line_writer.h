/*
 * line_writer.h - whole lines to a descriptor, without ever waiting for whoever reads them.
 *
 * A line that cannot be written just now, because the disk is full or nobody empties the pipe, is
 * lost. The next one that can be written comes behind a line that says how many were lost, and why.
 * A file on a disk that does not answer at all is waited for: the system offers no other way. One
 * thread.
 */
#ifndef DAEMON_BASE_LINE_WRITER_H
#define DAEMON_BASE_LINE_WRITER_H

#include <stdbool.h>
#include <stddef.h>

struct line_writer {
    int fd;
    unsigned long lost; /* lines that could not be written, */
    int error;          /* the last one for this reason */
    bool cut;           /* the last one was written in part */
};

/* Writes a line, its newline included. False when it is lost. */
bool line_writer_put(struct line_writer *writer, const char *line, size_t size);
/* Says what has been lost, if anything, if that can be written. */
void line_writer_tell(struct line_writer *writer);

#endif
