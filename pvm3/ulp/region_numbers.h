/*
 * region_numbers.h - which region of addresses a user-level process gets (region.h). No two have
 * the same number at once.
 *
 * Threads: any thread may call any function.
 */
#ifndef ULP_REGION_NUMBERS_H
#define ULP_REGION_NUMBERS_H

#include <stdbool.h>

/* All numbers are below this. */
#define REGION_NUMBERS 65536

/* Takes a number below `limit` that nobody has. False if there is none left. */
bool region_number_take(unsigned limit, unsigned *number);

void region_number_give_back(unsigned number);

#endif
