/*
 * move_orders.h - requests that a task move (CONTROL_MIGRATE), and what becomes of them.
 *
 * The pvmd of the host where the task lives tells the task to move. The request is answered when the
 * task lives on the host that it was to move to, when the task says why it does not move, or when it
 * is over. A task has one order at a time, others wait. One thread.
 */
#ifndef DAEMON_REQUESTS_MOVE_ORDERS_H
#define DAEMON_REQUESTS_MOVE_ORDERS_H

#include <stdint.h>

#include "daemon/post/request.h"

struct daemon;

enum request_result move_order_request(struct request *request);     /* CONTROL_MIGRATE */
enum request_result move_order_take_answer(struct request *request); /* CONTROL_MIGRATED */

/* The task can be told to move, perhaps: it is not leaving any more. */
void move_orders_look(struct daemon *daemon, uint32_t tid);
/* The task lives on the host of `part` now. */
void move_orders_moved(struct daemon *daemon, uint32_t tid, uint32_t part);
/* The task is over. */
void move_orders_task_end(struct daemon *daemon, uint32_t tid);

#endif
