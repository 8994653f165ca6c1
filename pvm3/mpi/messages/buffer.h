/*
 * buffer.h - buffers that programs attach for buffered sends (MPI_Bsend).
 *
 * The kernel keeps what it cannot send at once, so nothing is ever stored in such a buffer. But it
 * is counted as MPI says: what is not out yet takes its bytes and MPI_BSEND_OVERHEAD, and a send for
 * which nothing is left fails. Threads: any thread may call anything.
 */
#ifndef MPI_MESSAGES_BUFFER_H
#define MPI_MESSAGES_BUFFER_H

#include "mpi/messages/messages.h"

struct send_buffer;

/* The buffer of the process; it exists always, and is attached or not. */
struct send_buffer *send_buffer_of_process(void);

/* Frees the buffer of an object that goes. */
void send_buffer_free(struct send_buffer *buffer);

/*
 * MPI_ERR_BUFFER when there is one already, or at NULL; MPI_ERR_ARG for a size below 0.
 * MPI_BUFFER_AUTOMATIC: as much as it takes.
 */
int send_buffer_attach(struct send_buffer *buffer, void *memory, MPI_Count size);

/*
 * Waits until all is out. The memory goes to the pointer at `address`, NULL if none is attached:
 * MPI_ERR_BUFFER then.
 */
int send_buffer_detach(struct send_buffer *buffer, void *address, MPI_Count *size);

/* Likewise, for the buffer of an object, which exists while one is attached. */
int send_buffer_place(struct send_buffer **buffer, void *memory, MPI_Count size);
int send_buffer_remove(struct send_buffer **buffer, void *address, MPI_Count *size);

/* Waits until all that was sent from it is out. */
int send_buffer_flush(struct send_buffer *buffer);

/* Whether all that was sent from it is out. Does not look. */
bool send_buffer_has_sent(struct send_buffer *buffer);

/* Sends; the items may change when it returns. MPI_ERR_BUFFER when there is not enough room. */
int send_buffer_send(struct send_buffer *buffer, const struct channel *channel,
                     const struct items *items);

#endif
