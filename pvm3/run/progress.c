/* progress.c - a line that is written over. */
#include "run/progress.h"

#include <stdio.h>
#include <unistd.h>

/* Fewer tasks are there before anybody has read the line. */
#define LEAST 20

/* How often the line changes. */
#define STEPS 50

void progress_show(int ready, int size)
{
    if (size < LEAST || !isatty(STDERR_FILENO))
        return;
    if (ready == size)
        fputs("\r\033[K", stderr);
    else if (ready * STEPS / size != (ready - 1) * STEPS / size)
        fprintf(stderr, "\rpvmrun: %d of %d tasks are ready", ready, size);
    fflush(stderr);
}
