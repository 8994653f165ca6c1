/*
 * costs.h - what a virtual machine of many hosts costs: packets, bytes, time and memory.
 */
#ifndef SIMULATION_COSTS_H
#define SIMULATION_COSTS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Measures a machine of so many hosts, on a network that loses nothing, and prints a line of values
 * between commas for each step. False after a line that says why not.
 */
bool costs_measure(size_t hosts);
/* Prints the names of the values. */
void costs_print_names(void);

#endif
