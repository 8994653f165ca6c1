/*
 * control.h - what pvmrun does while programs run: it waits in one place for all that happens.
 */
#ifndef RUN_CONTROL_H
#define RUN_CONTROL_H

#include "run/ranks.h"

/* The signals that pvmrun waits for, blocked from now on. Returns their descriptor. */
int control_open_signals(void);

/* Runs until all ranks are over. all_started: otherwise those that run are ended. */
void control_run(struct run *run, int signals, bool all_started);

#endif
