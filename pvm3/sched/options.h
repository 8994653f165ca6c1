/* options.h - the words of the command. */
#ifndef SCHED_OPTIONS_H
#define SCHED_OPTIONS_H

#include "sched/settings.h"

/* Ends the program where the words ask for help, or are wrong. */
void options_parse(struct settings *settings, int count, char **words);

#endif
