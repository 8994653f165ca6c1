/*
 * table_update.h - how all daemons come to the same host table.
 *
 * The master sends the new hosts all of the table and the others what is new (DM_HTUPD); when all
 * have acknowledged, it tells everybody that the table counts (DM_HTCOMMIT). A member from which
 * nothing at all comes for a second is not waited for: what it gets later, it gets in order. Hosts
 * that go are told at once (DM_HTDEL).
 */
#ifndef DAEMON_TABLE_UPDATE_H
#define DAEMON_TABLE_UPDATE_H

#include "daemon/loop.h"
#include "daemon/request.h"

/* An addition that waits for the other daemons; one at a time. */
struct table_update {
    int left; /* daemons that have not acknowledged and are waited for */
    struct loop_timer look; /* for members that are silent */
    void (*done)(struct daemon *daemon);
};

/*
 * On the master: the pending hosts of the table become members. `done` is called when all daemons
 * have the table, or have failed. One at a time.
 */
void table_update_start(struct daemon *daemon, void (*done)(struct daemon *daemon));

/* On the master: tells those that stay of the hosts that have been asked to end. */
void table_update_delete_ending(struct daemon *daemon);
/* The same of one that is gone. */
void table_update_delete(struct daemon *daemon, uint32_t part);

/*
 * On any other daemon, before it does what the daemon `from` asks. Who asks has heard that the table
 * counts. So a table that `from` is new in counts here, too, though the master's word of it may come
 * later, which takes another way.
 */
void table_update_heed(struct daemon *daemon, uint32_t from);

enum request_result table_update_take(struct request *request);          /* DM_HTUPD */
enum request_result table_update_take_commit(struct request *request);   /* DM_HTCOMMIT */
enum request_result table_update_take_deletion(struct request *request); /* DM_HTDEL */

#endif
