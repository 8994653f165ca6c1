/*
 * deputies.h - what the master alone knows, and two other hosts are to know, so that one of them can
 * take its place.
 *
 * All hosts have the host table. The master alone has
 *     the mailboxes, and who waits for an entry;
 *     which host has which block of the numbers of regions;
 *     the index that was given last to a host that was to be added;
 *     the settings of hosts in the host file.
 * Deputies get the first three, but for who waits: such requests are asked again (requests/again.h).
 * They do not get the host file, which is the first master's alone. The secret of the machine all
 * have that its remote shell has started (post/machine_key.h).
 *
 * The deputies are the two hosts with the lowest indices, without the master, that hold the secret if
 * the master does. There are none if there are fewer than three hosts, if one of the hosts is of
 * 3.4.6, or with PVM_FAILOVER=off. Nor are there any if the master has lost as many hosts as are left
 * within its patience: it may be cut off from a part that has another master, and its own part must
 * not choose one then. The master tells each host whether there are deputies, and each
 * deputy its rank, after it has sent it all that there is. From then on it sends each change with a
 * number (CONTROL_COPY), and a deputy answers with the number (CONTROL_COPIED). What a requester is
 * told waits until both deputies have all changes before it. One thread.
 */
#ifndef DAEMON_MEMBERS_DEPUTIES_H
#define DAEMON_MEMBERS_DEPUTIES_H

#include <stdbool.h>

#include "daemon/base/list.h"
#include "daemon/post/request.h"

struct daemon;
struct host;

#define DEPUTIES             2
/* Of a machine with fewer hosts, no other one becomes the master: more than half of two are both. */
#define DEPUTIES_HOSTS_LEAST 3

/* The master's. */
struct deputies {
    struct list held; /* answers that wait for deputies */
    bool said;        /* that there are none since a host is of 3.4.6 */
    int lost;         /* hosts that were given up, one after another */
    int64_t lost_at;  /* the last one */
};

void deputies_start(struct deputies *deputies);
void deputies_finish(struct deputies *deputies);

/* What the host says of the master counts: it holds the secret, if this host does. */
bool deputies_trust(const struct daemon *daemon, const struct host *host);

/* The master looks who they are, when a host has come, is known to be ours, or is gone. */
void deputies_review(struct daemon *daemon);

/* The master gives up a host, which is still in the table. */
void deputies_lose(struct daemon *daemon);

/* Sends a deputy a change: what is behind the cursor of `change`, which stays the caller's. */
void deputies_send(struct daemon *daemon, const struct host *deputy, const struct message *change);
/* Sends it to all deputies, and frees it. It is of control_new(CONTROL_COPY, 0, 0). */
void deputies_copy(struct daemon *daemon, struct message *change);

/* Whether there is a deputy, so that changes are to be copied. */
bool deputies_are_there(const struct daemon *daemon);

/* Sends the answer and frees it, when the deputies have all that was copied until now. */
void deputies_answer(const struct request_origin *origin, struct message *answer);

enum request_result deputies_take_copied(struct request *request); /* CONTROL_COPIED */

#endif
