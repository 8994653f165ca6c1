/*
 * beacon.h - a descriptor for programs that wait in select or poll of their own: it is readable
 * whenever a message may be there.
 *
 * A socket alone would not do: another thread of the task may have read the message that the
 * program waits for. So the beacon is an epoll set of the socket and a bell, which is rung while
 * messages lie in the inbox that some thread took in for others. And tasks that share memory with
 * ours ring the doorbell of its leader, which therefore is in the set, too.
 *
 * The thread that asked for the beacon last silences it when it looks for a message in vain; any
 * thread does when no message is left. So nobody is left asleep, and nobody is kept awake by
 * messages that are for others.
 *
 * Threads: the caller holds the lock of the beacon's endpoint.
 */
#ifndef CK_BEACON_H
#define CK_BEACON_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct beacon {
    int set; /* what the program waits for; -1: there is none, and nothing is rung */
    int bell;
    bool rung;
    pthread_t user; /* the thread that asked for it last */
};

/* No beacon yet. */
void beacon_start(struct beacon *beacon);

/*
 * The beacon for `socket` and `doorbell`, which others of this host ring, lit now if it was not
 * before; `waiting` tells whether messages lie in the inbox. The socket itself when the system has
 * no descriptors left.
 */
int beacon_light(struct beacon *beacon, int socket, int doorbell, bool waiting);

void beacon_ring(struct beacon *beacon);

/*
 * After the calling thread has looked for a message: whether it found one, whether it took in any
 * on the way, and how many lie in the inbox.
 */
void beacon_adjust(struct beacon *beacon, bool found, bool happened, size_t left);

/* The doorbell has been heard: it makes the beacon readable when it is rung again. */
void beacon_answer(struct beacon *beacon);

/* Puts the beacon out. */
void beacon_finish(struct beacon *beacon);

#endif
