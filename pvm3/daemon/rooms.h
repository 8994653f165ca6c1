/* rooms.h - all rooms of a daemon, put together. One thread. */
#ifndef DAEMON_ROOMS_H
#define DAEMON_ROOMS_H

#include "daemon/requests/request_room.h"

struct rooms {
    struct post_room post;
    struct task_room tasks;
    struct host_room hosts;
    struct member_room members;
    struct request_room requests;
};

/* The daemon's rooms are these, until the daemon is finished. */
static inline void rooms_open(struct rooms *rooms, struct daemon *daemon)
{
    daemon->post = &rooms->post;
    daemon->task_room = &rooms->tasks;
    daemon->host_room = &rooms->hosts;
    daemon->member_room = &rooms->members;
    rooms->members.daemon = daemon;
    daemon->request_room = &rooms->requests;
}

/* Every part empty, so that all can be finished whatever was started. The rooms are open. */
void daemon_prepare(struct daemon *daemon);

/* Ends tasks and takes leave of other hosts; then nothing is left. */
void daemon_finish(struct daemon *daemon);

#endif
