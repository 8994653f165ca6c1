/*
 * region_numbers.h - for pvmulp alone: numbers of regions, each of which one process of the virtual
 * machine has (daemon/requests/region_requests.h).
 *
 * The task of the calling thread asks, for its process. Any task of the process may give the numbers
 * back. The pvmd takes back what is left when no task of the process is connected any more.
 *
 * Threads: any thread of a task that has enrolled may call these functions, which may block.
 */
#ifndef LIB_LINK_REGION_NUMBERS_H
#define LIB_LINK_REGION_NUMBERS_H

#include "core/control.h"

/*
 * Asks for at least `needed` numbers (1 or more) and up to `wished` (CONTROL_REGION_BLOCK or less).
 * Returns how many, which are in `numbers`. PvmNotImpl: the pvmd, or that of the master, is one of
 * 3.4.6, which has none. PvmOutOfRes: all are taken. PvmBadParam, PvmNoMem, PvmSysErr.
 */
__attribute__((visibility("default"))) int region_numbers_ask(int needed, int wished, int *numbers);

/* Gives numbers back. 0, or PvmNoMem or PvmSysErr: they stay the process's. */
__attribute__((visibility("default"))) int region_numbers_give_back(const int *numbers, int count);

#endif
