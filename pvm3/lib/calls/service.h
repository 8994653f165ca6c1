/*
 * service.h - becoming a task that does a part of the pvmd's work: hoster, tasker, tracer.
 *
 * Only one task can have a role. A call takes it; the next call of this task leaves it. While the
 * task has it, a mailbox entry tells everyone its tid.
 *
 * Threads: any thread may call anything; while one of them takes or leaves a role, the others get
 * PvmAlready.
 */
#ifndef LIB_CALLS_SERVICE_H
#define LIB_CALLS_SERVICE_H

#include "lib/task/task.h"

struct message;

/* What there is to a role. */
struct service_role {
    int32_t request; /* TM_HOSTER and so on */
    const char *mailbox;
    int flags; /* of the entry there */
    /* Appends what follows in the request and in the entry; NULL when nothing follows. */
    void (*put_settings)(struct message *message, const void *settings);
    const void *settings;
};

/* Takes the role or leaves it. 0, PvmAlready when it is taken, or another error. */
int service_change(struct task *task, struct service *service, const struct service_role *role);

#endif
