/*
 * wait_descriptor.h - a descriptor for programs that wait in select or poll of their own: it is
 * readable whenever a message may be there.
 *
 * A socket alone would not do: another thread of the task may have read the message that the
 * program waits for. So the wait descriptor is an epoll set of the socket and a bell, which is rung
 * while messages lie in the inbox that some thread took in for others. And tasks that share memory
 * with ours ring the doorbell of its leader, which therefore is in the set, too.
 *
 * The thread that asked for the descriptor last silences it when it looks for a message in vain;
 * any thread does when no message is left. So nobody is left asleep, and nobody is kept awake by
 * messages that are for others.
 *
 * Threads: the caller holds the lock of the endpoint.
 */
#ifndef CK_WAIT_WAIT_DESCRIPTOR_H
#define CK_WAIT_WAIT_DESCRIPTOR_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct wait_descriptor {
    int set; /* what the program waits for; -1: none, and nothing is rung */
    int bell;
    bool rung;
    pthread_t user; /* the thread that asked for it last */
};

/* None yet. */
void wait_descriptor_start(struct wait_descriptor *descriptor);

/*
 * The descriptor for `socket` and `doorbell`, which others of this host ring, made now if it was
 * not before; `waiting` tells whether messages lie in the inbox. The socket itself when the system
 * has no descriptors left.
 */
int wait_descriptor_open(struct wait_descriptor *descriptor, int socket, int doorbell,
                         bool waiting);

void wait_descriptor_ring(struct wait_descriptor *descriptor);

/*
 * After the calling thread has looked for a message: whether it found one, whether it took in any
 * on the way, and how many lie in the inbox.
 */
void wait_descriptor_adjust(struct wait_descriptor *descriptor, bool found, bool happened,
                            size_t left);

/* The doorbell has been heard: it makes the descriptor readable when it is rung again. */
void wait_descriptor_answer(struct wait_descriptor *descriptor);

/* Closes it. */
void wait_descriptor_finish(struct wait_descriptor *descriptor);

#endif
