/* task_room.h - what the room of tasks owns: orders to start them, and who serves them. */
#ifndef DAEMON_TASKS_TASK_ROOM_H
#define DAEMON_TASKS_TASK_ROOM_H

#include "daemon/post/post_room.h"
#include "daemon/tasks/services.h"

struct task_room {
    uint32_t spawn_cursor; /* index of the host that is to start tasks next */
    struct list orders;    /* to start tasks here, being carried out */
    struct services services;
    struct list trace_readers; /* tasks that have been told of kinds of events */
};

#endif
