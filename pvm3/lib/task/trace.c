/* trace.c - events: which are wanted, how they are written, and their way out. */
#include "lib/task/trace.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <pvm3.h>

#include "core/control.h"
#include "core/encode.h"
#include "lib/task/caller.h"
#include "lib/task/lock_ranks.h"
#include "lib/task/task.h"
#include "lib/task/trace_layout.h"

/* So many messages may wait to be sent before the threads that make more have to wait. */
#define QUEUE_LIMIT 64

void trace_init(struct trace *trace)
{
    lock_init(&trace->lock, LOCK_TRACING);
    sleepers_start(&trace->progress);
}

void trace_finish(struct trace *trace)
{
    free(trace->totals);
    message_free(trace->open);
    while (trace->first) {
        struct message *message = trace->first;
        trace->first = message->next;
        message_free(message);
    }
    sleepers_finish(&trace->progress);
    lock_destroy(&trace->lock);
}

/* What is wanted. ------------------------------------------------------------------------------ */

static int trace_number(const int *field)
{
    return __atomic_load_n(field, __ATOMIC_RELAXED);
}

bool trace_has_sink(const struct task *task)
{
    int sink = trace_number(&task->own_sinks.trctid);
    int own = atomic_load(&task->tid);
    return sink > 0 && own > 0 && sink != own;
}

bool trace_wants(const struct task *task, int event)
{
    char bits = __atomic_load_n(&task->own_sinks.tmask[event / 4], __ATOMIC_RELAXED);
    return trace_has_sink(task) && (bits & (1 << (event & 3))) != 0;
}

/* Takes the lock of tracing, and a copy of the settings that nobody changes in between. */
static void trace_lock(struct task *task, struct Pvmtracer *settings)
{
    lock_acquire(&task->options_lock);
    *settings = task->own_sinks;
    lock_acquire(&task->trace.lock);
    lock_release(&task->options_lock);
}

/* The way out. --------------------------------------------------------------------------------- */

/*
 * Sends what is queued, unless another thread is sending it; the order of the queue is kept. With
 * the lock, which is given up meanwhile. A handler that runs while this thread sends may come here
 * again: it leaves its events to the send that it interrupts.
 */
static void trace_send(struct caller *caller)
{
    struct task *task = caller->task;
    struct trace *trace = &task->trace;
    while (trace->sending && trace->queued > QUEUE_LIMIT && !caller->sends_trace)
        sleepers_sleep(&trace->progress, &trace->lock, NULL);
    if (trace->sending)
        return;
    trace->sending = caller->sends_trace = true;
    while (trace->first) {
        struct message *message = trace->first;
        trace->first = message->next;
        message->next = NULL;
        trace->queued--;
        lock_release(&trace->lock);
        const struct parcel parcel = {message, message->header.destination};
        endpoint_send(&task->endpoint, &parcel, false);
        message_free(message);
        lock_acquire(&trace->lock);
        sleepers_wake_all(&trace->progress);
    }
    trace->sending = caller->sends_trace = false;
    sleepers_wake_all(&trace->progress);
}

/* Queues a whole message for the sink. With the lock. */
static void trace_queue(struct trace *trace, struct message *message,
                        const struct Pvmtracer *settings)
{
    message->header.tag = settings->trctag;
    message->header.context = settings->trcctx;
    message->header.destination = (uint32_t)settings->trctid;
    message->next = NULL;
    *(trace->first ? &trace->last->next : &trace->first) = message;
    trace->last = message;
    trace->queued++;
}

/*
 * Ends the open message. Events that were described in a message that is lost have to be described
 * anew.
 */
static void trace_close(struct task *task, const struct Pvmtracer *settings)
{
    struct trace *trace = &task->trace;
    struct message *message = trace->open;
    trace->open = NULL;
    if (trace->bracketed)
        control_put_int(message, TEV_MARK_EVENT_BUFFER_END);
    if (control_is_whole(message)) {
        trace_queue(trace, message, settings);
        return;
    }
    message_free(message);
    memset(trace->described, 0, sizeof trace->described);
    task_print(task, "no memory for trace events: some are lost");
}

/* Events as text on the wire. ------------------------------------------------------------------ */

