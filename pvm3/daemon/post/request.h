/*
 * request.h - one request to this daemon, of a task or of another daemon, and how it is answered.
 *
 * An answer to a task has the tag, context and wait identifier of the request, one to a daemon has
 * the tag of the answer. A request that makes no sense is logged and refused (request_refuse). A
 * late answer whose requester is gone is dropped.
 */
#ifndef DAEMON_POST_REQUEST_H
#define DAEMON_POST_REQUEST_H

#include "core/control.h"

struct daemon;
struct host;
struct task;

enum request_result {
    REQUEST_DONE,      /* answered, or to be answered later, or needing no answer */
    REQUEST_MALFORMED, /* nothing was done */
};

/* Who asks, and what is needed to answer, also later. */
struct request_origin {
    struct daemon *daemon;
    uint32_t tid;
    int32_t tag; /* of the answer */
    int32_t context;
    int32_t wait;
};

struct request {
    struct daemon *daemon;
    struct task *task; /* NULL: another daemon asks */
    struct request_origin origin;
    const struct message *message;
    struct control_reader body;
};

typedef enum request_result request_handler(struct request *request);

/*
 * An answer to be filled; the second form with another tag than the request's. NULL is fine for
 * control_put_*.
 */
struct message *request_answer(const struct request *request);
struct message *request_answer_to(const struct request_origin *origin);

/*
 * Sends the answer and frees it. An answer that is not whole (memory was short) is dropped with a
 * line on the log.
 */
void request_reply(const struct request *request, struct message *answer);
void request_reply_to(const struct request_origin *origin, struct message *answer);

/*
 * The other host to which a request about the task goes; NULL: it is for this one. A daemon of
 * 3.4.6 asks the host where the task was born, which may know that the task has moved. A daemon of
 * ours asks the host where it last knew the task to live. That host forgets a task that has gone
 * home, and passes the question on all the same.
 */
const struct host *request_way(const struct request *request, uint32_t tid);

/* An answer of one integer. */
enum request_result request_reply_int(const struct request *request, int32_t value);

/*
 * The request makes no sense: a requester that waits for the answer is told PvmBadParam. 3.4.6 lets
 * it wait.
 */
void request_refuse(const struct request_origin *origin);

#endif
