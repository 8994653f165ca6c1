/*
 * host_words.h - which hosts do the words of `add` mean?
 */
#ifndef CONSOLE_HOST_WORDS_H
#define CONSOLE_HOST_WORDS_H

#include "console/report.h"

/* Lines for pvm_addhosts, allocated each. */
struct host_words {
    char **line;
    int count;
};

/*
 * A word is a line, or slurm:N and slurm:job, which mean nodes of Slurm. Complains if there are
 * fewer of these than wanted.
 */
void host_words_read(struct host_words *words, struct report *report, int count, char **word);

void host_words_free(struct host_words *words);

#endif
