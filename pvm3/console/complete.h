/*
 * complete.h - what can the word at the cursor become?
 */
#ifndef CONSOLE_COMPLETE_H
#define CONSOLE_COMPLETE_H

#include <stddef.h>

#include "console/console.h"

struct completions {
    size_t start; /* where the word begins in the line */
    char **words; /* that begin with what stands there, each once, sorted; allocated each */
    int count;
};

/* For the first `cursor` bytes of `line`. */
void complete(const struct console *console, const char *line, size_t cursor,
              struct completions *completions);
void completions_finish(struct completions *completions);

#endif
