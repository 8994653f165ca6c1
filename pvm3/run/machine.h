/*
 * machine.h - the virtual machine on which a program runs: the one of the user, or a private one.
 */
#ifndef RUN_MACHINE_H
#define RUN_MACHINE_H

#include <stdbool.h>

#include "run/keeper.h"

struct machine {
    bool is_private;
    struct keeper keeper;
    int tid; /* of pvmrun */
};

/* False when there is none, and the reason has been told. */
bool machine_open(struct machine *machine);

/* Leaves it; a private one ends. */
void machine_close(struct machine *machine);

#endif
