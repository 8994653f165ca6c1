/*
 * probe.h - looking for messages, and taking one out that is received later (matched probe).
 */
#ifndef MPI_MESSAGES_PROBE_H
#define MPI_MESSAGES_PROBE_H

#include "mpi/messages/messages.h"
#include "mpi/objects/object.h"

struct message;

/* What a handle of type MPI_Message stands for. */
struct matched {
    struct object object;
    struct channel channel; /* that of the probe; its communicator is kept */
    struct message *message;
    struct arrival arrival; /* of the whole message */
};

/* Whether a message has come that a receive would get; it stays. An error class. */
int probe_look(const struct channel *channel, bool *found, struct arrival *arrival);

/* Waits until there is one. */
int probe_wait(const struct channel *channel, struct arrival *arrival);

/* Takes such a message out; *matched is NULL when there is none. The second one waits. */
int probe_claim(const struct channel *channel, struct matched **matched);
int probe_claim_wait(const struct channel *channel, struct matched **matched);

/*
 * Waits until a message has come, while work goes on. With `message` it is taken out
 * (kernel_accept), otherwise it stays. A result of the kernel.
 */
struct kernel_arrival;
struct kernel_match;
int probe_await(const struct kernel_match *match, struct message **message,
                struct kernel_arrival *arrival);

/* Receives it, and frees `matched`. MPI_SUCCESS or MPI_ERR_TRUNCATE. */
int matched_receive(struct matched *matched, const struct items *items, struct arrival *arrival);

/* NULL for MPI_MESSAGE_NULL, MPI_MESSAGE_NO_PROC, and for what is no message. */
struct matched *matched_of(MPI_Message handle);
MPI_Message matched_handle(struct matched *matched);

#endif
