/* memory.h - memory of the manager. If none is left, the program ends with a line. */
#ifndef SLURM_MEMORY_H
#define SLURM_MEMORY_H

#include <stdio.h>
#include <stdlib.h>

/* Returns what an allocation has returned, which is not NULL. */
static inline void *memory_check(void *memory)
{
    if (memory)
        return memory;
    fputs("pvmslurm: out of memory\n", stderr);
    exit(EXIT_FAILURE);
}

#endif
