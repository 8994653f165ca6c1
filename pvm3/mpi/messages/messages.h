/*
 * messages.h - messages between the ranks of a communicator, for all calls that send or receive.
 *
 * A message has a context, a tag from 0 on, and the rank of its sender. Calls of the program use
 * other contexts than collective operations. The other side of an inter-communicator is its remote
 * group. Results are error classes; MPI_SUCCESS is 0. Arguments
 * have been checked: ranks are in the group, or MPI_PROC_NULL, or MPI_ANY_SOURCE of a receive.
 *
 * Threads: any thread may call anything.
 */
#ifndef MPI_MESSAGES_MESSAGES_H
#define MPI_MESSAGES_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

struct communicator;
struct datatype;
struct kernel_post;

/* With whom, and about what. */
struct channel {
    struct communicator *communicator;
    int rank;  /* of the other side */
    int tag;   /* or MPI_ANY_TAG */
    int which; /* CONTEXT_MESSAGES, or another one of objects/communicator.h */
};

/* `count` items at `buffer`. Without a datatype: bytes. */
struct items {
    void *buffer;
    MPI_Count count;
    struct datatype *datatype;
};

/* What has come. Who needs no more than the items passes NULL. */
struct arrival {
    int rank;
    int tag;
    size_t size; /* bytes that were taken */
};

/* Blocking. ------------------------------------------------------------------------------------ */

/* Returns when the items may change. Waits for no receiver. */
int message_send(const struct channel *channel, const struct items *items);

/*
 * In place of what a collective operation would send: the rank cannot do its part, as it waits for
 * a dead one. The receive ends with MPI_ERR_PROC_ABORTED.
 */
int message_send_failure(const struct channel *channel);

/* MPI_ERR_TRUNCATE, after what fits, for a message that is longer than the items. */
int message_receive(const struct channel *channel, const struct items *items,
                    struct arrival *arrival);

/* Both at once: the receive is posted first. */
int message_exchange(const struct channel *to, const struct items *sent, const struct channel *from,
                     const struct items *received, struct arrival *arrival);

/* Posted. -------------------------------------------------------------------------------------- */

/*
 * A send or a receive that may not be done yet; to be embedded in what owns it. The datatype is
 * kept. `post` is NULL when it is done, and then `error` and `arrival` say how.
 */
struct posted {
    struct kernel_post *post;
    struct channel channel;
    struct items items;
    bool receives;
    int error;
    struct arrival arrival;
};

/* Posts. An error is found in the post, too, which is done then. */
int posted_send(struct posted *posted, const struct channel *channel, const struct items *items);
int posted_send_synchronous(struct posted *posted, const struct channel *channel,
                            const struct items *items);
int posted_send_failure(struct posted *posted, const struct channel *channel);
/* The items may change when it returns. */
int posted_send_copied(struct posted *posted, const struct channel *channel,
                       const struct items *items);
int posted_receive(struct posted *posted, const struct channel *channel, const struct items *items);

/* Whether it is done, after a look at what has come. Then its items are as they will be. */
bool posted_test(struct posted *posted);

/* Waits until it is done; returns its error. Work goes on meanwhile. */
int posted_wait(struct posted *posted);

/* False if it is done or under way, or a send. Otherwise it is done, with CANCELLED for its error. */
#define POSTED_CANCELLED (-1)
bool posted_cancel(struct posted *posted);

#endif
