/*
 * keeper.h - the process that holds a private virtual machine, and ends it when pvmrun has ended.
 *
 * It outlives pvmrun, however that ends: so no daemon and no file is left behind.
 */
#ifndef RUN_KEEPER_H
#define RUN_KEEPER_H

#include <stdbool.h>
#include <sys/types.h>

struct keeper {
    pid_t pid;
    int life; /* the machine ends when this is closed */
};

/*
 * Starts the daemon of a machine whose files are in `folder`, which goes with it. Returns the
 * daemon's address, to be freed, or NULL if there is none: the daemon has said why.
 */
char *keeper_start(struct keeper *keeper, const char *folder);

/* Ends the machine, and waits until all is gone. */
void keeper_end(struct keeper *keeper);

#endif
