/* no_lender.c - for units of pvmulp, what libpvm3 answers where the pvmd is one of 3.4.6. */
#include <pvm3.h>

#include "lib/link/region_numbers.h"

int region_numbers_ask(int needed, int wished, int *numbers)
{
    (void)needed, (void)wished, (void)numbers;
    return PvmNotImpl;
}

int region_numbers_give_back(const int *numbers, int count)
{
    (void)numbers, (void)count;
    return PvmOk;
}
