/*
 * arrival.h - a user-level process comes from another host: the other end of departure.h.
 *
 * A thread has been started on the stack that the process has there. It maps the program, compares
 * what both processes have (traits.h), takes in the memory and what the library kept, and goes on as
 * the process.
 *
 * Threads: a thread that was started for it.
 */
#ifndef ULP_ARRIVAL_H
#define ULP_ARRIVAL_H

#include <stdbool.h>

#include "lib/spawn/park.h"

/* In front of the state and of the memory. Addresses are those of both processes. */
struct arrival_head {
    void *context; /* for machine_go_on */
    unsigned char *heap_end;
    long error; /* errno */
    long waits; /* it comes from a file, and waits for all others (park.h) */
};

/* For own_program_welcome. */
void arrival_welcome(int connection);

#endif
