/*
 * inbox.h - where messages meet receives: those that arrived first wait in a queue, receives that
 * came first are posted.
 *
 * Threads: the caller holds the lock of the inbox's endpoint.
 */
#ifndef CK_INBOX_H
#define CK_INBOX_H

#include "ck/wait.h"
#include "core/match.h"

/* One receive that waits; lives on the stack of its thread. */
struct receiver {
    struct waiter waiter; /* done when `message` is there, or when there will be none */
    struct pattern pattern;
    struct message *message;
    int error; /* why there will be none, when it is done without one */
    bool posted;
    struct receiver *next; /* in the order of posting */
    struct receiver *previous;
};

struct inbox {
    struct match_queue arrived;
    struct receiver *first;
    struct receiver *last;
};

void inbox_start(struct inbox *inbox);

/* Frees what has arrived. No receiver may be posted. */
void inbox_finish(struct inbox *inbox);

/*
 * Gives `message` to the receiver that was posted first among those that match, answers before
 * anything else, and returns it: its thread is to be woken. Otherwise queues the message and
 * returns NULL; *error is then 0 or PvmNoMem, with which the message was freed.
 */
struct receiver *inbox_deliver(struct inbox *inbox, struct message *message, int *error);

/* Takes the first arrived message that matches; NULL when there is none. */
struct message *inbox_take(struct inbox *inbox, const struct pattern *pattern);

/* The first arrived message that matches, which stays. */
struct message *inbox_find(const struct inbox *inbox, const struct pattern *pattern);

/*
 * Lets `receiver` be found by inbox_deliver, behind those posted before; and no longer. Both may be
 * repeated.
 */
void inbox_post(struct inbox *inbox, struct receiver *receiver);
void inbox_withdraw(struct inbox *inbox, struct receiver *receiver);

#endif
