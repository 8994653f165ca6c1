/*
 * inbox.h - where messages meet receives: messages that arrive first wait in a queue, receives that
 * come first are posted.
 *
 * A message that arrives while nobody waits is not let in yet: it is behind the queue, where calls
 * that do not wait cannot see it. Each of these calls lets in one message at most, as in 3.4.6. A
 * wait lets in all of them. A wait that judges the messages itself lets them in one by one, and
 * judges each message before the next one.
 *
 * Threads: the caller holds the lock of the inbox's endpoint.
 */
#ifndef CK_INBOX_INBOX_H
#define CK_INBOX_INBOX_H

#include "ck/inbox/hopeless.h"
#include "ck/wait/wait.h"
#include "core/match.h"

/* One receive that waits. A thread that has a message for it touches one line of the cache. */
struct receiver {
    _Alignas(CACHE_LINE) struct pattern pattern;
    struct message *message;
    struct receiver *next; /* while it is posted: in the order of posting, among all */
    struct receiver *previous;
    int error; /* why there will be none, when it is done without one */
    bool posted;
    bool accepts;         /* a message counts as received once it is here, not when it is taken */
    struct waiter waiter; /* done when `message` is there, or when there will be none */
    struct receiver_chain *chain; /* the chain that it is in, or NULL */
    struct receiver *chain_next;
    struct receiver *chain_previous;
    uint64_t number; /* grows with each receiver that comes into a chain */
    enum pattern_class class;
};

/*
 * One receive that judges the messages itself, one by one in order of arrival
 * (ck/requests/examine.h). The thread gives up the lock while it judges: a thread that takes a
 * message out meanwhile corrects `next`, `current` and `best`.
 */
struct examination {
    struct waiter waiter;    /* done when `next` is there, or when there will be none */
    struct message *next;    /* the first not yet judged; NULL: all have been */
    struct message *current; /* the one being judged; NULL when it has been taken out */
    struct message *best; /* the best of those judged; when it is taken out, all are judged anew */
    int rank;             /* of the best */
    int error;            /* why there will be no more messages, or 0 */
    bool patient;         /* it waits for more messages */
    bool let_in;          /* it has let in a message */
    struct examination *other;
};

/* Chains of posted receivers: about as many as a task has threads that wait. */
#define INBOX_CHAINS 64

struct receiver_chain {
    struct receiver *first;
    struct receiver *last;
};

struct inbox {
    struct receiver *first; /* posted, in order */
    struct receiver *last;
    size_t count;
    size_t compared;                  /* receivers that were compared with messages, so far */
    struct hopeless hopeless;         /* receives that fail; the endpoint sees to that */
    struct examination *examinations; /* linked by `other`, the latest first */
    struct match_queue arrived;
    uint64_t arrivals; /* messages that were let in or given to receivers, so far */
    struct message
        *outside; /* arrived, but not let in; by `next`. None while a receiver is posted */
    struct message *outside_last;
    bool chained;                   /* all posted receivers are in chains, otherwise none */
    uint64_t number;                /* of the receiver that came into a chain last */
    size_t posted[PATTERN_CLASSES]; /* receivers of each class in the chains */
    struct receiver_chain chains[INBOX_CHAINS]; /* by what their class of patterns names */
};

void inbox_start(struct inbox *inbox);

/* Frees what has arrived. No receiver may be posted. */
void inbox_finish(struct inbox *inbox);

/* The receiver that inbox_deliver would give `message` to; NULL: the queue. */
struct receiver *inbox_receiver_for(struct inbox *inbox, const struct message *message);

/*
 * Gives `message` to the receiver that was posted first among those that match, answers before
 * anything else, and returns it: its thread is to be woken. Otherwise queues the message and
 * returns NULL.
 */
struct receiver *inbox_deliver(struct inbox *inbox, struct message *message);

/* Like inbox_deliver, for a message that has just come: while nobody waits it stays outside. */
struct receiver *inbox_arrive(struct inbox *inbox, struct message *message);

/*
 * Like inbox_deliver, for a message that was given to a receiver which does not take it. In the
 * queue it gets the place that it would have had if it had been queued at first.
 */
struct receiver *inbox_deliver_again(struct inbox *inbox, struct message *message);

/* Makes a receiver, which is not posted yet. */
void receiver_start(struct receiver *receiver, const struct pattern *pattern);

/* Lets in the message that has been outside longest. False when no message is outside. */
bool inbox_let_in(struct inbox *inbox);

/* True when a message is in the queue or outside. */
static inline bool inbox_has_messages(const struct inbox *inbox)
{
    return inbox->arrived.count > 0 || inbox->outside;
}

/* Takes the first message that matches, and lets in those before it; NULL if none matches. */
struct message *inbox_take(struct inbox *inbox, const struct pattern *pattern);

/* The first message in the queue that matches, which stays. */
struct message *inbox_find(struct inbox *inbox, const struct pattern *pattern);

/*
 * inbox_post lets inbox_deliver find `receiver`, behind the receivers posted before; inbox_withdraw
 * ends that. Both may be repeated. No message outside may match a receiver that is posted, so
 * inbox_post lets in all messages.
 */
void inbox_post(struct inbox *inbox, struct receiver *receiver);
void inbox_withdraw(struct inbox *inbox, struct receiver *receiver);

/*
 * The receiver that an interruptible waiter belongs to; NULL when the waiter judges messages: then
 * nothing is to be withdrawn.
 */
struct receiver *inbox_receiver_of(const struct inbox *inbox, struct waiter *waiter);

/* Takes out a message that has arrived; it is the caller's. */
void inbox_remove(struct inbox *inbox, struct message *message);

/*
 * An examination begins with the first message that has arrived, and is ended; several may overlap
 * in any order. In between inbox_examine_next moves on: it returns the next message, which is
 * `current` then, or NULL when all that have arrived were judged. inbox_deliver gives a further
 * message to all examinations that have judged the messages before it, as their `next`; their
 * threads are to be woken.
 */
void inbox_begin_examination(struct inbox *inbox, struct examination *examination);
void inbox_end_examination(struct inbox *inbox, const struct examination *examination);
struct message *inbox_examine_next(struct examination *examination);

#endif
