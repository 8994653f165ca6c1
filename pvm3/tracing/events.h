/*
 * events.h - which events are traced: their names, and the masks that choose among them.
 */
#ifndef TRACING_EVENTS_H
#define TRACING_EVENTS_H

#include <stdbool.h>

#include <pvmtev.h>

/* Prints the table of all events that can be chosen, with a star before the chosen ones. */
void events_print(const Pvmtmask mask);

/* The name of the next event that is shown after `*event`, which is -1 at first; NULL: none. */
const char *events_next(int *event);

/* Chooses none, or all. */
void events_set_all(Pvmtmask mask, bool chosen);

/* Chooses an event or not, by its name with or without pvm_; false: no event has this name. */
bool events_set(Pvmtmask mask, const char *name, bool chosen);

/* The number of an option of tracing by its name - full, time or count - or 0. */
int trace_option_find(const char *name);
const char *trace_option_name(int option);

#endif
