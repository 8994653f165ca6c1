/*
 * send.h - the modes of sends, and where buffered ones find their buffer.
 */
#ifndef MPI_CALLS_SEND_H
#define MPI_CALLS_SEND_H

struct communicator;
struct send_buffer;

enum mode { MODE_STANDARD, MODE_BUFFERED, MODE_READY, MODE_SYNCHRONOUS };

/* The buffer that is attached to the communicator, or else that of the process. */
struct send_buffer *send_buffer_for(const struct communicator *communicator);

#endif
