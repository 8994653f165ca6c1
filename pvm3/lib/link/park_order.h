/*
 * park_order.h - another task's order that this one is to stand still and be put away in a file.
 *
 * As the order to move (move_order.h), it is for a user-level process, which obeys at its next safe
 * point (lib/spawn/park.h). A task that cannot answers at once.
 */
#ifndef LIB_LINK_PARK_ORDER_H
#define LIB_LINK_PARK_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/task/luggage.h"

struct message;
struct message_header;
struct task;

/* Tells the task `tid` to connect to an address with a secret. 0 or an error. */
int park_order_give(struct task *task, uint32_t tid, const char *address, const char *secret);

/* Whether a message is such an order; then it is to be taken. By the leader. */
bool park_order_is(const struct message_header *header);
void park_order_take(struct task *task, const struct message *message);

/*
 * The order that is there is obeyed now, and there is none any more: where to connect, in memory of
 * the caller (free), NULL without an order.
 */
void park_order_begin(struct task *task, char **address, char **secret);

/* The order of a task that moves; and the task is over. */
void park_order_put(struct task *task, struct luggage *luggage);
void park_order_get(struct task *task, struct luggage_reader *reader);
void park_order_finish(struct task *task);

#endif
