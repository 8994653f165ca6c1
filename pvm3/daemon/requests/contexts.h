/*
 * contexts.h - message contexts: numbers that a task owns until it frees them or ends.
 */
#ifndef DAEMON_REQUESTS_CONTEXTS_H
#define DAEMON_REQUESTS_CONTEXTS_H

#include <stdint.h>

#include "daemon/post/request.h"

/* Numbers are 1 to this; the ten above are kept for the system. */
#define CONTEXTS_MAX (0x3ffff - 10)

struct contexts {
    uint32_t cursor;                          /* the number given last */
    unsigned char live[CONTEXTS_MAX / 8 + 1]; /* a bit for each number in use */
};

/* Frees what the task owns. */
void contexts_task_end(struct contexts *contexts, struct task *task);

enum request_result contexts_request(struct request *request);

#endif
