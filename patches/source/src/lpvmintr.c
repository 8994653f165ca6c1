/* lpvmintr.c - pvm_interrupt_recv and pvm_resume_recv, which stop a receive and let it go on. */
#include "lpvmwait.h"

#include <pvm3.h>

/* The receive stands outside of the critical section whenever another thread is inside. */
static void receive_stop(void)
{
    struct waiter *waiter = NULL;
    while (!waiter) {
        waiter = critical_section.first;
        while (waiter && (waiter->answer || waiter->stopped))
            waiter = waiter->next;
        if (!waiter)
            pthread_cond_wait(&critical_section.receiver, &critical_section.lock);
    }
    waiter->stopped = ++critical_section.interrupts;
}

/* In a message handler the critical section cannot be left, so that no receive could begin. */
int pvm_interrupt_recv(void)
{
    bool outermost = critical_enter();
    int result = critical_section.handling ? PvmSysErr : pvm_mytid();
    if (result >= 0)
        receive_stop();
    critical_leave(outermost);
    return result < 0 ? result : PvmOk;
}

/* What came meanwhile is in the list. */
int pvm_resume_recv(void)
{
    struct waiter *oldest = NULL, *waiter;
    bool outermost = critical_enter();
    for (waiter = critical_section.first; waiter; waiter = waiter->next)
        if (waiter->stopped && (!oldest || waiter->stopped < oldest->stopped))
            oldest = waiter;
    if (oldest) {
        oldest->stopped = 0;
        wait_look(oldest);
        if (!oldest->done)
            wait_wake(oldest);
        pthread_cond_broadcast(&critical_section.receiver);
    }
    critical_leave(outermost);
    return oldest ? PvmOk : PvmNotFound;
}
