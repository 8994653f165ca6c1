/*
 * faults.h - what goes wrong, for how long, and that all is well again. One thread.
 */
#ifndef SIMULATION_FAULTS_H
#define SIMULATION_FAULTS_H

#include <stdbool.h>

#include "world.h"

#define FAULT_MOST (90 * (int64_t)SECOND)

struct machine;

/*
 * Which faults a run has, and how often, is drawn once for each run. They have any duration, and may
 * come together; with `masters` they hit masters, too.
 */
void faults_draw(bool masters);
/* Something goes wrong now, or nothing. */
void faults_strike(void);
/*
 * No fault begins from now on. Those that are there end by themselves, within FAULT_MOST, and then
 * the weather is good, too.
 */
void faults_end(void);
/* The master is struck for long, but not longer than FAULT_MOST; others may be on its side. */
void faults_strike_master(struct machine *master);

#endif
