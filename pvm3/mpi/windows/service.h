/*
 * service.h - the thread that carries out orders of other processes (order.h) at the windows of
 * this one whose memory is not mapped, and has the locks of it.
 *
 * It runs as long as the process has such a window, and sleeps in a receive while there is no
 * order. It alone changes that memory for others, so nothing has to be locked.
 */
#ifndef MPI_WINDOWS_SERVICE_H
#define MPI_WINDOWS_SERVICE_H

struct window;

/* Orders for the window are carried out from now on. MPI_SUCCESS or MPI_ERR_OTHER: no thread. */
int service_enter(struct window *window);

/* No order for it is underway any more. */
void service_leave(struct window *window);

#endif
