/*
 * move_order.h - the pvmd's order that a task is to move to another host, and the answer if it
 * cannot.
 *
 * An order is for a user-level process, which moves itself at its next safe point: pvmulp asks
 * whether it is to (lib/task/own_program.h). Any other task answers at once that it stays. A task
 * that has asked to move itself has not waited for the pvmd's answer, which comes here, too.
 */
#ifndef LIB_LINK_MOVE_ORDER_H
#define LIB_LINK_MOVE_ORDER_H

#include <stdbool.h>

struct message;
struct message_header;
struct task;

/*
 * Whether a message is such an order or answer, or a task's own word of its return; then it is to be
 * taken. By the leader.
 */
bool move_order_is(const struct message_header *header);
void move_order_take(struct task *task, const struct message *message);

/*
 * A task that has come to this process, or stays here after it had left, is one among the others of
 * the process again, as soon as the pvmd has passed on what they had sent to it before.
 */
void move_order_return(struct task *task);

/* Whether the task could obey an order. */
bool move_order_may_come(const struct task *task);

/* Receives of the task do not wait while there is an order, to move or to be put away. */
void move_order_recall(struct task *task);

/* The order is put off, by the task's thread, until any thread calls the task in. */
void move_order_put_off(struct task *task);
void move_order_call_in(struct task *task);

/* The task is to move, and has not, for a reason in words: `code` is an error. By its thread. */
void move_order_refuse(struct task *task, int code, const char *why);

/* Reads what has become of an order, and prints why a task stays, as PvmAutoErr says. */
int move_order_read_answer(struct task *task, const struct message *answer);

#endif
