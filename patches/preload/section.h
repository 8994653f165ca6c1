/*
 * section.h - one thread at a time is in the library beneath, and none of those that wait.
 *
 * libpvm3 of 3.4.6 knows one caller: its active buffers and its context are variables. The section
 * swaps them whenever the calling thread changes. A call made within another one, by libpvm3 itself
 * or by a message handler, is inside already and goes straight on. libgpvm3 writes variables of
 * libpvm3, too, so that its calls are in the section from beginning to end; but their receives wait
 * as those of programs do.
 *
 * A thread that waits has left the section. What it waits for is an attempt, a call that does not
 * block, which any thread that is in the section makes on its behalf, with its buffers and context.
 * One of the waiting threads leads: it sleeps on the descriptors of libpvm3 and a bell, and makes
 * the attempts of all in the order in which they began to wait. Every other call may take in
 * messages that the descriptors then say nothing of; so the attempts are made at its end, too. An
 * attempt may itself take in a message that an earlier one was for; then the leader does not sleep
 * but makes them all again. Each thread is woken when its own attempt has succeeded, and only then.
 */
#ifndef PRELOAD_SECTION_H
#define PRELOAD_SECTION_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <time.h>

struct caller;

/* A thread that waits; on its stack. The first part is the caller's of section_wait. */
struct waiter {
    int (*attempt)(struct waiter *waiter); /* 0: not yet; else what section_wait returns */
    bool interruptible;                    /* pvm_interrupt_recv may stop it */
    struct timespec *deadline;             /* of CLOCK_MONOTONIC; NULL: none */
    int tid;
    int tag;
    void *more; /* what else the attempt needs */

    struct caller *caller;
    int level; /* whether the attempt is traced: pvmtoplvl */
    int result;
    bool done;
    unsigned long
        stopped; /* its place in the order of stops; 0: not. Until it goes on no attempt is
                              made, and it does not return */
    sem_t wake;
    struct waiter *next;
};

/* The function of the library beneath; the process ends with a message if there is none. */
void *section_next(const char *name);

/* True when the thread was outside. To be given to section_leave. */
bool section_enter(void);

/* received: messages may have been taken in. */
void section_leave(bool outermost, bool received);

/* For a call of libgpvm3, of which there is one at a time. True when the thread was outside. */
bool section_enter_group(void);
void section_leave_group(bool outermost);

/* Inside: the call is the program's, or that of libgpvm3 for it, so that it may wait. */
bool section_may_wait(void);

/* Inside, where that is so: waits until the attempt succeeds, gives its result, 0 after the deadline. */
int section_wait(struct waiter *waiter);

/* Inside: ends all waits with a result. */
void section_abandon(int result);

/* Inside: the buffer is nobody's active one any more. */
void section_forget_buffer(int buffer);

/* Inside: the copy of the descriptors that the calling thread may read when it has left. */
int section_descriptors(int **descriptors);

/* Inside, outermost: stops the first wait that can be, when there is one; lets it go on. */
void section_stop_receiver(void);
bool section_resume_receiver(void);

#endif
