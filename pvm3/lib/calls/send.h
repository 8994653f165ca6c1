/*
 * send.h - sending a message that is not the active buffer: for calls that send as part of
 * something else.
 *
 * The task is enrolled. Both return when the system has all of it: 0, PvmSysErr or PvmNoMem.
 */
#ifndef LIB_CALLS_SEND_H
#define LIB_CALLS_SEND_H

#include "lib/task/task.h"

int send_view(struct task *task, const struct message *view, uint32_t destination);

/* To `count` tasks; doubles and the task itself are left out. */
int send_multicast(struct task *task, const int *tids, int count, const struct message *view);

#endif
