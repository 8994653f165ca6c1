/*
 * trace.h - tells of group calls, if the task is traced, as libgpvm3 of 3.4.6 does.
 *
 * The calls use what libpvm3 of 3.4.6 offers its own libgpvm3, so that they work on either libpvm3.
 * On that of 3.4.6, pvmtoplvl says while a group call runs that calls are not the program's own:
 * calls that other threads make meanwhile are not told. A task that is not traced pays one call.
 *
 * Threads: any thread may call anything.
 */
#ifndef GROUPS_TRACE_H
#define GROUPS_TRACE_H

#include <stdbool.h>

#include <pvmtev.h>

/* One call, on the stack of the public function. */
struct groups_trace {
    int event;
    bool told; /* the entry; then the exit is told as well */
};

/* pvm_freezegroup has no event. */
#define GROUPS_NO_EVENT (-1)

/*
 * The call begins: tells the group's name and, unless `field` is 0, an integer. groups_trace_exit
 * follows.
 */
void groups_trace_entry(struct groups_trace *trace, int event, const char *group, int field,
                        int value);

/* The call ends with `result`, which the event holds as `field`. Returns it. */
int groups_trace_exit(const struct groups_trace *trace, int field, int result);

/* As above, with a list of tids behind it unless `tids` is NULL. */
int groups_trace_exit_list(const struct groups_trace *trace, int field, int result, const int *tids,
                           int count);

#endif
