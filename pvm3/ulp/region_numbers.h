/*
 * region_numbers.h - which region of addresses a user-level process gets (region.h). No two of the
 * virtual machine have the same number at once; where a pvmd of 3.4.6 takes part that lends none
 * (lib/link/region_numbers.h), no two of this process.
 *
 * The process keeps the numbers that it has got until it ends.
 *
 * Threads: any thread of a task may call any function.
 */
#ifndef ULP_REGION_NUMBERS_H
#define ULP_REGION_NUMBERS_H

#include <stdbool.h>

/* All numbers are below this. */
#define REGION_NUMBERS 65536

/* Takes a number below `limit` that nobody has. May ask the pvmd. False if there is none left. */
bool region_number_take(unsigned limit, unsigned *number);

void region_number_give_back(unsigned number);

#endif
