/*
 * schedule_request.h - a schedule as a request: non-blocking and persistent collective operations.
 *
 * The request keeps the communicator, and the datatypes and operations of all steps.
 */
#ifndef MPI_SCHEDULES_SCHEDULE_REQUEST_H
#define MPI_SCHEDULES_SCHEDULE_REQUEST_H

#include "mpi/messages/request.h"
#include "mpi/schedules/schedule.h"

/* Called once, by some thread, when all steps are done: makes of `error` the request's error. */
typedef int schedule_finish(void *argument, int error);

/* A schedule on the heap, for schedule_begin; NULL without memory. Freed if no request gets it. */
struct schedule *schedule_new(void);
void schedule_free(struct schedule *schedule);

/*
 * Makes a request of a schedule on the heap, which takes it over in any case, and begins with it,
 * unless it is persistent: then MPI_Start does. `finish` NULL: nothing more is to be done. If the
 * building has failed, its error is returned.
 */
int schedule_request(struct schedule *schedule, bool persistent, schedule_finish *finish,
                     void *argument, MPI_Request *request);

#endif
