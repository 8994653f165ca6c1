/*
 * tpl.h - TPL, the Thread Parallel Library: programs whose processes compute and serve.
 *
 * Source of the purpose: Plachetka, "(Quasi-) Thread-Safe PVM and (Quasi-) Thread-Safe MPI without
 * Active Polling", 2002, sections 3 and 4: a process computes in one thread (T1) and serves in
 * another (T2), the library is called in an order that is safe, and nothing polls. With TPL the
 * author of a program need not think of this order: any thread may call the functions below.
 *
 * A process is a node. It has one thread of TPL's own that receives, and a pool of threads that
 * handle requests; the rest is the program's. TPL stands on PVM and runs on three grounds:
 *   safe       our libpvm3, or another that is thread-safe (has pvm_threadsafe): nothing is locked
 *   interrupt  3.4.6 with pvm_interrupt_recv and pvm_resume_recv: the receiving thread sleeps in
 *              pvm_recv and is interrupted for the time of other calls
 *   getfds     3.4.6 as it is: the receiving thread sleeps on pvm_getfds and a doorbell, outside
 *              the section in which PVM is called
 * The environment variable TPL_GROUND, or struct tpl_options, chooses; otherwise the best there is.
 * On the last two a program calls PVM itself only between tpl_enter and tpl_leave.
 *
 * Results: functions that return int give 0 (TPL_OK) or more on success and one of enum tpl_result
 * on failure, for which tpl_strerror has words. Memory: what is given to a function is the caller's
 * and copied; what a function gives says below to whom it belongs. All sizes are in bytes, below
 * 2^31. A null pointer where a result or the options belong is TPL_BAD. Bytes travel as they are:
 * between machines of different data formats a program agrees on one itself. All functions may be
 * called by any thread, also at the same time, and by handlers, from tpl_start until tpl_finish.
 *
 * Bounded memory: of a process or thread that has gone nothing is kept; what is on its way to an
 * address is bounded by the window of each that sends there; handlers run in a bounded number of
 * threads. Nothing sleeps to look again. Only tpl_start (see `patience`) and calls with a deadline
 * wait with a time limit. A process may be one node after the other.
 */
#ifndef TPL_H
#define TPL_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

enum tpl_result {
    TPL_OK = 0,
    TPL_BAD = -1,          /* an argument that makes no sense */
    TPL_NO_MEMORY = -2,    /* here or at the peer */
    TPL_NO_PVM = -3,       /* there is no pvmd, or it is lost */
    TPL_NOT_FOUND = -4,    /* no such name, or the node has no such service */
    TPL_DEAD = -5,         /* the peer's process ended, or is no node any more */
    TPL_LATE = -6,         /* the deadline passed */
    TPL_CANCELLED = -7,    /* by tpl_cancel */
    TPL_REFUSED = -8,      /* by the handler, with tpl_refuse */
    TPL_OVER = -9,         /* all nodes are idle: the program is over */
    TPL_STOPPED = -10,     /* tpl_stop was called, here or at another node, or a signal came */
    TPL_NOT_SPAWNED = -11, /* not all nodes could be started */
    TPL_EXISTS = -12,      /* the process is a node already: call tpl_finish first */
    TPL_NOT_NODES = -13    /* a spawned process did not become a node: it has to call tpl_start */
};

/* What a result means, in English; never NULL. */
const char *tpl_strerror(int result);

struct tpl; /* a node: this process's part of a program */

/*
 * A thread, or the pool of a node, anywhere in the virtual machine. PVM's addresses are those of
 * processes; TPL adds the number of a thread.
 */
struct tpl_address {
    int tid;
    int thread; /* TPL_POOL, TPL_MAIN, or what tpl_here gave another thread */
};

#define TPL_POOL 0 /* where requests go */
#define TPL_MAIN 1 /* the thread that called tpl_start */
#define TPL_ANY  (-1)

/* A message that has come. It belongs to who received it, until tpl_free. */
struct tpl_message {
    struct tpl_address from;
    int kind;    /* the program's own; what a handler answered with, for an answer */
    size_t size; /* of the data */
    void *data;  /* aligned for every type; may be NULL when the size is 0 */
    int buffer;  /* of a message that was packed with PVM, see tpl_send_packed; otherwise 0 */
};

void tpl_free(struct tpl_message *message); /* NULL is nothing */

/* Serving. ------------------------------------------------------------------------------------- */

