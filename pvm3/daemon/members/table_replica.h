/*
 * table_replica.h - how a daemon that is not the master keeps its host table like the master's
 * (table_update.h).
 *
 * The first table of a new master says which hosts there are. Its predecessor may have died before
 * all had heard of the end of a host. A host that the table lacks is gone. If it has a host whose end
 * this daemon has heard of, this daemon tells the new master (CONTROL_GONE), and the host is gone for
 * all: it never comes back under its old number.
 */
#ifndef DAEMON_MEMBERS_TABLE_REPLICA_H
#define DAEMON_MEMBERS_TABLE_REPLICA_H

#include "daemon/post/request.h"

/*
 * To be called before this daemon does what the daemon `from` asks. A daemon that asks has heard
 * that its table counts. So a table in which `from` is new counts here, too, although the master's
 * own word of it, which takes another way, may come later.
 */
void table_replica_heed(struct daemon *daemon, uint32_t from);

/* CONTROL_SALTS: which hosts of the table that is to come hold the secret of the machine. */
enum request_result table_replica_take_salts(struct request *request);
enum request_result table_replica_take(struct request *request);          /* DM_HTUPD */
enum request_result table_replica_take_commit(struct request *request);   /* DM_HTCOMMIT */
enum request_result table_replica_take_deletion(struct request *request); /* DM_HTDEL */
enum request_result table_replica_take_gone(struct request *request);     /* CONTROL_GONE */

#endif
