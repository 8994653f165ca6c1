/*
 * port.h - ports, where processes of different worlds find each other, and services, by whose names
 * ports are found. Both are entries of the virtual machine's mailbox, which go with the task that
 * has made them.
 *
 * Each returns MPI_SUCCESS or the class of an error. A name of a port has MPI_MAX_PORT_NAME bytes.
 * Threads: any thread may call anything.
 */
#ifndef MPI_MESSAGES_PORT_H
#define MPI_MESSAGES_PORT_H

#include <stdint.h>

/* MPI_ERR_PORT: this process is not part of a virtual machine, or the port is not its own. */
int port_open(char *name);
int port_close(const char *name);

/* Waits until a task calls at an own port, which is *caller. */
int port_await(const char *name, uint32_t *caller);

/* Whose port it is. MPI_ERR_PORT: it is not open. */
int port_owner(const char *name, uint32_t *owner);

/* Calls at a port, which is one of *owner. MPI_ERR_PORT: it is not open. */
int port_call(const char *name, uint32_t *owner);

/* MPI_ERR_SERVICE: another task has published the name, or nobody has. */
int service_publish(const char *service, const char *port);
int service_withdraw(const char *service);

/* MPI_ERR_NAME: nobody has published it. */
int service_find(const char *service, char *port);

#endif
