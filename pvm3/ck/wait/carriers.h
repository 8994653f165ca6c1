/*
 * carriers.h - the threads of the system that run the fibers of an engine (ck/base/fiber.h).
 *
 * A carrier without a fiber to run leads (ck/wait/wait.h), as any thread does that waits: so what
 * comes from outside wakes the carrier which then runs the fiber that it is for. The other idle
 * carriers sleep. A carrier that runs fibers for long is interrupted by a tick, a thousandth of a
 * second of its processor's time after the last: fibers that are ready get their turn, and what has
 * come is taken in. The tick is a signal, CARRIER_SIGNAL. An idle process has no ticks.
 *
 * Threads: carriers_start before there are others that wait; then any thread.
 */
#ifndef CK_WAIT_CARRIERS_H
#define CK_WAIT_CARRIERS_H

#include <signal.h>

#include "ck/wait/wait.h"

/* Programs hardly use it, and one that has no handler for it does not notice it. */
#define CARRIER_SIGNAL SIGURG

struct carriers;

/*
 * Up to `count` carriers, as many as the system gives threads, for fibers of threads that wait here.
 * `owner` as in fibers_start. They live until the process ends. NULL: this machine cannot
 * switch, or there is no memory, or the system gives no thread; then all is as before.
 */
struct carriers *carriers_start(struct waiting *waiting, int count,
                                const struct fibers_owner *owner);

/* For fiber_begin. */
struct fibers *carriers_fibers(struct carriers *carriers);

/* The calling fiber is interrupted here, and fibers_owner.interrupted called, if signals may come. */
void carriers_interrupt(void);

#endif
