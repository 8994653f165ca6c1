/* lines.h - hosts and tasks as lines of text, in columns. What is not known is "-". */
#ifndef TOP_LINES_H
#define TOP_LINES_H

#include "top/picture.h"

/* A line, which is cut if it is longer. */
struct line {
    char text[256];
};

struct line line_of_hosts(void); /* the titles */
struct line line_of_host(const struct picture *picture, const struct host *host);
struct line line_of_tasks(void); /* the titles */
struct line line_of_task(const struct task *task);

/* All that are shown, to the standard output. */
void lines_print(const struct picture *picture);

#endif
