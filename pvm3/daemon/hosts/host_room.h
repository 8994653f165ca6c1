/*
 * host_room.h - what the room of hosts owns: which hosts are asked for life, also for other daemons,
 * and which are gone.
 */
#ifndef DAEMON_HOSTS_HOST_ROOM_H
#define DAEMON_HOSTS_HOST_ROOM_H

#include "daemon/hosts/former_hosts.h"
#include "daemon/hosts/keep_alive.h"
#include "daemon/hosts/witness.h"
#include "daemon/post/post_room.h"

struct host_room {
    struct former_hosts former_hosts;
    struct keep_alive keep_alive;
    struct witness witness;
};

#endif
