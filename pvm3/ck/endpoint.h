/*
 * endpoint.h - one task's place in the exchange of messages: an inbox, a way out, and the threads
 * that wait at them.
 *
 * It knows tids, messages and patterns, but no call of PVM: another message-passing interface could
 * stand on it (paper 004, the Communication Kernel). At present every message goes through the port
 * to the daemon.
 *
 * Threads: any thread may call any function, except where said.
 */
#ifndef CK_ENDPOINT_H
#define CK_ENDPOINT_H

#include <stdbool.h>
#include <time.h>

#include "ck/inbox.h"
#include "ck/stream_port.h"
#include "ck/wait.h"

/*
 * What the owner of an endpoint does with arrivals. `intercept` sees every message before it is
 * queued, in the thread that leads, without locks; true means that it took the message. It may call
 * endpoint_request_errand to have `errand` called soon by a thread that does not lead. `lost` is
 * called once when the peer of the port goes, with the reason in words, `dropped` when a message is
 * not taken in, likewise. `discard` takes a message that nobody received before endpoint_detach,
 * under the lock of the inbox.
 */
struct endpoint_owner {
    bool (*intercept)(void *owner, struct message *message);
    void (*errand)(void *owner);
    void (*lost)(void *owner, const char *reason);
    void (*dropped)(void *owner, const char *reason);
    void (*discard)(void *owner, struct message *message);
    void *owner;
};

struct endpoint {
    struct waiting waiting; /* its lock guards the inbox and what follows */
    struct inbox inbox;
    struct endpoint_owner owner;
    struct stream_port port;
    bool attached; /* the port is there */
    bool open;     /* for everybody, not only for the calls that introduce the task to its peer */
    bool lost;     /* its peer is gone, or it is being closed: everything fails */
    int users;     /* threads inside a call that uses the port */
    uint32_t gone; /* no call to this tid is answered any more; 0: none was given up */
};

/* 0, or a negative errno when the system has no descriptor left. */
int endpoint_init(struct endpoint *endpoint, const struct endpoint_owner *owner);

/* The endpoint is detached. No thread may use it any more. */
void endpoint_destroy(struct endpoint *endpoint);

/*
 * Takes over `descriptor`, a connected stream socket, as the way to everybody. 0 or a negative
 * errno; then the descriptor stays the caller's. The endpoint must not be attached.
 */
int endpoint_attach(struct endpoint *endpoint, int descriptor);

/*
 * Opens the attached endpoint: until then only endpoint_call with the source TID_ANY, which a task
 * has that is not yet introduced, goes through; everything else fails with PvmSysErr.
 */
void endpoint_open(struct endpoint *endpoint);

/* What becomes readable when something may have come; -1 when the endpoint is not attached. */
int endpoint_descriptor(struct endpoint *endpoint);

/*
 * Lets every waiting thread fail, waits until all have left, closes the port and discards what has
 * arrived.
 */
void endpoint_detach(struct endpoint *endpoint);

/*
 * Sends `count` messages from `source`, nothing of other threads between them. Returns when the
 * system has them all, so that their bodies may change. While the way out is full this thread takes
 * in messages like any other that waits. 0 or PvmSysErr.
 */
int endpoint_send(struct endpoint *endpoint, const struct parcel *parcels, int count,
                  uint32_t source);

/*
 * Sends `request` and waits for the answer: the message that matches `answer`, whose wait id is not
 * 0. *reply is the caller's (message_free). 0, PvmSysErr, or PvmDSysErr (endpoint_give_up).
 */
int endpoint_call(struct endpoint *endpoint, const struct parcel *request, uint32_t source,
                  const struct pattern *answer, struct message **reply);

/*
 * The task `source` is over: calls that wait for its answer fail with PvmDSysErr, and so do calls to
 * it from now on, until the endpoint is attached anew. One task can be given up in that time.
 */
void endpoint_give_up(struct endpoint *endpoint, uint32_t source);

/*
 * Waits for a message that matches until `deadline` (CLOCK_MONOTONIC; NULL: for ever). *message is
 * the caller's, or NULL when time was up. Interruptible (endpoint_interrupt). 0, PvmSysErr, or
 * PvmNoMem when an arriving message found no memory.
 */
int endpoint_receive(struct endpoint *endpoint, const struct pattern *pattern,
                     const struct timespec *deadline, struct message **message);

/*
 * Takes a message that matches if one has come. *message is the caller's, or NULL. 0 or PvmSysErr.
 */
int endpoint_poll(struct endpoint *endpoint, const struct pattern *pattern,
                  struct message **message);

/*
 * Calls `look` with the first message that matches, under the lock of the inbox, if one has come;
 * the message stays queued. Returns what `look` returned, 0 without a message, or PvmSysErr.
 */
int endpoint_probe(struct endpoint *endpoint, const struct pattern *pattern,
                   int (*look)(void *context, struct message *message), void *context);

/*
 * Brackets a use of the ways out, for which endpoint_detach waits. False when there is none, or none
 * yet that all may use (`introduced`). With the lock of the inbox.
 */
bool endpoint_enter(struct endpoint *endpoint, bool introduced);
void endpoint_leave(struct endpoint *endpoint);

/* Queues `message`, which becomes the endpoint's, as if it had just arrived. 0 or PvmNoMem. */
int endpoint_deliver(struct endpoint *endpoint, struct message *message);

/* From intercept only: has owner.errand called. */
void endpoint_request_errand(struct endpoint *endpoint);

/*
 * Interruptible receive: pvm3.h says what pvm_interrupt_recv and pvm_resume_recv do. 0, PvmSysErr
 * or PvmNotFound.
 */
int endpoint_interrupt(struct endpoint *endpoint);
int endpoint_resume(struct endpoint *endpoint);

#endif