/*
 * A request that is being served. It is answered once, by tpl_answer or tpl_refuse, in the handler
 * or later, by any thread; until then it and its data are the program's to read.
 */
struct tpl_request {
    struct tpl *node; /* at which it is served */
    struct tpl_address from;
    int kind;
    size_t size;
    void *data;
};

/*
 * Handles a request, in a thread of the pool. It may call everything, and block; then another
 * thread of the pool goes on, up to the bound of tpl_options. `argument` is that of the service.
 * Any process of the user can make requests: look at `size` before `data`. An address that it takes
 * with tpl_here ends when it returns.
 */
typedef void tpl_handler(struct tpl_request *request, void *argument);

struct tpl_service {
    int kind;
    tpl_handler *handler; /* NULL ends an array of services */
    void *argument;
    /* The requests of each thread of a client are handled one after the other, in their order. */
    bool in_order;
    /*
     * The handler is short and waits for nobody: it makes no call, sends to no thread. Then it
     * needs no thread of the pool, but runs in the one that receives, and so gets on however many
     * requests wait in the pools. Not with in_order, which counts then.
     */
    bool prompt;
};

/*
 * Answers a request, whose memory is TPL's then, but in its handler until that returns. TPL_DEAD or
 * TPL_STOPPED if nobody waits any more: the client has ended, or has been told that the program was
 * stopped. After TPL_BAD it is still to be answered.
 */
int tpl_answer(struct tpl_request *request, int kind, const void *data, size_t size);

/* Like tpl_answer, but the call fails: it returns TPL_REFUSED. */
int tpl_refuse(struct tpl_request *request);

/* A node and its end. -------------------------------------------------------------------------- */

enum tpl_ground { TPL_GROUND_BEST, TPL_GROUND_SAFE, TPL_GROUND_INTERRUPT, TPL_GROUND_GETFDS };

struct tpl_options {
    /*
     * How many nodes the program has. With more than one, the process that is not spawned starts
     * the others by pvm_spawn and is number 0; the spawned processes call tpl_start with the same
     * value of `nodes`.
     */
    int nodes;
    int patience;        /* seconds in which the spawned processes have to become nodes; 0: 60 */
    const char *program; /* what the others run */
    char **arguments;    /* theirs; ends with NULL; may be NULL */
    const char *where;   /* pvm_spawn's, with the flags below; may be NULL */
    int flags;
    const struct tpl_service *services; /* this node's; may be NULL. To stay until tpl_finish */
    int workers;                        /* threads of the pool at most; 0: twice the processors */
    int window;                         /* messages or calls on their way to one address; 0: 64 */
    enum tpl_ground ground;
    bool signals; /* SIGINT and SIGTERM stop the program; they stay blocked in the calling thread */
    /*
     * A node of the program has died; called once for each, in a thread of the pool. May be NULL.
     * While the program is stopped a node may count as dead that only was quicker to end.
     */
    void (*lost)(struct tpl *node, int number, void *argument);
    void *lost_argument;
};

/*
 * Becomes a node, and enrols the process in PVM, which only pvm_exit leaves. Returns when all nodes
 * of the program know each other; requests of others may be handled before. The calling thread is
 * TPL_MAIN. A process is one node at a time. A failure ends the nodes that were spawned: TPL_BAD
 * (also when the ground that is wanted cannot be had), TPL_NO_PVM, TPL_NO_MEMORY, TPL_NOT_SPAWNED,
 * TPL_EXISTS, TPL_DEAD when the node that spawned this one has died, TPL_STOPPED. TPL_NOT_NODES
 * when a spawned process ended before it became a node, or did not within `patience`.
 */
int tpl_start(struct tpl **node, const struct tpl_options *options);

int tpl_count(const struct tpl *node);  /* nodes of the program */
int tpl_number(const struct tpl *node); /* of this one, from 0 */
/*
 * The address of a node's pool or thread. If the node does not exist, no function accepts the
 * address.
 */
struct tpl_address tpl_address(const struct tpl *node, int number, int thread);
bool tpl_is_alive(struct tpl *node, int number);
enum tpl_ground tpl_ground(const struct tpl *node);

