/*
 * reply.h - the answers of the group server that are more than one number.
 *
 * The functions pack into the active send buffer; they return 0 or an error code of pvm3.h, and
 * then the buffer is to be thrown away.
 */
#ifndef GROUPS_REPLY_H
#define GROUPS_REPLY_H

#include "groups/table.h"

/*
 * The state word, and the description of a static group behind it. `group` NULL is packed as dead.
 */
int groups_pack_state(const struct group *group);

/* The number of members and their tids in the order of instances. */
int groups_pack_members(const struct group *group);

/* How many hosts, members of the group on `host`, its coordinator there (GROUPS_NOBODY: none). */
int groups_pack_host(const struct group *group, int host);

/*
 * How many hosts, then the members of each, then the coordinator of each, in rising order of hosts.
 */
int groups_pack_hosts(const struct group *group);

/* The whole table, as pvm_gstat reads it. */
int groups_pack_table(const struct groups_table *table);

/* The whole table as text, which goes to stderr. */
void groups_print_table(const struct groups_table *table, int server_tid);

#endif
