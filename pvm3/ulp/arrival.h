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

/* What is said: first after the traits, and again when it has arrived. */
struct arrival_word {
    bool content;
    char why[511]; /* it is not */
};

/* In front of the state and of the memory. Addresses are those of both processes. */
struct arrival_head {
    void *context; /* for machine_go_on */
    unsigned char *heap_end;
    long error; /* errno */
};

/* For own_program_welcome. */
void arrival_welcome(int connection);

#endif
