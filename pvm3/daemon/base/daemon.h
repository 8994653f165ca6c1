/*
 * daemon.h - what every part of a daemon uses, and the way to what its rooms own. One thread.
 *
 * A room is a folder of parts. It owns a struct of its own (X/X_room.h), which its files and those
 * of the rooms above see, and nobody below. daemon/rooms.h puts the rooms together.
 */
#ifndef DAEMON_BASE_DAEMON_H
#define DAEMON_BASE_DAEMON_H

#include "core/pool.h"
#include "daemon/base/address_file.h"
#include "daemon/base/backlog.h"
#include "daemon/base/complaint.h"
#include "daemon/base/loop.h"
#include "daemon/base/settings.h"
#include "daemon/base/signals.h"
#include "daemon/base/statistics.h"

struct post_room;
struct task_room;
struct host_room;
struct member_room;
struct request_room;

struct daemon {
    struct loop loop;
    struct complaints complaints;
    struct settings settings;
    struct pool chunks;       /* what is read from tasks */
    struct loop_timer trim;   /* after a burst: memory goes back to the system */
    struct backlogs backlogs; /* what waits for tasks and hosts */
    struct address_file address_file;
    struct statistics statistics;
    struct signals signals;
    unsigned temporary_names; /* how many were made */
    int exit_status;
    struct post_room *post;
    struct task_room *task_room;
    struct host_room *host_room;
    struct member_room *member_room;
    struct request_room *request_room;
};

#endif