static int trace_item_type(int type)
{
    static const int types[] = {
        [TEV_DATA_BYTE] = PVM_BYTE,     [TEV_DATA_CPLX] = PVM_CPLX,
        [TEV_DATA_DCPLX] = PVM_DCPLX,   [TEV_DATA_DOUBLE] = PVM_DOUBLE,
        [TEV_DATA_FLOAT] = PVM_FLOAT,   [TEV_DATA_INT] = PVM_INT,
        [TEV_DATA_UINT] = PVM_UINT,     [TEV_DATA_LONG] = PVM_LONG,
        [TEV_DATA_ULONG] = PVM_ULONG,   [TEV_DATA_SHORT] = PVM_SHORT,
        [TEV_DATA_USHORT] = PVM_USHORT,
    };
    return types[type & ~TEV_DATA_ARRAY];
}

static void trace_put_data(struct message *message, const struct trace_field *field)
{
    int count = field->count > 0 ? field->count : 0;
    if ((field->type & ~TEV_DATA_ARRAY) == TEV_DATA_STRING) {
        const char *const *strings = field->data;
        for (int i = 0; i < count; i++)
            control_put_string(message, strings[i] ? strings[i] : "");
        return;
    }
    control_put_items(message, trace_item_type(field->type), field->data, count);
}

static void trace_put_field(struct message *message, const struct trace_field *field,
                            bool described)
{
    if (described) {
        control_put_int(message, field->id);
        control_put_int(message, field->type);
    }
    if (field->type & TEV_DATA_ARRAY)
        control_put_int(message, field->count);
    trace_put_data(message, field);
}

static void trace_put_number(struct message *message, int id, int value, bool described)
{
    const struct trace_field field = {id, TEV_DATA_INT, 1, &value};
    trace_put_field(message, &field, described);
}

/* What all events begin with: their number, the time, the task. */
static void trace_put_head(struct task *task, struct message *message, int event, bool described,
                           const struct timeval *now)
{
    control_put_int(message, described ? TEV_MARK_EVENT_DESC : TEV_MARK_EVENT_RECORD);
    control_put_int(message, event);
    if (described)
        control_put_string(message, pvmtevinfo[event & ~(TEV_EVENT_ENTRY | TEV_EVENT_EXIT)].name);
    trace_put_number(message, TEV_DID_TS, (int)now->tv_sec, described);
    trace_put_number(message, TEV_DID_TU, (int)now->tv_usec, described);
    trace_put_number(message, TEV_DID_TID, atomic_load(&task->tid), described);
}

/* True the first time that the sink is told this event. With the lock. */
static bool trace_is_new(struct trace *trace, const struct Pvmtracer *settings, int event, int edge)
{
    if (trace->described_to != settings->trctid)
        memset(trace->described, 0, sizeof trace->described);
    trace->described_to = settings->trctid;
    unsigned char told = (unsigned char)(edge >> 8);
    bool new = !(trace->described[event] & told);
    trace->described[event] |= told;
    return new;
}

/* The message for the next event. With the lock. */
static struct message *trace_open(struct trace *trace, const struct Pvmtracer *settings)
{
    if (!trace->open) {
        trace->open = control_new(0, 0, 0);
        trace->bracketed = settings->trcbuf > 0;
        if (trace->bracketed)
            control_put_int(trace->open, TEV_MARK_EVENT_BUFFER);
    }
    return trace->open;
}

/* One event in full. With the lock. */
static void trace_put_event(struct task *task, const struct Pvmtracer *settings, int event,
                            int edge, const struct timeval *now, const struct trace_field *fields,
                            int count)
{
    struct trace *trace = &task->trace;
    struct message *message = trace_open(trace, settings);
    bool described = trace_is_new(trace, settings, event, edge);
    trace_put_head(task, message, event | edge, described, now);
    for (int i = 0; i < count; i++)
        trace_put_field(message, &fields[i], described);
    control_put_int(message, described ? TEV_MARK_EVENT_DESC_END : TEV_MARK_EVENT_RECORD_END);
    if (!control_is_whole(message) || !trace->bracketed ||
        message->length >= (size_t)settings->trcbuf)
        trace_close(task, settings);
}

