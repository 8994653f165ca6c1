/*
 * machine.h - hosts, without a report of errors: for calls that meet them as part of something
 * else.
 */
#ifndef LIB_CALLS_MACHINE_H
#define LIB_CALLS_MACHINE_H

#include "lib/task/task.h"

/* The name of the master host, the caller's (free); NULL when it cannot be told. */
char *machine_master_name(struct task *task);

/* As pvm_addhosts: how many were added, or an error. */
int machine_add_hosts(struct task *task, char *const *hosts, int count, int *status);

#endif
