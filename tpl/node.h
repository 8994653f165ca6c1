/*
 * node.h - what a node is made of. One lock guards all of it; PVM is never called under that lock.
 */
#ifndef TPL_NODE_H
#define TPL_NODE_H

#include <pthread.h>

#include "ground.h"
#include "tpl.h"

#define BUCKETS    256 /* of the tables of peers and futures */
#define NODES_MOST 4096

/* What is on its way to one address, by which memory there is bounded. Freed when nothing is. */
struct channel {
    struct channel *next;
    int thread;
    int under_way; /* messages not received, calls not answered */
    int waiting;   /* threads that want room */
    pthread_cond_t room;
};

/* Messages that a thread here has received, for which the sender has no credit yet. */
struct debt {
    struct debt *next;
    int thread;
    int number;
};

/*
 * Another process, or this one. A process that has ended is found no more, and its peer is freed
 * when nobody holds it; but a node of the program stays, marked as dead.
 */
struct peer {
    struct peer *next; /* in its bucket */
    int tid;
    int number; /* of the node, -1 if the node is not of this program */
    int users;  /* calls, futures and jobs that hold it */
    bool dead;
    bool gone;   /* it lives, but is no node as far as is known */
    bool joined; /* a spawned process has become a node: known at node 0 only */
    int sent;    /* for the termination detection, modulo 2^32 */
    int received;
    struct channel *channels; /* to its threads */
    struct debt *debts;       /* of threads here */
};

/* A message in an inbox. */
struct arrived {
    struct tpl_message message; /* first: tpl_free gets its address */
    struct arrived *next;
    int window;       /* of its sender */
    struct tpl *node; /* of a packed one, until that ends, as the next two */
    struct arrived *next_packed;
    struct arrived **place; /* what points to it in the node's list of those */
};

/* What a thread wants to receive. */
struct wanted {
    struct tpl_address from; /* tid 0 is any process, thread TPL_ANY any thread */
    int kind;                /* or TPL_ANY */
};

/* A thread with an address. */
struct member {
    struct member *next;
    struct tpl *node;
    int number;
    struct wanted wanted; /* what it waits for */
    bool waiting;         /* in a receive without a deadline, with nothing that it wants */
    int descriptor;       /* an eventfd, -1 without one */
    bool readable;        /* it is */
    struct arrived *first, **last;
    pthread_cond_t arrival;
};

struct tpl_future {
    struct tpl_future *next; /* in its bucket */
    struct tpl *node;
    struct peer *peer;
    int id;
    bool ready;
    int result;
    struct tpl_message *answer;
    pthread_cond_t arrival;
};

/* Something for the pool: a request, or the news that a node is lost. */
struct job {
    struct tpl_request request; /* first: tpl_answer gets its address */
    struct job *next;
    struct job **place;                /* what points to it in the list of those that have begun */
    const struct tpl_service *service; /* NULL for a lost node, whose number is `id` */
    struct peer *client;
    int id;
    bool told;     /* the client knows what became of it */
    bool returned; /* the handler has */
    bool answered; /* by the program, which has it no more */
};

struct pool {
    struct job *first, **last; /* not begun */
    int queued;                /* of those */
    struct job *begun;         /* requests, until they are answered by the program */
    struct job **running;      /* by worker; NULL when it has none */
    pthread_t *workers;
    int count, idle;
    bool at_once; /* the receiving thread is in a handler */
    bool open;    /* the node knows the others: handlers may run */
    bool ending;
    pthread_cond_t work;
};

/* What tpl_publish has published. */
struct name {
    struct name *next;
    char text[];
};

/* A letter to be sent when the lock is given back. */
struct outgoing {
    struct outgoing *next;
    struct letter letter;
};

/* What the living node with the lowest number knows of one node. */
struct report {
    bool known;
    int serial;
    int *counts; /* for each node: whether it is dead, messages sent to it, received from it */
    bool confirmed;
};

/* Functions that lock.c calls and that stand above it. The lock is held. */
struct node_hooks {
    bool (*before_unlock)(struct tpl *node); /* true if it has done something */
    void (*after_end)(struct tpl *node);     /* node->ended has just been set */
};

struct tpl {
    struct ground ground;
    struct tpl_options options;
    pthread_mutex_t lock;
    const struct node_hooks *hooks;
    pthread_cond_t changed;
    pthread_t receiver, signals;
    pthread_key_t here;
    struct peer *peers[BUCKETS];
    struct tpl_future *futures[BUCKETS];
    int last_future;
    struct member *members;
    int last_member;
    struct arrived *packed; /* messages that have a buffer of PVM */
    struct pool pool;
    struct outgoing *outgoing, **last_outgoing;
    bool flushing;
    struct name *names;
    int count; /* nodes; 0 until they are known */
    int number;
    int parent; /* tid of number 0, 0 there */
    struct peer **nodes;
    int busy;      /* what keeps the node from being idle */
    int inside;    /* threads in a call: the node stays until they have left */
    int ended;     /* TPL_OVER, TPL_STOPPED or what went wrong; 0 before */
    int judge;     /* number of the node that found TPL_OVER, -1 before */
    bool leaving;  /* after TPL_OVER: all nodes know */
    bool reported; /* nothing has changed since the last report */
    int serial;    /* of that */
    struct report *reports;
};

