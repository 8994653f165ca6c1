/*
 * pvm3threads.h - what libpvm3threads adds to the calls of PVM 3.4.6. Programs include it after the
 * pvm3.h of 3.4.6. Any thread may then call any function of libpvm3 and libgpvm3 at any time; the
 * manual page pvm3threads(7) has the limits.
 *
 * The active send buffer, the active receive buffer and the message context belong to the calling
 * thread, and its active buffers are freed when it ends; everything else belongs to the task.
 */
#ifndef PVM3THREADS_H
#define PVM3THREADS_H

#ifndef PVM_THREADSAFE
#define PVM_THREADSAFE 1
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Returns 1. A weak reference to it is null without this library. */
int pvm_threadsafe(void);

/*
 * Plachetka, "(Quasi-) Thread-Safe PVM and (Quasi-) Thread-Safe MPI without Active Polling", 2002,
 * section 4.1. The first call
 * returns when a thread that is blocked in a receive (pvm_recv, pvm_trecv, pvm_precv) stands
 * outside its critical section; it waits for such a thread if there is none, and takes the one that
 * has waited longest if there are several. Until pvm_resume_recv that receive does not return.
 * Returns 0, or PvmSysErr when the process cannot enrol, or when a message handler calls it.
 */
int pvm_interrupt_recv(void);

/*
 * Lets the receive that was stopped first go on. Returns 0, or PvmNotFound when none is stopped.
 */
int pvm_resume_recv(void);

#ifdef __cplusplus
}
#endif

#endif
