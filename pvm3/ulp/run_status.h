/*
 * run_status.h - what pvmrun, which ends with the status of its tasks, is told by a user-level
 * process, whose status no pvmd sees; pvmrun(1).
 */
#ifndef ULP_RUN_STATUS_H
#define ULP_RUN_STATUS_H

/*
 * The calling thread's program ends with this status, or leaves the machine in order. Does nothing
 * unless `started_by_pvmrun`, the value of PVM_RUN, is there and the task is one still.
 */
void run_status_tell(const char *started_by_pvmrun, int status);

#endif