/* With the lock. */
static void trace_count(struct task *task, const struct trace_call *call, int edge,
                        const struct timeval *now)
{
    struct trace *trace = &task->trace;
    if (!trace->totals)
        trace->totals = calloc(TEV_MAX + 1, sizeof *trace->totals);
    if (!trace->totals) {
        task_print(task, "no memory to count trace events: some are lost");
        return;
    }
    struct trace_total *total = &trace->totals[call->event];
    struct timeval spent;
    total->count++;
    if (edge != TEV_EVENT_EXIT)
        return;
    timersub(now, &call->began, &spent);
    timeradd(&total->time, &spent, &total->time);
}

void trace_write(struct trace_call *call, int edge, const struct trace_field *fields, int count)
{
    struct task *task = call->caller->task;
    struct Pvmtracer settings;
    struct timeval now;
    gettimeofday(&now, NULL);
    if (edge == TEV_EVENT_ENTRY)
        call->began = now;
    trace_lock(task, &settings);
    if (settings.trcopt == PvmTraceFull)
        trace_put_event(task, &settings, call->event, edge, &now, fields, count);
    else if (settings.trcopt == PvmTraceTime || settings.trcopt == PvmTraceCount)
        trace_count(task, call, edge, &now);
    trace_send(call->caller);
    lock_release(&task->trace.lock);
}

/* Totals. -------------------------------------------------------------------------------------- */

struct trace_summary {
    int count;
    const char *names[TEV_MAX + 1];
    int seconds[TEV_MAX + 1];
    int microseconds[TEV_MAX + 1];
    int counts[TEV_MAX + 1];
};

/* Takes the totals out. With the lock. */
static void trace_sum_up(struct trace *trace, struct trace_summary *summary)
{
    summary->count = 0;
    for (int event = TEV_FIRST; trace->totals && event <= TEV_MAX; event++) {
        const struct trace_total *total = &trace->totals[event];
        if (total->count == 0)
            continue;
        summary->names[summary->count] = pvmtevinfo[event].name;
        summary->seconds[summary->count] = (int)total->time.tv_sec;
        summary->microseconds[summary->count] = (int)total->time.tv_usec;
        summary->counts[summary->count++] = total->count;
    }
    free(trace->totals);
    trace->totals = NULL;
}

/* Totals are an event that always describes itself. With the lock. */
static void trace_put_totals(struct task *task, const struct Pvmtracer *settings)
{
    const int list = TEV_DATA_INT | TEV_DATA_ARRAY;
    struct trace_summary summary;
    struct timeval now;
    bool timed = settings->trcopt == PvmTraceTime;
    trace_sum_up(&task->trace, &summary);
    gettimeofday(&now, NULL);
    const struct trace_field fields[] = {
        {TEV_DID_VCT, TEV_DATA_INT, 1, &summary.count},
        {TEV_DID_VID, TEV_DATA_STRING | TEV_DATA_ARRAY, summary.count, summary.names},
        {TEV_DID_TGS, list, summary.count, summary.seconds},
        {TEV_DID_TGU, list, summary.count, summary.microseconds},
        {TEV_DID_PRF, list, summary.count, summary.counts},
    };
    struct message *message = task->trace.open = control_new(0, 0, 0);
    task->trace.bracketed = false;
    trace_put_head(task, message, timed ? TEV_TIMING : TEV_PROFILING, true, &now);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (timed || (fields[i].id != TEV_DID_TGS && fields[i].id != TEV_DID_TGU))
            trace_put_field(message, &fields[i], true);
    control_put_int(message, TEV_MARK_EVENT_DESC_END);
    trace_close(task, settings);
}

void trace_flush(struct task *task)
{
    struct caller *caller = caller_current();
    struct trace *trace = &task->trace;
    struct Pvmtracer settings;
    if (!trace_has_sink(task))
        return;
    trace_lock(task, &settings);
    if (trace->open)
        trace_close(task, &settings);
    if (settings.trcopt == PvmTraceTime || settings.trcopt == PvmTraceCount)
        trace_put_totals(task, &settings);
    trace_send(caller);
    while ((trace->sending || trace->first) && !caller->sends_trace)
        sleepers_sleep(&trace->progress, &trace->lock, NULL);
    lock_release(&trace->lock);
}

