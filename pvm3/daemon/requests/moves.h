/*
 * moves.h - what all parts of moves share: the words that a pvmd says to all others about a task,
 * and the counting of words that come in copies.
 *
 * A task T moves from host A to host B; every other pvmd of ours is a C.
 *   1. T asks A to let it leave (departures.h). A asks all others to hold T: they keep what goes to
 *      T from now on, and answer behind all that they have sent to T. A does not keep anything yet.
 *   2. When all have answered, A keeps what goes to T, too, and hands T's record to B. Then T may
 *      go: nothing more comes to it.
 *   3. The holder on B says that T has arrived (arrivals.h). B tells all that T has moved. Each pvmd
 *      sends to B what it has kept, and its watches of T ask B (followers.h).
 * If B does not get T, A tells all that T has moved to A. At the end of a task that has travelled,
 * its pvmd tells all that it is over. What a pvmd says to others of T goes in the flow of T, behind
 * what T has sent. One thread.
 */
#ifndef DAEMON_REQUESTS_MOVES_H
#define DAEMON_REQUESTS_MOVES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/control.h"
#include "daemon/base/list.h"
#include "daemon/base/loop.h"

struct daemon;
struct host;
struct task;

/* What moves need of the parts above them. */
struct move_acts {
    void (*over)(struct task *task);               /* ends the task */
    void (*signal)(struct task *task, int number); /* sends it a signal */
    void (*look)(struct daemon *daemon);           /* begins departures that have waited */
};

struct moves {
    const struct move_acts *acts;
    struct daemon *daemon;
    struct loop_work look;  /* at the end of a round */
    struct list departures; /* tasks that leave this host */
    struct list arrivals;   /* tasks that are expected here */
    struct list revivals;   /* tasks that come from files, at the request of tasks here */
    struct list orders;     /* requests that a task move */
    struct list copies;     /* words of which not all copies have come */
    struct list flushes;    /* questions of other hosts that wait until a task has moved */
    struct list fates;      /* tasks that have left a host that is gone */
    int32_t last_order;
};

void moves_start(struct daemon *daemon, const struct move_acts *acts);
void moves_finish(struct daemon *daemon);

/* Says something about the task to another host. Frees the message. */
void moves_tell(struct daemon *daemon, const struct host *host, uint32_t tid,
                struct message *message);
/* Says it to all other hosts of ours. */
void moves_tell_all(struct daemon *daemon, uint32_t tid, struct message *message);
/* Tells all that the task, one of this host, lives here now. */
void moves_tell_place(const struct task *task);
/* Tells a host, which was not known before, of the tasks here that have travelled. */
void moves_meet(struct daemon *daemon, const struct host *host);
/*
 * Tells a new host of the tasks of other hosts that have travelled, before anybody can be there who
 * wants to know. Their own hosts tell it, too: that may be too late for a task whose home is gone.
 */
void moves_introduce(struct daemon *daemon, const struct host *host);

/* A host is new in the table: if tasks here have travelled, it is spoken to, to become known. */
void moves_greet(struct daemon *daemon, const struct host *host);
/*
 * Writes into a message which hosts are known to be ours, and takes such words: whoever may have to
 * tell all of the task knows the same ones.
 */
void moves_put_hosts(struct message *message, const struct daemon *daemon);
bool moves_take_hosts(struct daemon *daemon, struct control_reader *body);

/* One of `copies` copies of a word of a host about a task has come: whether all have. */
bool moves_count(struct daemon *daemon, uint32_t part, int32_t tag, uint32_t tid, int32_t copies);
/* The host is gone: no more copies come from it. */
void moves_forget_copies(struct daemon *daemon, uint32_t part);

#endif
