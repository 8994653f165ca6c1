/*
 * options.h - the command line.
 */
#ifndef RUN_OPTIONS_H
#define RUN_OPTIONS_H

#include "run/job.h"

/* Reads the words behind the name of the program. Ends the program when they make no sense. */
void options_read(struct job *job, char **words);

void options_free(struct job *job);

#endif
