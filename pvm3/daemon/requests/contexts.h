/*
 * contexts.h - message contexts: numbers that a task owns until it frees them or ends.
 */
#ifndef DAEMON_REQUESTS_CONTEXTS_H
#define DAEMON_REQUESTS_CONTEXTS_H

#include <stdint.h>

#include "daemon/base/list.h"
#include "daemon/post/request.h"

/* Numbers are 1 to this; the ten above are kept for the system. */
#define CONTEXTS_MAX (0x3ffff - 10)

struct contexts {
    uint32_t cursor;                          /* the number given last */
    unsigned char live[CONTEXTS_MAX / 8 + 1]; /* a bit for each number in use */
};

/* Frees what its owner, a task that is over, has in this list. */
void contexts_end(struct contexts *contexts, struct list *owned);
/* The owner has moved: its list is another one now. */
void contexts_pass(struct list *owned, struct list *to);

enum request_result contexts_request(struct request *request);   /* TM_CONTEXT */
enum request_result contexts_take_back(struct request *request); /* CONTROL_CONTEXT */

#endif
