/*
 * table_replica.h - how a daemon that is not the master keeps its host table like the master's
 * (table_update.h).
 */
#ifndef DAEMON_MEMBERS_TABLE_REPLICA_H
#define DAEMON_MEMBERS_TABLE_REPLICA_H

#include "daemon/post/request.h"

/*
 * Before this daemon does what the daemon `from` asks. Who asks has heard that the table counts. So
 * a table that `from` is new in counts here, too, though the master's word of it may come later,
 * which takes another way.
 */
void table_replica_heed(struct daemon *daemon, uint32_t from);

enum request_result table_replica_take(struct request *request);          /* DM_HTUPD */
enum request_result table_replica_take_commit(struct request *request);   /* DM_HTCOMMIT */
enum request_result table_replica_take_deletion(struct request *request); /* DM_HTDEL */

#endif
