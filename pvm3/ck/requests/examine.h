/*
 * examine.h - receiving by judgement: the caller looks at each message that has come, in order of
 * arrival, and says what to do with it.
 *
 * The judgement is code of the application, so it runs in the receiving thread and without a lock:
 * it may send, receive and wait itself, and other threads go on receiving. A message that another
 * thread takes meanwhile is passed over; when it is the best so far that goes, all that are left
 * are judged anew. A receive that has judged everything sleeps until a message comes that no posted
 * receive asks for, which wakes all that judge.
 *
 * Threads: any thread may call it at any time.
 */
#ifndef CK_REQUESTS_EXAMINE_H
#define CK_REQUESTS_EXAMINE_H

#include "ck/endpoint/endpoint.h"

struct judgement {
    /*
     * Gives a message that has arrived a positive number, the same one each time; or a negative
     * error. Under the lock of the inbox.
     */
    int (*name)(void *owner, struct message *message);
    /*
     * What to do with the message that has this number: 0 leave it; 1 take it; more: take the one
     * with the highest number, the first of equals, once all messages have been judged; below 0:
     * end with this error. Without locks.
     */
    int (*judge)(void *owner, int name);
    void *owner;
};

enum patience {
    PATIENCE_NONE,  /* what can be had without waiting */
    PATIENCE_UNTIL, /* until a deadline, with one look at least */
    PATIENCE_ENDLESS,
};

/*
 * Returns the name of the message chosen, 0 when there was none in time, an error of the judgement,
 * or CK_LOST. The message is taken out and *message is the caller's, unless `message` is NULL:
 * then it stays. `deadline` (CLOCK_MONOTONIC) counts with PATIENCE_UNTIL. Interruptible
 * (endpoint_interrupt) while it sleeps.
 */
int endpoint_examine(struct endpoint *endpoint, const struct judgement *judgement,
                     enum patience patience, const struct timespec *deadline,
                     struct message **message);

#endif
