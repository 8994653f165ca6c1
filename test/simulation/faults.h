/*
 * faults.h - what goes wrong, for how long, and that all is well again. One thread.
 */
#ifndef SIMULATION_FAULTS_H
#define SIMULATION_FAULTS_H

#include <stdbool.h>

#include "world.h"

#define FAULT_MOST (90 * (int64_t)SECOND)

/*
 * Which faults a run has, and how often, is drawn once for each run. With `overlap`, faults have any
 * duration, and may come together.
 */
void faults_draw(bool overlap);
/* Something goes wrong now, or nothing. */
void faults_strike(void);
/*
 * No fault begins from now on. Those that are there end by themselves, within FAULT_MOST, and then
 * the weather is good, too.
 */
void faults_end(void);

#endif
