/*
 * execute.h - starts processes that are to become tasks (wire.md 4.4).
 */
#ifndef DAEMON_EXECUTE_H
#define DAEMON_EXECUTE_H

#include "daemon/execution.h"

/*
 * Starts what the order says on this host. `results` has room for execution->count: tids, or error
 * codes once one task could not be started. The sinks are told of those that run. The order's sinks
 * and environment may be completed by those of the tracer.
 */
void execute(struct daemon *daemon, struct execution *execution, int32_t *results);

#endif
