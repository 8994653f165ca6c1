/*
 * trace.h - tells a trace sink what the program calls, and with what result.
 *
 * A call of the program is two events, its entry and its exit; calls that it makes within are none.
 * traced_calls.c does this for every public function:
 *
 *     struct trace_call call;
 *     if (!trace_begin(&call, TEV_SEND))
 *         return untraced_send(tid, tag);
 *     trace_entry(&call, length, tid, tag, context);
 *     return trace_result(&call, untraced_send(tid, tag));
 *
 * When nothing is traced, trace_begin is two relaxed loads. Otherwise an event is written whole,
 * under the lock of tracing, and sent when that lock has been given back, by one thread at a time:
 * a reader gets the description of an event before its records.
 *
 * Threads: any thread may call anything. Nothing here fails: what cannot be told is lost, with a
 * line on stderr when memory is the reason; a lost pvmd is noticed by the call itself.
 */
#ifndef LIB_TASK_TRACE_H
#define LIB_TASK_TRACE_H

#include <stdbool.h>
#include <sys/time.h>

#include "ck/base/lock.h"
#include "ck/base/sleepers.h"
#include "core/match.h"
#include "lib/task/abi.h"

struct caller;
struct message;
struct task;

/* What was spent in a call, and how many of its events there were (PvmTraceTime, PvmTraceCount). */
struct trace_total {
    struct timeval time;
    int count;
};

/* The tracing of a task. */
struct trace {
    struct lock lock;         /* LOCK_TRACING: guards all below */
    struct sleepers progress; /* until a message has been sent */
    struct message *open;     /* events that do not fill a message yet, or NULL */
    bool bracketed;           /* those stand between buffer marks */
    struct message *first;    /* messages to be sent, in order, linked by next */
    struct message *last;
    int queued;                           /* messages there */
    bool sending;                         /* a thread sends what is there */
    int described_to;                     /* the sink that knows what follows */
    unsigned char described[TEV_MAX + 1]; /* edges, as their second byte has them */
    struct trace_total *totals;           /* of each event; NULL: nothing has been counted */
};

/* One call, on the stack of the public function. */
struct trace_call {
    struct caller *caller;
    int event;
    struct timeval began;
};

/* A field of an event: `count` items of a type TEV_DATA_... at `data`. */
struct trace_field {
    int id;   /* TEV_DID_... */
    int type; /* with TEV_DATA_ARRAY when it has a count */
    int count;
    const void *data;
};

#define TRACE_FIELDS_LIMIT 8

void trace_init(struct trace *trace);
void trace_finish(struct trace *trace);

/*
 * The events themselves. The values are those of the fields that trace_layout.h names for the
 * event, in order: an int, a const char * (NULL counts as empty), a const void * for an address,
 * and for an array its count, an int, and a pointer to its items.
 */
void trace_entry(struct trace_call *call, ...);
void trace_exit(struct trace_call *call, ...);

/* The exit of a call whose only field is its result, which is returned. */
int trace_result(struct trace_call *call, int result);

/* The end of a call that has no exit event. */
void trace_end(struct trace_call *call);

/*
 * Around a message handler: its own calls are traced even though it runs within a call. The message
 * has this header and length. Returns what trace_leave_handler takes.
 */
bool trace_enter_handler(struct caller *caller, const struct pattern *pattern, int bufid,
                         const struct message_header *header, size_t length);
void trace_leave_handler(struct caller *caller, bool within);

/* Writes one event from its fields; trace_abi.c has fields without a layout. */
void trace_write(struct trace_call *call, int edge, const struct trace_field *fields, int count);

/* Whether events go to anyone. A task does not tell itself of itself. */
bool trace_has_sink(const struct task *task);

/* Whether events of this kind are wanted. */
bool trace_wants(const struct task *task, int event);

/* Sends what has gathered, totals included, and waits until all of it is sent. */
void trace_flush(struct task *task);

/*
 * Writes the head of a user event into an empty message with the encoding of trace events. 0 or
 * PvmNoMem.
 */
int trace_begin_user_event(struct message *message);

/*
 * Sends `message`, which holds what the program packed for it, as a user event if user events are
 * wanted. 0, PvmSysErr or PvmNoMem.
 */
int trace_send_user(struct caller *caller, const struct message *message);

#endif
