/*
 * machine_key.h - the secret of the virtual machine, and which hosts hold it.
 *
 * The master makes the secret. A new daemon gets it through the standard input of the remote shell
 * that starts the daemon (daemon/members/remote_shell.h): never in arguments, environment or files.
 * Such a daemon makes a salt, and says it in the line with which it tells of itself. The master
 * tells the salts of all holders to all holders, before it tells them of the hosts
 * (daemon/members/table_update.h). So each daemon knows from the first packet on whether another
 * one holds the secret.
 *
 * Two daemons have a key of their own, from the secret, their indices and their salts. Another
 * daemon at the same index has another salt, so the key of a pair never comes twice.
 *
 * Daemons of 3.4.6 hold no secret. Those of ours do not hold it if a hoster or a user has started
 * them, or if they were built without libsodium. One thread.
 */
#ifndef DAEMON_POST_MACHINE_KEY_H
#define DAEMON_POST_MACHINE_KEY_H

#include <stdbool.h>
#include <stdint.h>

#include "core/tid.h"
#include "daemon/base/keyed_hash.h"

/*
 * The secret, the salt of the master and 1 for secrecy or 0, as text: digits, with full stops
 * between.
 */
#define MACHINE_KEY_TEXT_SIZE (2 * KEYED_HASH_KEY_SIZE + 1 + 16 + 1 + 1 + 1)

struct machine_key {
    bool known;
    bool secrecy; /* what passes between holders is encrypted */
    unsigned char secret[KEYED_HASH_KEY_SIZE];
    uint64_t salts[TID_HOST_MAX + 1]; /* by index of the host; 0: it does not hold the secret */
};

/*
 * Makes the secret, as the master with this index, with secrecy or without. False: the daemon was
 * built without.
 */
bool machine_key_make(struct machine_key *key, uint32_t own, bool secrecy);

/* Writes what a new daemon is to get from the host `own`. The key is known. */
void machine_key_write(const struct machine_key *key, uint32_t own,
                       char text[MACHINE_KEY_TEXT_SIZE]);

/* Takes what the host `master` has written, and makes the own salt. False when it is no key. */
bool machine_key_read(struct machine_key *key, const char *text, uint32_t master, uint32_t own);

/* The key of two daemons. False when one of them does not hold the secret. */
bool machine_key_of_pair(const struct machine_key *key, uint32_t one, uint32_t other,
                         unsigned char pair[KEYED_HASH_KEY_SIZE]);

#endif
