/*
 * request.h - something that was posted at an endpoint and may not be done yet: a receive, a send,
 * or a call, which is both.
 *
 * A request is posted, then tested or waited for until it is done, perhaps cancelled, and freed.
 * Requests go on in whatever thread is in a call of the endpoint, and stand still while none is.
 * The calls of an endpoint that block (ck/endpoint/endpoint.h) are a request and a wait.
 *
 * Order. Receives get messages in the order in which they were posted. To its destination a message
 * counts as sent when its send was posted; for the order between several tasks of a host, when the
 * program was told that the send is done.
 *
 * A wait descriptor tells of messages in the inbox, and not of requests
 * (ck/wait/wait_descriptor.h).
 *
 * Waits. A thread that waits for a receive may be stopped (endpoint_interrupt) and cancelled like
 * one in endpoint_receive. A thread that leaves a wait by cancellation or by siglongjmp leaves the
 * request as it is.
 *
 * Threads: any thread may call anything, for a request that is not freed. At most one thread waits
 * for a request at a time; others may test or cancel it. endpoint_detach, which waits for threads
 * inside a call, lets all requests fail; meanwhile no thread begins a call for a request. Requests
 * are freed before endpoint_destroy.
 */
#ifndef CK_REQUESTS_REQUEST_H
#define CK_REQUESTS_REQUEST_H

#include "ck/endpoint/endpoint.h"
#include "ck/inbox/loan.h"
#include "ck/peers/way.h"

struct request;

/* Posting. 0 and a *request, which the caller frees; or CK_LOST or CK_NO_MEMORY. --------------- */

/*
 * A receive of a message that matches. A peer may write the message to `memory`, of `size` bytes,
 * if that is not NULL: until the request is done, the contents of `memory` are undefined.
 */
int request_post_receive(struct endpoint *endpoint, const struct pattern *pattern, void *memory,
                         size_t size, struct request **request);

/*
 * Likewise, but a message counts as received as soon as the request has it: its sender gets a
 * receipt though nobody takes the message yet.
 */
int request_post_accepting(struct endpoint *endpoint, const struct pattern *pattern, void *memory,
                           size_t size, struct request **request);

/*
 * A send, which is done when the system has all of the message. Until then the message stays as it
 * is, and the caller's. This may wait while a direct route to the destination is agreed on, but not
 * for a destination that does not read.
 */
int request_post_send(struct endpoint *endpoint, const struct parcel *parcel,
                      struct request **request);

/* Likewise, but *request is NULL when the send is done at once. Its failure is the result then. */
int request_try_send(struct endpoint *endpoint, const struct parcel *parcel,
                     struct request **request);

/*
 * A send, and a receive of the answer: done with both. `introduced` as in endpoint_call; the
 * wait id of `answer` is not 0. CK_PEER_OVER as endpoint_call.
 */
int request_post_call(struct endpoint *endpoint, const struct parcel *parcel, bool introduced,
                      const struct pattern *answer, struct request **request);

/*
 * A send that is done when a receive of the destination has the message. Its wait id, which is not
 * 0 and differs from those of other requests, comes back with the receipt that the dialect of the
 * destination makes. CK_NOT_FOUND if the own dialect makes no receipts.
 */
int request_post_synchronous(struct endpoint *endpoint, const struct parcel *parcel,
                             struct request **request);

/* Asking. -------------------------------------------------------------------------------------- */

/*
 * Whether the request is done, with or without success, after a look at what has come. Does not
 * wait for messages, but for a peer that writes to the memory of the request just then.
 */
bool request_test(struct request *request);

/*
 * Waits until the request is done, or until `deadline` (CLOCK_MONOTONIC; NULL: for ever), or until
 * the thread is called back (endpoint_recall). Whether it is done.
 */
bool request_wait(struct request *request, const struct timespec *deadline);

/* Likewise, of a thread that stands by meanwhile (wait.h): it waits only for that otherwise. */
void request_stand_by(struct request *request);

/* Waits for all of `count` requests, among which NULL may be. */
bool request_wait_all(struct request *const *requests, int count, const struct timespec *deadline);

/*
 * Waits for one of `count` requests, among which NULL may be, and returns its index: the first that
 * is done. CK_NOT_FOUND when time was up or there is no request at all, or CK_NO_MEMORY.
 */
int request_wait_any(struct request *const *requests, int count, const struct timespec *deadline);

/* Whether the request is done, without a look. */
bool request_is_over(struct request *request);

/* 0 for a request that is done and has succeeded, otherwise why not: CK_CANCELLED among others. */
int request_result(const struct request *request);

/* Ending. -------------------------------------------------------------------------------------- */

/*
 * Ends a request that is not done. False if it is, or if a part of its message is out. A thread
 * that waits for it goes on. Of a call that is out nothing is taken back, only the answer is not
 * awaited any more.
 */
bool request_cancel(struct request *request);

/*
 * The message that a receive or a call has got, which is the caller's now; NULL if there is no
 * message. The request is done. The body may lie in the memory of the request: message_is_at tells.
 */
struct message *request_take(struct request *request);

/* request_take and request_free in one, for a receive. */
struct message *request_take_last(struct request *request);

/* Likewise; the message does not count as received before endpoint_accept, as after endpoint_claim. */
struct message *request_claim(struct request *request);

/*
 * Cancels the request, or waits for a send that has begun to go out, and frees it. A message that
 * was not taken goes back to its place among the others. NULL is allowed.
 */
void request_free(struct request *request);

/* Between the files of an endpoint. With the lock. --------------------------------------------- */

struct request {
    struct receiver receiver; /* its waiter is done when the request is, but for a call's send */
    struct endpoint *endpoint;
    struct loan loan;          /* what a peer may write to; without memory: nothing */
    bool settled;              /* it holds nothing of a port: no memory lent, no peer in use */
    bool settling;             /* a thread sees to that */
    struct request *unsettled; /* the next of those that are not settled */
    struct request *next;      /* of those that a thread waits for together (request_wait_any) */
    bool attended;             /* a thread waits for it */
    bool receives;             /* a receive or a call */
    bool sends;                /* the rest counts: a send or a call */
    struct outgoing outgoing;
    struct parcel parcel;
    struct sending held;
};

/* A request that is not posted yet, for what matches. NULL without memory. */
struct request *request_new(struct endpoint *endpoint, const struct pattern *pattern);

/* Posts what the request receives; `memory` as above. */
void request_open(struct request *request, void *memory, size_t size);

/*
 * Withdraws the request and frees it. Returns its message. May wait like request_test. Without the
 * lock by a thread that was relieved (wait.h): its request holds nothing of a port.
 */
struct message *request_end(struct request *request);

/* request_end for a thread that does not return: the message goes back to its place. */
void request_discard(struct request *request);

/* While endpoint_detach lets no thread in: no request holds anything of a port any more. */
void request_settle_all(struct endpoint *endpoint);

/* The request that a waiter of a receiver belongs to. */
static inline struct request *request_of(struct waiter *waiter)
{
    return (struct request *)(void *)((char *)waiter - offsetof(struct request, receiver.waiter));
}

#endif
