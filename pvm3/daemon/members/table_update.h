/*
 * table_update.h - how the master brings all daemons to the same host table (table_replica.h).
 *
 * The master sends the new hosts all of the table and the others what is new (DM_HTUPD); when all
 * have acknowledged, it tells everybody that the table counts (DM_HTCOMMIT). A member from which
 * nothing at all comes for a second is not waited for: what it gets later, it gets in order. Hosts
 * that go are told at once (DM_HTDEL).
 */
#ifndef DAEMON_MEMBERS_TABLE_UPDATE_H
#define DAEMON_MEMBERS_TABLE_UPDATE_H

#include <stdbool.h>

#include "daemon/base/loop.h"

struct daemon;

/* An addition that waits for the other daemons; one at a time. */
struct table_update {
    int left;               /* daemons that have not acknowledged and are waited for */
    bool whole;             /* all hosts get all of the table */
    struct loop_timer look; /* for members that are silent */
    void (*done)(struct daemon *daemon);
};

/*
 * The pending hosts of the table become members. If `whole`, the others get all of the table, too:
 * they have it from another master. `done` is called when all daemons have the table, or have
 * failed. One at a time.
 */
void table_update_start(struct daemon *daemon, bool whole, void (*done)(struct daemon *daemon));

/* The table is being spread just now. */
bool table_update_runs(const struct daemon *daemon);

/* Tells the hosts that stay which hosts have been asked to end. */
void table_update_delete_ending(struct daemon *daemon);
/* Tells the hosts that stay that this host is gone. */
void table_update_delete(struct daemon *daemon, uint32_t part);

#endif
