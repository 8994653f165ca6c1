/*
 * service.h - carries out orders of other processes (order.h) at the windows of this one whose
 * memory is not mapped, and keeps the locks of it.
 *
 * Whichever thread of the process is in a call that waits does so, and while none is, a thread that
 * stands by (lib/calls/kernel.h) as long as the process has such a window. Orders are carried out
 * one after the other, so nothing has to be locked.
 */
#ifndef MPI_WINDOWS_SERVICE_H
#define MPI_WINDOWS_SERVICE_H

/* Of the thread, as the system shows it. */
#define SERVICE_NAME "mpi-windows"

struct window;

/*
 * Orders for the window are carried out from now on. MPI_SUCCESS, or an error class without a thread
 * or memory.
 */
int service_enter(struct window *window);

/* No order for it is underway any more. */
void service_leave(struct window *window);

#endif
