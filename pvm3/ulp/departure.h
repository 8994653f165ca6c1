/*
 * departure.h - a user-level process moves to another host: this end of it.
 *
 * The four stages are those of UPVM (ulp.h). The event: the daemon says that the task is to move, and
 * its own thread does so as soon as it is at a place where nothing of the library is underway: in
 * code of the program, or before and in a receive (own_program_may_move). Everything that is needed
 * to go on lies on its stack then, as a signal has interrupted it. The flush: own_program_leave, after
 * which no message comes any more. The state: what the library keeps, and the memory of the region
 * that is in use (cargo.h), go to a thread of the other process (arrival.h). The restart is that
 * thread's, which has the same stack.
 *
 * The memory of a large program goes ahead while it runs on (pre_copy.h); then it comes here again.
 *
 * A program that cannot move runs on, and the reason is told to who wanted it to move.
 *
 * Threads: the thread of a user-level process.
 */
#ifndef ULP_DEPARTURE_H
#define ULP_DEPARTURE_H

#include <stdbool.h>

struct ulp;
struct written;

/* The program has been interrupted, with this context: it moves if it is to. For own_program_carry. */
void departure_heed(void *context);

/* The program moves here if it is to. */
void departure_point(void);

/* Why programs that use this symbol cannot move, or NULL. */
const char *departure_hindrance(const char *name);

/* For parking.h: NULL, or why the program cannot move now. */
const char *departure_hinders(struct ulp *ulp);

/*
 * And its memory, with what lies on the stack for machine_go_on; all, or what has been `written` since
 * it went ahead. False: nobody takes it.
 */
bool departure_put_memory(int connection, const struct ulp *ulp, const struct written *written,
                          void *context);

#endif
