/*
 * replica.h - what a deputy knows of what the master alone has (members/deputies.h), and how it goes
 * on with that as the master.
 *
 * Its mailboxes are made by the same operations in the same order as the master's. With each it
 * keeps what the asker was told, so that a request that is asked again, since its answer was lost
 * with the master, is not carried out twice (again.h). It keeps so many of the last ones. One thread.
 */
#ifndef DAEMON_REQUESTS_REPLICA_H
#define DAEMON_REQUESTS_REPLICA_H

#include "daemon/post/request.h"

struct daemon;
struct host;

#define REPLICA_RESULTS 1024

/* What became of a request for a mailbox. */
struct replica_result {
    uint32_t asker; /* 0: none */
    int32_t wait;
    int result;
    struct message *found; /* the entry that was taken, NULL: none */
};

struct replica {
    struct replica_result results[REPLICA_RESULTS]; /* a ring */
    unsigned next;
};

void replica_finish(struct daemon *daemon);

/* Sends a new deputy all that the master alone has. */
void replica_copy_all(struct daemon *daemon, const struct host *deputy);

enum request_result replica_take(struct request *request); /* CONTROL_COPY */

/* What the old master told the asker, or was about to; NULL: the request has not been carried out. */
const struct replica_result *replica_find(const struct daemon *daemon, uint32_t asker,
                                          int32_t wait);

/* This daemon is the master now: what belonged to `lost` and its tasks goes. */
void replica_take_over(struct daemon *daemon, const struct host *lost);

#endif