/*
 * Waits until the whole program is over, then ends the node: the distributed termination detection.
 * All nodes call it, with their main threads. It returns everywhere when every node is idle - its
 * main thread is in tpl_finish, its other threads that have an address wait in a receive without a
 * deadline, no request is being handled or unanswered, no call waits for its answer - and no
 * message is on its way. Those other threads get TPL_OVER. Nodes that died are not waited for;
 * messages of clients that are no nodes of the program are not either.
 *
 * How: a node that becomes idle tells the living one with the lowest number how many messages it
 * has sent to and received from each node. When what each living node has sent to each other one is
 * what that has received, the program is over. (Mattern, "Algorithms for distributed termination
 * detection", Distributed Computing 2, 1987: vector counters.) Proof idea: reports are made at
 * different times, so suppose that some node became busy again after its report. Take the first
 * that did. A message made it so, which it had not received when it reported. Its sender had not
 * become busy again, so it sent the message before its own report, which counts it. The counts
 * differ.
 *
 * The node that has found it tells the others, and lets them go when all have confirmed that they
 * know. If it dies before, each that knows tells all others before it goes: PVM gives word of an
 * end behind the messages that came before it. So nobody takes one that has gone for one that has
 * died.
 *
 * Returns 0, TPL_STOPPED after tpl_stop, TPL_NO_PVM, or TPL_NO_MEMORY: a node that had too little
 * of it ends by itself, and has died as far as the others can see. In every case the node does
 * not exist any more. Calls that other threads are in return before; later ones are not allowed, so
 * threads that go on after a stop are to be joined first (tpl_run waits for it). Before it returns,
 * the names that the node has published are withdrawn; requests that came and are not answered fail
 * at their callers with TPL_STOPPED, and are no longer the program's; and processes beside the
 * program that had to do with the node hear that it is none any more: their calls, and later ones,
 * fail with TPL_DEAD until they find the process by a name again, or it writes to them. Only one
 * that has not had to do with it, and knows its address from elsewhere, waits as long as the
 * process stays in PVM (pvm_exit ends that). A message to a node that has just left goes to the
 * next node that the process becomes, if it becomes one: so a call may be handled although it has
 * failed with TPL_DEAD.
 */
int tpl_finish(struct tpl *node);

/*
 * Ends the program at once: calls that block return TPL_STOPPED, at all nodes, and so do the calls
 * of clients beside the program whose requests have not been answered. A request that is being
 * handled is handled to its end; others do not begin.
 */
void tpl_stop(struct tpl *node);

/*
 * Serves until the program is stopped: for servers, before tpl_finish. TPL_STOPPED, TPL_NO_PVM or
 * TPL_NO_MEMORY; TPL_OVER never, as a node in here is not idle.
 */
int tpl_run(struct tpl *node);

/* Messages between threads. -------------------------------------------------------------------- */

/*
 * The address of the calling thread, which can receive from then on; its `thread` is TPL_NO_MEMORY
 * on failure. Threads without one send from the address of the pool.
 */
struct tpl_address tpl_here(struct tpl *node);

/* The calling thread ends, or wants no address any more: it is not waited for by tpl_finish. */
void tpl_retire(struct tpl *node);

/*
 * Sends to a thread. Messages from one thread to another one arrive in order. Waits while as many
 * as the window allows have not been received: so memory is bounded. A message to a thread that
 * does not exist, or no longer exists, is dropped. 0, TPL_BAD, TPL_DEAD, TPL_STOPPED, TPL_OVER,
 * TPL_NO_PVM or TPL_NO_MEMORY.
 */
int tpl_send(struct tpl *node, struct tpl_address to, int kind, const void *data, size_t size);

/*
 * Sends to each of `count` threads: a multicast, for which the data are packed once. Order and
 * windows are as with tpl_send. A failure for one thread does not keep the message from the others;
 * the result is then the first failure.
 */
int tpl_multicast(struct tpl *node, const struct tpl_address *to, int count, int kind,
                  const void *data, size_t size);

/*
 * Typed data: sends what the program has packed with PVM into a buffer, to `count` threads, of
 * which there may be one. The receiver gets a message without bytes, but with a buffer:
 *
 *   tpl_enter(node);                                tpl_enter(node);
 *   buffer = pvm_mkbuf(PvmDataDefault);             before = pvm_setrbuf(message->buffer);
 *   before = pvm_setsbuf(buffer);                   pvm_upkdouble(values, count, 1);
 *   pvm_pkdouble(values, count, 1);                 pvm_setrbuf(before);
 *   pvm_setsbuf(before);                            tpl_leave(node);
 *   tpl_leave(node);                                tpl_free(message);
 *   tpl_send_packed(node, &to, 1, kind, buffer);
 *
 * The buffer of the sender stays the sender's, as it is. That of the receiver is the message's:
 * tpl_free frees it, not between tpl_enter and tpl_leave. tpl_finish frees the buffers that are
 * left; their messages then have the buffer 0. On the last two grounds (above) a buffer that is
 * active at tpl_leave may be lost. TPL_BAD also if there is no such buffer.
 */
