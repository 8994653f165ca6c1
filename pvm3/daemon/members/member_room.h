/* member_room.h - what the room of members owns: hosts that are added, and the table of all. */
#ifndef DAEMON_MEMBERS_MEMBER_ROOM_H
#define DAEMON_MEMBERS_MEMBER_ROOM_H

#include "daemon/hosts/host_room.h"
#include "daemon/members/deputies.h"
#include "daemon/members/slave.h"
#include "daemon/members/succession.h"
#include "daemon/members/table_update.h"
#include "daemon/members/terminal.h"
#include "daemon/tasks/task_room.h"

struct addition;
struct host_file;

struct member_room {
    struct daemon *daemon; /* whose room it is */
    struct slave_starter starter;
    struct loop_timer idle_end;  /* of a slave that its master does not take into the table */
    struct host_file *host_file; /* NULL: none was given */
    struct table_update table_update;
    struct deputies deputies;
    struct succession succession;
    struct terminal terminal;  /* where users are asked */
    struct addition *addition; /* the request for hosts that is being worked on, or NULL */
};

#endif
