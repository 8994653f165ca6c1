/*
 * ground.h - calls PVM in an order that the library beneath allows: the only file that calls it.
 *
 * One thread receives (ground_take), any other may send meanwhile. Errors are those of tpl.h.
 */
#ifndef TPL_GROUND_H
#define TPL_GROUND_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "tpl.h"

/* What letters are about. */
enum letter_type {
    LETTER_NODES,   /* the tids of all nodes, for one that has been spawned */
    LETTER_MESSAGE, /* from thread to thread */
    LETTER_REQUEST, /* `id` is that of the call */
    LETTER_ANSWER,  /* `result` says whether there is one */
    LETTER_CANCEL,  /* a request with this id */
    LETTER_CREDIT,  /* `id` messages to `to` have been received */
    LETTER_REPORT,  /* of an idle node, for the termination detection */
    LETTER_OVER,    /* the program is over, as node `id` found, which wants a confirmation */
    LETTER_CONFIRM, /* that it is over is known */
    LETTER_LEAVE,   /* all know: processes may end */
    LETTER_STOP,    /* all is to end */
    LETTER_GONE,    /* the sender is no node any more, though its process may live */
    LETTER_JOINED,  /* the sender, which was spawned, is a node */
    LETTER_PACKED,  /* from thread to thread, packed with PVM */
    LETTER_WAKE,    /* the receiving thread is to end */
    LETTER_DEATH    /* of the process `peer`; told by PVM */
};

/* What travels before the data of a message. */
struct letter {
    enum letter_type type;
    int peer; /* tid: where it comes from */
    int from; /* threads */
    int to;
    int id;
    int kind;
    int result;
    int window; /* of the sender */
    size_t size;
    void *data; /* from malloc, the receiver's; NULL without any */
    int buffer; /* of LETTER_PACKED: PVM's, the sender's or the receiver's; 0 without any */
};

struct ground {
    enum tpl_ground kind;
    int tid;
    int (*interrupt)(void); /* pvm_interrupt_recv and pvm_resume_recv, if there are any */
    int (*resume)(void);
    pthread_mutex_t lock;   /* the section in which PVM is called; not on TPL_GROUND_SAFE */
    int bell;               /* an eventfd, for TPL_GROUND_GETFDS */
    bool asleep;            /* the receiving thread waits for descriptors and the bell */
    atomic_bool receiving;  /* there is a receiving thread */
    pthread_key_t receives; /* not NULL in that thread */
};

int ground_start(struct ground *ground, enum tpl_ground wanted);

/* For programs linked to libpvm3.a. Null in the shared library, which is made without static.c. */
__attribute__((weak, visibility("hidden"))) void ground_link_interrupt(struct ground *ground);

void ground_finish(struct ground *ground);

/* Other calls of PVM stand between these two. Not to be nested. */
void ground_enter(struct ground *ground);
void ground_leave(struct ground *ground);

/* The calling thread is the one that receives, from now on or no more. */
int ground_begin_receiving(struct ground *ground);
void ground_end_receiving(struct ground *ground);

/* Waits for a letter. 0, or what is wrong: then there will be no other. */
int ground_take(struct ground *ground, struct letter *letter);

/* Sends to the process `peer` of the letter. The result does not tell whether it exists. */
int ground_send(struct ground *ground, const struct letter *letter, const void *data);

/* Sends to other processes, each named once. */
int ground_send_to(struct ground *ground, const struct letter *letter, int *tids, int count,
                   const void *data);

/* A buffer of PVM with the same message, or what is wrong. */
int ground_copy(struct ground *ground, int buffer);
void ground_free(struct ground *ground, int buffer);

/* LETTER_DEATH will come when the process has ended, at once if it does not exist. */
int ground_watch(struct ground *ground, int tid);

/* The tid of the task that spawned this one, 0 if there is none. */
int ground_parent(struct ground *ground);

int ground_spawn(struct ground *ground, const struct tpl_options *options, int *tids);
void ground_kill(struct ground *ground, int tid);

int ground_publish(struct ground *ground, const char *name);
void ground_withdraw(struct ground *ground, const char *name);
/* The tid under the name, or TPL_NOT_FOUND. */
int ground_find(struct ground *ground, const char *name);

#endif