int tpl_send_packed(struct tpl *node, const struct tpl_address *to, int count, int kind,
                    int buffer);

/*
 * Receives what the calling thread gets of this kind, or TPL_ANY, in order of arrival. `deadline`
 * is a time of CLOCK_MONOTONIC, or NULL for none. 0, TPL_LATE, TPL_OVER, TPL_STOPPED, TPL_NO_PVM or
 * TPL_NO_MEMORY; `message` is NULL then.
 */
int tpl_receive(struct tpl *node, int kind, const struct timespec *deadline,
                struct tpl_message **message);

/*
 * Receives only what comes from the thread `from`, or, if its `thread` is TPL_ANY, from any thread
 * of its process. When the process has ended, or is no node any more, and nothing that it has sent
 * is left, the result is TPL_DEAD: messages first, then the death. TPL_BAD for an address that is
 * none; otherwise as tpl_receive.
 */
int tpl_receive_from(struct tpl *node, struct tpl_address from, int kind,
                     const struct timespec *deadline, struct tpl_message **message);

/*
 * A descriptor for event loops, which is readable while messages wait for the calling thread, or
 * when all is over or stopped: then tpl_receive with any kind and a deadline of {0, 0} does not
 * return TPL_LATE. It is the thread's alone and TPL's: poll it, but neither read nor close it. It
 * is there until tpl_retire or tpl_finish. A thread that waits there is not idle for tpl_finish.
 * TPL_BAD, or TPL_NO_MEMORY also when there are no descriptors left.
 */
int tpl_descriptor(struct tpl *node);

/* So many milliseconds from now, for a deadline. */
struct timespec tpl_after(long milliseconds);

/* Calls. --------------------------------------------------------------------------------------- */

struct tpl_future; /* an answer that will come */

/*
 * Calls the service `kind` of the node that has the address and waits for its answer, which is the
 * caller's to free; NULL for `answer` drops it. Waits first while as many calls to the address as
 * the window allows are unanswered. The death of the peer fails the call at once: TPL_DEAD. 0,
 * TPL_BAD, TPL_NOT_FOUND, TPL_REFUSED, TPL_LATE, after which the answer is dropped, TPL_STOPPED,
 * TPL_OVER, TPL_NO_PVM or TPL_NO_MEMORY; `answer` is NULL then.
 */
int tpl_call(struct tpl *node, struct tpl_address to, int kind, const void *data, size_t size,
             const struct timespec *deadline, struct tpl_message **answer);

/*
 * Begins a call, when there is room in the window. The future is to be awaited or cancelled, once,
 * by any thread, before tpl_finish. NULL for `future` makes a request whose answer nobody wants.
 */
int tpl_ask(struct tpl *node, struct tpl_address to, int kind, const void *data, size_t size,
            struct tpl_future **future);

/*
 * Waits for the answer as tpl_call does. The future does not exist any more, except after TPL_LATE.
 */
int tpl_await(struct tpl_future *future, const struct timespec *deadline,
              struct tpl_message **answer);

/* Whether tpl_await would return at once. */
bool tpl_is_ready(struct tpl_future *future);

/*
 * Gives a call up: the peer does not begin it any more, but goes on when it has. The future does
 * not exist any more. No thread may be waiting for it.
 */
void tpl_cancel(struct tpl_future *future);

/* Names. --------------------------------------------------------------------------------------- */

/*
 * Publishes the calling node's pool under a name, in the mailboxes of PVM, until tpl_finish, or the
 * end of the process. TPL_REFUSED if another process has it.
 */
int tpl_publish(struct tpl *node, const char *name);

/* The address of a service by its name. TPL_NOT_FOUND if nobody has published it, TPL_NO_PVM. */
int tpl_find(struct tpl *node, const char *name, struct tpl_address *address);

/* PVM beside TPL. ------------------------------------------------------------------------------ */

/*
 * Between tpl_enter and tpl_leave a thread may call PVM on every ground; it must not block in a
 * receive. Messages of TPL have a context of their own: no receive of the program takes them.
 */
void tpl_enter(struct tpl *node);
void tpl_leave(struct tpl *node);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
