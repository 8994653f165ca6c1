/*
 * address_file.h - the file TMP/pvmd.UID[.VMID] that says where the daemon of a virtual machine
 * listens.
 *
 * It is the lock of the virtual machine as well: the daemon whose address it holds is the one that
 * runs. It appears whole or not at all (written under another name, then linked), and one that a
 * dead daemon left is replaced by exactly one of those who try at the same time (the old file is
 * locked, and must still be the one with the name).
 */
#ifndef DAEMON_BASE_ADDRESS_FILE_H
#define DAEMON_BASE_ADDRESS_FILE_H

#include <stdbool.h>

#include "core/environment.h"

struct address_file {
    char path[ENVIRONMENT_PATH_SIZE];
    bool ours;
    bool taken_over; /* a dead daemon had left it */
    int patience;    /* milliseconds that a daemon which runs is given to end */
};

/*
 * Puts `address`, behind which this process already listens, into the file. `names` is how many
 * temporary names there were; one more is needed. 0, or -1 after saying on stderr why not - above
 * all, which daemon runs already. A file of another user is told, and left alone.
 */
int address_file_claim(struct address_file *file, const char *address, unsigned *names);

/* Removes the file if it is ours. */
void address_file_release(struct address_file *file);

#endif
