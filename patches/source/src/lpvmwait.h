/*
 * lpvmwait.h - how a thread of a PVM task waits for messages: outside of the critical section.
 *
 * libpvm3 of 3.4.6 reads and writes variables without locks; whoever is in it is in the critical
 * section, of which there is one. pvm_recv, pvm_trecv and requests to a pvmd do not wait in mroute,
 * which nobody could enter meanwhile, but in the functions here. A thread that waits stands in a
 * queue and has left the critical section. One of those in the queue leads: it sleeps in select, on
 * the sockets of libpvm3 and on intr_fd, the read end of a pipe, which wakes it when something else
 * happens that concerns it. The others sleep on semaphores. Messages are taken in by whoever is in
 * the critical section, in mroute, and each is given to the first thread in the queue that it is
 * for, which alone is woken; without one it goes to the list of the task, as ever.
 *
 * From Plachetka, "(Quasi-) Thread-Safe PVM and (Quasi-) Thread-Safe MPI without Active Polling",
 * 2002. The paper moves the receiver out of the critical section when another thread wants in; here
 * it is outside already.
 */
#ifndef LPVMWAIT_H
#define LPVMWAIT_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <sys/select.h>
#include <sys/time.h>

struct pmsg;

/* A thread that waits; on its stack. */
struct waiter {
    bool answer; /* to a request; no receive, so that it cannot be interrupted */
    int tid;
    int tag;
    int context;           /* of a receive */
    int wait_id;           /* of an answer */
    struct pmsg *message;  /* that it is given */
    int result;            /* what mroute would return */
    bool done;             /* it is out of the queue */
    unsigned long stopped; /* its place in the order of interrupts; 0: it is not stopped */
    sem_t wake;
    struct waiter *next;
};

extern struct critical_section {
    pthread_mutex_t turn; /* held by the next one to get the lock: nobody is passed for ever */
    pthread_mutex_t lock;
    pthread_cond_t receiver; /* there is a receive that can be interrupted */
    unsigned long interrupts;
    struct waiter *first;  /* the queue */
    struct waiter *leader; /* or NULL */
    bool asleep;           /* the leader is in select */
    bool watches;       /* on intr_fd and the sockets, which it does not need if all are stopped */
    unsigned long seen; /* socket_changes when it fell asleep */
    int intr_fd[2];
    bool kept;    /* a wait does not leave the critical section: the task is about to leave PVM */
    int handling; /* message handlers that run; in them nobody can wait */
} critical_section;

/* How often sockets have come or gone; libpvm3 counts. */
extern unsigned long socket_changes;

/* Returns true when the calling thread was outside, which is to be given to critical_leave. */
bool critical_enter(void);
void critical_leave(bool outermost);

/*
 * In place of mroute in receives and requests, with its results. *place becomes the head of the
 * message list, for the list is another one after the wait. wait_answer sends the request, if there
 * is one, or waits for the answer that has its wait id.
 */
int wait_message(int tid, int tag, struct timeval *limit, struct pmsg **place);
int wait_answer(int request, int tid, int tag, int wait_id, struct pmsg **place);

/* For mesg_input: true when a thread in the queue has taken the message. */
bool wait_takes(struct pmsg *message);

/* Inside: the waiter looks through the list. */
void wait_look(struct waiter *waiter);

/* Inside: wakes the waiter, so that it sees what has changed; ends all waits with a result. */
void wait_wake(struct waiter *waiter);
void wait_abandon(int result);

/* What the files of libpvm3 give to this one: its sockets, and how a message is matched. */
int wait_sockets(fd_set *sockets);
int wait_match(int buffer, int tid, int tag);

#endif
