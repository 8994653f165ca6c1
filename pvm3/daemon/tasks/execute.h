/*
 * execute.h - starts processes that are to become tasks.
 */
#ifndef DAEMON_TASKS_EXECUTE_H
#define DAEMON_TASKS_EXECUTE_H

#include "daemon/tasks/execution.h"
#include "daemon/tasks/finding.h"

/* An order to this host that is being carried out. */
struct order {
    struct daemon *daemon;
    struct list node; /* among all of the daemon */
    struct execution execution;
    int32_t *results; /* for each task its tid, or error codes once one could not be started */
    struct finding finding;
    void (*done)(struct order *order);
};

/*
 * Takes over the execution. The sinks are told of the tasks that run; the order's sinks and
 * environment may be completed by those of the tracer. `done` is called from the loop when the
 * results are there, at the latest when the daemon ends. False when there is no memory for results;
 * then order_finish is not to be called.
 */
bool execute(struct order *order, struct daemon *daemon, struct execution *execution,
             void (*done)(struct order *));

/* Like execute, but calls `done` before it returns. For start-up, since it may wait. */
bool execute_at_once(struct order *order, struct daemon *daemon, struct execution *execution,
                     void (*done)(struct order *));

/* To be called from `done`, after which the order is gone. */
void order_finish(struct order *order);

/* The daemon ends: what is being looked for is not found. */
void orders_fail(struct daemon *daemon);

#endif
