/*
 * services.h - tasks that take over a part of the daemon's work: the scheduler (resource manager),
 * the tasker that starts processes, the hoster that starts daemons, and the tracer that collects
 * events.
 */
#ifndef DAEMON_TASKS_SERVICES_H
#define DAEMON_TASKS_SERVICES_H

#include "daemon/post/tasks.h"

struct execution;

struct services {
    uint32_t scheduler; /* the four are tids, 0: no task has the role */
    uint32_t tasker;
    uint32_t hoster;
    uint32_t tracer;
    struct sink trace_sink; /* what the tracer wants for tasks that have none */
    struct sink output_sink;
    char *trace_mask;
    int32_t trace_buffer;
    int32_t trace_options;
    int32_t wait;   /* the wait identifier given last */
    int32_t cookie; /* how many tasks the tasker was asked for (tasker.h) */
};

void services_start(struct services *services);
void services_finish(struct services *services);

/* A wait identifier for a message to a service. */
int32_t services_next_wait(struct services *services);

uint32_t services_scheduler(const struct services *services);
bool services_has_tasker(const struct services *services);

/* Adds what the tracer wants to an order to start tasks. */
void services_complete(const struct services *services, struct execution *execution);

/* Gives a task that came by itself the sinks of the tracer. */
void services_adopt(struct task *task);
/* Tells the scheduler and the tracer of it. */
void services_tell_stranger(struct task *task);

/* The task cannot answer any more: others may take the roles that it has. */
void services_task_leave(struct task *task);
/* Tells the scheduler that the task is over. */
void services_tell_end(struct task *task, const struct task_end *how);

/* The scheduler is `tid`, 0 for none. */
void services_set_scheduler(struct daemon *daemon, uint32_t tid);
/* What another host tells: the settings of the tracer as text. */
void services_follow_tracer(struct daemon *daemon, const char *text);
/* Puts that into a message to another host (DM_SLCONF). */
void services_put_tracer(const struct services *services, struct message *message);
/* Puts that, and who the scheduler is, into a message to a new host (DM_SLCONF). */
void services_put_settings(const struct services *services, struct message *message);

#endif
