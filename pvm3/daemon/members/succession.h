/*
 * succession.h - how another host becomes the master when the master has died.
 *
 * Each master has a term, a number that grows. A daemon that has lost its master - given it up, or
 * found its port without anybody - waits for a new one, if it knows that there are deputies
 * (deputies.h); otherwise it ends. The first deputy asks all hosts for their votes (CONTROL_VOTE)
 * for the next term. A host gives its vote (CONTROL_VOTED) if it has lost the same master, or has
 * not been taken into the table yet, and only to one host in a term; who asks too late is told, and
 * asks for a higher term. A host that has its master still looks at once whether the master is there,
 * gives its vote if it finds that it is not, and is asked again. The second deputy asks if it has
 * waited for some time in vain.
 *
 * Who has the votes of more than half of the hosts last known, itself and the dead master among
 * them, is the master: it says so (CONTROL_MASTER), takes the old one out of the table, which is a
 * host's end like any other, and spreads its table. The others obey if they have not given their
 * vote for a higher term. Who has no master after all that ends. So of two hosts the one that is
 * left ends, as more than half of two is both; of a machine in two parts, at most one goes on with a
 * new master.
 *
 * The old master may live, and only have been frozen or unplugged. The new one tells it, by a packet
 * that nobody else says (PACKET_DEPOSES), whenever it sends something, and for some time unasked. It
 * ends as a deleted host does: its tasks have been reported dead.
 *
 * The word of the master that it ends, as it was asked to, ends all, as ever. One thread.
 */
#ifndef DAEMON_MEMBERS_SUCCESSION_H
#define DAEMON_MEMBERS_SUCCESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/loop.h"
#include "daemon/post/request.h"

struct daemon;
struct host;

struct succession {
    bool possible;           /* the master has said that there are deputies */
    bool bereft;             /* the master is gone, and there is no new one yet */
    bool standing;           /* this daemon asks for votes */
    bool deposed;            /* it was the master and is it no more */
    bool halt_asked;         /* the master was asked to end the machine */
    int rank;                /* of this deputy, 0: it is none */
    int32_t term;            /* of the master */
    int32_t voted;           /* the highest term for which this daemon has given its vote */
    uint32_t voted_for;      /* to which host */
    uint32_t asked_by;       /* who has asked for a vote too early; 0: nobody */
    int32_t asked_term;      /* for this term */
    bool table_due;          /* the first table of this master has not come yet */
    int known;               /* hosts when the master was lost, the dead master among them */
    int looks;               /* since then */
    int stands_at;           /* the look at which it asks for votes */
    int reminders;           /* left, by which the old master is told */
    struct loop_timer timer; /* a look while there is no master; a reminder afterwards */
};

void succession_start(struct daemon *daemon);

/* The host is given up, or has ended. */
void succession_lose_host(struct daemon *daemon, struct host *host);

/* Another host, which has been the master since, says so to this one. */
void succession_take_deposition(struct daemon *daemon, uint32_t part);

enum request_result succession_take_rank(struct request *request);    /* CONTROL_DEPUTY */
enum request_result succession_take_request(struct request *request); /* CONTROL_VOTE */
enum request_result succession_take_vote(struct request *request);    /* CONTROL_VOTED */
enum request_result succession_obey(struct request *request);         /* CONTROL_MASTER */

#endif