/* lock.c */
void condition_start(pthread_cond_t *condition); /* with the clock of deadlines */
/* A call of the program's begins and ends, with node_lock and node_unlock. */
void node_come(struct tpl *node);
void node_go(struct tpl *node);
void node_lock(struct tpl *node);
/* Sends first what is to be sent. */
void node_unlock(struct tpl *node);
/* Waits for the condition, or sends something: the caller looks again. False after the deadline. */
bool node_sleep(struct tpl *node, pthread_cond_t *condition, const struct timespec *deadline);
/* Everything that waits is woken up. Only the first result counts. */
void node_end(struct tpl *node, int result);
/* A letter whose data, from malloc, are TPL's from now on. */
void node_post(struct tpl *node, const struct letter *letter);
/* Sends without the lock, which is held before and after, data that are the caller's. */
int node_send(struct tpl *node, const struct letter *letter, const void *data);
int node_send_to(struct tpl *node, const struct letter *letter, int *tids, int count,
                 const void *data);
void node_busy(struct tpl *node);
void node_rest(struct tpl *node);

/* peer.c */
struct peer *peer_find(struct tpl *node, int tid); /* NULL if there is none */
struct peer *peer_get(struct tpl *node, int tid);  /* NULL without memory */
struct peer *peer_hold(struct peer *peer);         /* it stays until it is let go */
void peer_let_go(struct peer *peer);
void peer_bury(struct tpl *node, struct peer *peer); /* its process, or its node, has ended */
void peer_note_gone(struct tpl *node, int tid);      /* the process lives on */
bool peer_has_room(const struct tpl *node, const struct peer *peer, int thread);
/* Room in the window to a thread of the peer, waited for; then that much less is left. */
int peer_take_room(struct tpl *node, struct peer *peer, int thread,
                   const struct timespec *deadline);
void peer_give_room(struct peer *peer, int thread, int number);
/* The peer gets credit for messages to a thread here: for so many at once; for one, some time. */
void peer_pay(struct tpl *node, struct peer *peer, int thread, int number);
void peer_owe_credit(struct tpl *node, struct peer *peer, int thread, int window);
void peer_wake(struct peer *peer);
void peers_pay(struct tpl *node, int thread); /* all credit for one that receives no more */
void peers_tell_of_end(struct tpl *node);     /* those that are no nodes of the program */
void peers_free(struct tpl *node);

/* inbox.c */
void inbox_take(struct tpl *node, struct letter *letter); /* its buffer is 0 when it is kept */
void inboxes_take_death(struct tpl *node, int tid); /* for who receives from that process only */
bool inbox_open(struct tpl *node);                  /* the calling thread has an address */
int inbox_number(struct tpl *node);                 /* its number, TPL_POOL without one */
void inboxes_wake(struct tpl *node);
void inboxes_free_buffers(struct tpl *node); /* of messages, wherever they are; without the lock */
void inboxes_free(struct tpl *node);

/* pool.c */
int pool_start(struct tpl *node);
void pool_open(struct tpl *node);
void pool_take_request(struct tpl *node, const struct letter *letter);
void pool_cancel(struct tpl *node, int tid, int id); /* id 0: all of the client */
void pool_tell_lost(struct tpl *node, int number);
void pool_stop(struct tpl *node); /* no request begins any more, and nobody waits for an answer */
void pool_end(struct tpl *node);  /* without the lock */
void pool_free(struct tpl *node);

/* call.c */
void futures_take_answer(struct tpl *node, const struct letter *letter);
void futures_fail(struct tpl *node, const struct peer *peer, int result); /* NULL: all */
void futures_free(struct tpl *node);

/* over.c */
bool over_report_if_idle(struct tpl *node); /* true if it did */
void over_take_report(struct tpl *node, const struct letter *letter);
void over_take_end(struct tpl *node, const struct letter *letter);
void over_take_confirmation(struct tpl *node, const struct letter *letter);
void over_forget_node(struct tpl *node);
void over_free(struct tpl *node);

/* letters.c */
bool node_learn(struct tpl *node, const int *tids, int count); /* the nodes, by their numbers */
void *node_receive(void *node);                                /* what the receiving thread does */

#endif