/* Calls. --------------------------------------------------------------------------------------- */

/* Where the values of fields are kept while their event is written. */
union trace_value {
    int number;
    long address;
    const char *string;
};

static void trace_take(struct trace_field *field, int id, union trace_value *value, va_list *values)
{
    *field = (struct trace_field){.id = id, .type = trace_field_type(id), .count = 1};
    if (field->type & TEV_DATA_ARRAY) {
        field->count = va_arg(*values, int);
        field->data = va_arg(*values, const void *);
        return;
    }
    if (field->type == TEV_DATA_STRING)
        value->string = va_arg(*values, const char *);
    else if (field->type == TEV_DATA_LONG)
        value->address = (int32_t)(intptr_t)va_arg(*values, const void *); /* as XDR has room */
    else
        value->number = va_arg(*values, int);
    field->data = value;
}

static void trace_event(struct trace_call *call, int edge, va_list *values)
{
    if (!trace_wants(call->caller->task, call->event))
        return;
    const struct trace_layout *layout = trace_layout(call->event, edge);
    struct trace_field fields[TRACE_FIELDS_LIMIT];
    union trace_value kept[TRACE_FIELDS_LIMIT];
    for (int i = 0; i < layout->count; i++)
        trace_take(&fields[i], layout->ids[i], &kept[i], values);
    trace_write(call, edge, fields, layout->count);
}

void trace_entry(struct trace_call *call, ...)
{
    va_list values;
    va_start(values, call);
    trace_event(call, TEV_EVENT_ENTRY, &values);
    va_end(values);
}

void trace_exit(struct trace_call *call, ...)
{
    va_list values;
    va_start(values, call);
    trace_event(call, TEV_EVENT_EXIT, &values);
    va_end(values);
    trace_end(call);
}

int trace_result(struct trace_call *call, int result)
{
    trace_exit(call, result);
    return result;
}

void trace_end(struct trace_call *call)
{
    call->caller->traced = false;
}

bool trace_enter_handler(struct caller *caller, const struct pattern *pattern, int bufid,
                         const struct message_header *header, size_t length)
{
    bool within = caller->traced;
    struct trace_call call = {.caller = caller, .event = TEV_MHF_INVOKE};
    trace_entry(&call, (int)pattern->source, pattern->tag, pattern->context, bufid, (int)length,
                header->tag, header->context, (int)header->source);
    caller->traced = false;
    return within;
}

void trace_leave_handler(struct caller *caller, bool within)
{
    caller->traced = within;
}

/* User events. --------------------------------------------------------------------------------- */

int trace_begin_user_event(struct message *message)
{
    struct timeval now;
    gettimeofday(&now, NULL);
    message->header.encoding = MESSAGE_XDR; /* what follows has no types in front of it */
    control_put_int(message, TEV_MARK_USER_EVENT_RECORD);
    control_put_int(message, TEV_USER_DEFINED);
    control_put_string(message, pvmtevinfo[TEV_USER_DEFINED].name);
    control_put_int(message, (int)now.tv_sec);
    control_put_int(message, (int)now.tv_usec);
    bool whole = control_is_whole(message);
    message->header.encoding = MESSAGE_TRACE;
    return whole ? PvmOk : PvmNoMem;
}

int trace_send_user(struct caller *caller, const struct message *message)
{
    static const int end = TEV_MARK_USER_EVENT_RECORD_END;
    struct task *task = caller->task;
    struct Pvmtracer settings;
    if (!trace_wants(task, TEV_USER_DEFINED))
        return PvmOk;
    struct message *event = message_view(message);
    if (!event)
        return PvmNoMem;
    if (message->header.encoding == MESSAGE_TRACE)
        event->header.encoding = MESSAGE_XDR;
    int error = encode_pack(event, PVM_INT, &end, 1, 1);
    event->header.encoding = message->header.encoding;
    if (error < 0) {
        message_free(event);
        return error;
    }
    trace_lock(task, &settings);
    trace_queue(&task->trace, event, &settings);
    trace_send(caller);
    lock_release(&task->trace.lock);
    return PvmOk;
}
