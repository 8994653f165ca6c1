/*
 * holder.h - the process that holds the thread tasks of a program on one host, for tasks elsewhere.
 *
 * It is the program itself, started by an ordinary spawn with HOLDER_VARIABLE in its environment
 * (hold.h). It runs up to the first call that enrols it, and does not return from that: the main
 * thread serves orders (hold_order.h) from then on, so functions that it has registered before can
 * be tasks. It ends when no thread task is left in it, and none of the tasks that have asked it.
 *
 * A mailbox entry makes it known. There is one holder of a program, host and virtual machine: one
 * that finds another when it begins has that asked instead, and ends. One whose program has been
 * built anew is known no more, and ends when its tasks have ended.
 */
#ifndef LIB_SPAWN_HOLDER_H
#define LIB_SPAWN_HOLDER_H

#include <stdint.h>

struct task;

/*
 * The tid of the holder on the host of `tid` that is known by `program`, the name of a program as
 * it is spawned. PvmNotFound when there is none, or another error. The holder may be over.
 */
int holder_find(struct task *task, uint32_t tid, const char *program);

/* Has that name forgotten, if it is still that of `holder`, which holds nothing any more. */
void holder_bury(struct task *task, uint32_t tid, const char *program, uint32_t holder);

#endif
