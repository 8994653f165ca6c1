/*
 * machine.h - adding hosts, without a report of errors: for calls that do so as part of something
 * else.
 */
#ifndef LIB_MACHINE_H
#define LIB_MACHINE_H

#include "lib/task.h"

/* As pvm_addhosts: how many were added, or an error. */
int machine_add_hosts(struct task *task, char *const *hosts, int count, int *status);

#endif
