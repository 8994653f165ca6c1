/* post_room.h - what the post owns: the tables of tasks and hosts, and what connects them. */
#ifndef DAEMON_POST_POST_ROOM_H
#define DAEMON_POST_POST_ROOM_H

#include "daemon/base/daemon.h"
#include "daemon/post/datagrams.h"
#include "daemon/post/doorman.h"
#include "daemon/post/hosts.h"
#include "daemon/post/listener.h"
#include "daemon/post/machine_key.h"
#include "daemon/post/notify.h"
#include "daemon/post/pending.h"
#include "daemon/post/places.h"
#include "daemon/post/region_blocks.h"
#include "daemon/post/talk.h"
#include "daemon/post/tasks.h"
#include "daemon/post/tree_branch.h"
#include "daemon/post/tree_origin.h"
#include "daemon/post/upcalls.h"
#include "daemon/post/watch.h"

struct post_room {
    struct upcalls upcalls;
    struct hosts hosts;
    struct machine_key machine_key;
    struct datagrams datagrams;
    struct doorman doorman;
    struct listener listener;
    struct list pendings;   /* what other daemons have been asked */
    uint32_t serving;       /* tid of the task whose frame is being handled, 0: none */
    uint32_t last_wait;     /* the wait identifier given last to a question */
    struct list multicasts; /* lists that other daemons announced */
    struct tree_origins tree_origins;
    struct tree_branches tree_branches;
    struct tasks tasks;
    struct places places;
    struct watches watches;
    struct notify notify;
    struct block_owners block_owners; /* the master's */
    struct region_blocks region_blocks;
    struct talk talk;
};

#endif
