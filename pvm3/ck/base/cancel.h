/*
 * cancel.h - holds off the cancellation of a thread (pthread_cancel) while it is inside a call.
 *
 * A call has locks and queues to leave in order, so it is no point of cancellation. A receive that
 * blocks is one, while it sleeps: ck/wait/wait.h undoes it then. A process of one thread pays
 * nothing: nobody is there to cancel it. Nor does a fiber, whose cancellation is held off for as long
 * as it is one. Threads: for the calling thread.
 */
#ifndef CK_BASE_CANCEL_H
#define CK_BASE_CANCEL_H

#include <pthread.h>

#include "ck/base/fiber_self.h"
#include "core/one_thread.h"

static inline int cancel_hold_off(void)
{
    int before = PTHREAD_CANCEL_DISABLE;
    if (!process_has_one_thread() && !fiber_current())
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    return before;
}

static inline void cancel_restore(const int *before)
{
    if (*before == PTHREAD_CANCEL_ENABLE)
        pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
}

/* Until the end of the function. `cancellation` is then how it was before. */
#define HOLD_OFF_CANCELLATION                                                                      \
    int cancellation __attribute__((cleanup(cancel_restore), unused)) = cancel_hold_off()

#endif
