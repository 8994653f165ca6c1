/*
 * holder.h - the process that holds the thread tasks of a program on one host, for tasks elsewhere.
 *
 * It is the program itself, started by an ordinary spawn with HOLDER_VARIABLE in its environment
 * (hold.h). The program runs up to the first call that enrols it, and that call does not return:
 * from then on the main thread serves orders (hold_order.h). Functions that were registered before
 * can be tasks. The process ends when it has no thread task left and every task that has sent it
 * an order has ended.
 *
 * A mailbox entry makes the holder known. A virtual machine has one holder for each program and
 * host: a process that finds another holder when it begins names that one to the task that asks,
 * and ends. If a new file replaces the program, the holder takes its entry back, and ends when its
 * tasks have ended.
 */
#ifndef LIB_SPAWN_HOLDER_H
#define LIB_SPAWN_HOLDER_H

#include <stdint.h>

struct task;

/*
 * The tid of the holder on the host of `tid` that is known by `program`, a name as pvm_spawn takes
 * it. PvmNotFound if there is no entry, or another error. The holder may have ended.
 */
int holder_find(struct task *task, uint32_t tid, const char *program);

/* Removes the entry if it still names `holder`, which takes no orders any more. */
void holder_bury(struct task *task, uint32_t tid, const char *program, uint32_t holder);

#endif
