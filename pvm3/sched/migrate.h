/* migrate.h - the call by which the scheduler moves a task. A libpvm3 may not have it. */
#ifndef SCHED_MIGRATE_H
#define SCHED_MIGRATE_H

#include <pvm3.h>

extern int pvm_migrate(int tid, int host) __attribute__((weak));

/* Moves a task to a host. Returns 0 or an error, and why in words. */
static inline int migrate(int tid, int host, const char **why)
{
    int code = pvm_migrate ? pvm_migrate(tid, host) : PvmNotImpl;
    *why = pvm_migrate ? pvm_strerror() : "this libpvm3 cannot move tasks";
    return code;
}

#endif
