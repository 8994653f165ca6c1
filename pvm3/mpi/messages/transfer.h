/*
 * transfer.h - what messages between ranks are to the kernel: ranks as addresses, items as bytes.
 */
#ifndef MPI_MESSAGES_TRANSFER_H
#define MPI_MESSAGES_TRANSFER_H

#include "lib/calls/kernel.h"
#include "mpi/messages/messages.h"

/* A message that goes out. `items` are read until it is composed. */
struct kernel_letter transfer_letter(const struct channel *channel, const struct items *items);

/* What a receive asks for, and where what comes goes to. */
struct kernel_match transfer_match(const struct channel *channel);
struct kernel_room transfer_room(const struct items *items);

/*
 * What has come, in a receive by this channel to this room. MPI_SUCCESS, MPI_ERR_TRUNCATE for more
 * than there is room for, and in a collective operation also for less, or MPI_ERR_PROC_ABORTED of a
 * failure. `arrival` may be NULL.
 */
int transfer_note(const struct channel *channel, const struct kernel_room *room,
                  const struct kernel_arrival *kernel, struct arrival *arrival);

/* What a receive from MPI_PROC_NULL gets. */
void transfer_note_nothing(struct arrival *arrival);

/* The error class of a result of the kernel. */
int transfer_error(int result);

#endif
