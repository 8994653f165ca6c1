/* options.c - where each option is kept, and what setting it means. */
#include "lib/serve/options.h"

#include <stddef.h>
#include <stdio.h>

#include "core/encode.h"
#include "lib/link/pvmd_link.h"
#include "lib/serve/mailbox.h"
#include "lib/task/abi.h"
#include "lib/task/public.h"

#define FRAGMENT_SIZE_MIN 52
#define FRAGMENT_SIZE_MAX 1048576

#define OF_TASK(field)     offsetof(struct task, options.field)
#define OF_CHILDREN(field) offsetof(struct task, child_sinks.field)
#define OF_SELF(field)     offsetof(struct task, own_sinks.field)

/* Where in the task an option is kept; 0 for numbers that are no option. */
static const size_t places[] = {
    [PvmRoute] = OF_TASK(route),
    [PvmDebugMask] = OF_TASK(debug_mask),
    [PvmFragSize] = OF_TASK(fragment_size),
    [PvmResvTids] = OF_TASK(reserved_tids),
    [PvmShowTids] = OF_TASK(show_tids),
    [PvmNoReset] = OF_TASK(no_reset),
    [PvmOutputTid] = OF_CHILDREN(outtid),
    [PvmOutputContext] = OF_CHILDREN(outctx),
    [PvmOutputCode] = OF_CHILDREN(outtag),
    [PvmTraceTid] = OF_CHILDREN(trctid),
    [PvmTraceContext] = OF_CHILDREN(trcctx),
    [PvmTraceCode] = OF_CHILDREN(trctag),
    [PvmTraceBuffer] = OF_CHILDREN(trcbuf),
    [PvmTraceOptions] = OF_CHILDREN(trcopt),
    [PvmSelfOutputTid] = OF_SELF(outtid),
    [PvmSelfOutputContext] = OF_SELF(outctx),
    [PvmSelfOutputCode] = OF_SELF(outtag),
    [PvmSelfTraceTid] = OF_SELF(trctid),
    [PvmSelfTraceContext] = OF_SELF(trcctx),
    [PvmSelfTraceCode] = OF_SELF(trctag),
    [PvmSelfTraceBuffer] = OF_SELF(trcbuf),
    [PvmSelfTraceOptions] = OF_SELF(trcopt),
};

/* Where an option is kept; NULL when there is no such option. With the lock. */
static int *option_place(struct task *task, int what)
{
    if (what < 0 || (size_t)what >= sizeof places / sizeof *places || places[what] == 0)
        return NULL;
    return (int *)(void *)((char *)task + places[what]);
}

int options_get(struct task *task, int what)
{
    if (what == PvmAutoErr)
        return atomic_load(&task->auto_error);
    lock_acquire(&task->options_lock);
    const int *place = option_place(task, what);
    int value = place ? *place : PvmBadParam;
    lock_release(&task->options_lock);
    return place ? value : task_report(task, "pvm_getopt", value);
}

/* A sink may be nobody, the task itself, or the one that it inherited. With the lock. */
static bool option_is_sink(int tid, int own, int inherited, bool same)
{
    return tid == 0 || (own > 0 && tid == own) || (tid == inherited && same);
}

/* Whether the value may be set. With the lock. */
static int option_check(const struct task *task, int what, int value)
{
    const struct Pvmtracer *sinks = &task->own_sinks, *child = &task->child_sinks;
    int own = atomic_load(&task->tid);
    switch (what) {
    case PvmRoute:
        return value >= PvmDontRoute && value <= PvmRouteDirect ? PvmOk : PvmBadParam;
    case PvmFragSize:
        return value >= FRAGMENT_SIZE_MIN && value <= FRAGMENT_SIZE_MAX ? PvmOk : PvmBadParam;
    case PvmTraceOptions:
    case PvmSelfTraceOptions:
        return value >= PvmTraceFull && value <= PvmTraceCount ? PvmOk : PvmBadParam;
    case PvmOutputTid:
        return option_is_sink(value, own, sinks->outtid,
                              child->outctx == sinks->outctx && child->outtag == sinks->outtag)
                   ? PvmOk
                   : PvmBadParam;
    case PvmTraceTid:
        return option_is_sink(value, own, sinks->trctid,
                              child->trcctx == sinks->trcctx && child->trctag == sinks->trctag)
                   ? PvmOk
                   : PvmBadParam;
    case PvmOutputCode:
        return child->outtid == 0 || child->outtid == own || value == sinks->outtag ? PvmOk
                                                                                    : PvmBadParam;
    case PvmOutputContext:
        return child->outtid == 0 || child->outtid == own || value == sinks->outctx ? PvmOk
                                                                                    : PvmBadParam;
    case PvmTraceCode:
        return child->trctid == 0 || child->trctid == own || value == sinks->trctag ? PvmOk
                                                                                    : PvmBadParam;
    case PvmTraceContext:
        return child->trctid == 0 || child->trctid == own || value == sinks->trcctx ? PvmOk
                                                                                    : PvmBadParam;
    case PvmSelfOutputContext:
    case PvmSelfTraceContext:
    case PvmPollType:
    case PvmPollTime:
        return PvmNotImpl;
    default:
        return PvmOk;
    }
}

/* An option and its value, as hexadecimal text. */
static void option_put(struct message *request, int option, int value)
{
    char text[16];
    snprintf(text, sizeof text, "%x", (unsigned)value);
    control_put_int(request, option);
    control_put_string(request, text);
}

static int option_ask(struct task *task, struct message *request)
{
    struct message *answer;
    int error = pvmd_link_call(task, request, &answer);
    message_free(answer);
    return error;
}

/* Tells the pvmd where the task's own output or trace goes now. */
static int option_tell(struct task *task, int option, int value)
{
    struct message *request = pvmd_link_request(TM_SETOPT);
    option_put(request, option, value);
    return option_ask(task, request);
}

/*
 * Of output or trace, whose options follow each other alike from `first`. The tid comes last: with
 * it the sink counts.
 */
static void option_put_sink(struct message *request, int first, int tid, int context, int tag)
{
    option_put(request, first + OPTION_OUTPUT_CONTEXT - OPTION_OUTPUT_TID, context);
    option_put(request, first + OPTION_OUTPUT_TAG - OPTION_OUTPUT_TID, tag);
    option_put(request, first, tid);
}

int options_tell_sinks(struct task *task)
{
    lock_acquire(&task->options_lock);
    struct Pvmtracer sinks = task->own_sinks;
    lock_release(&task->options_lock);
    if (sinks.outtid <= 0 && sinks.trctid <= 0)
        return PvmOk;
    struct message *request = pvmd_link_request(TM_SETOPT);
    if (sinks.outtid > 0)
        option_put_sink(request, OPTION_OUTPUT_TID, sinks.outtid, sinks.outctx, sinks.outtag);
    if (sinks.trctid > 0)
        option_put_sink(request, OPTION_TRACE_TID, sinks.trctid, sinks.trcctx, sinks.trctag);
    return option_ask(task, request);
}

/* Children follow a sink of the task. With the lock. */
static void option_lead_children(struct task *task, int what)
{
    const struct Pvmtracer *sinks = &task->own_sinks;
    struct Pvmtracer *child = &task->child_sinks;
    if (what == PvmSelfOutputTid || what == PvmSelfOutputCode) {
        abi_set_number(&child->outtid, sinks->outtid);
        abi_set_number(&child->outctx, sinks->outctx);
        abi_set_number(&child->outtag, sinks->outtag);
    }
    if (what == PvmSelfTraceTid || what == PvmSelfTraceCode) {
        abi_set_number(&child->trctid, sinks->trctid);
        abi_set_number(&child->trcctx, sinks->trcctx);
        abi_set_number(&child->trctag, sinks->trctag);
    }
}

/* What has gathered goes where and as it was meant to. */
static bool option_ends_tracing(int what)
{
    return what == PvmSelfTraceTid || what == PvmSelfTraceBuffer || what == PvmSelfTraceOptions;
}

/* What setting an option of the task itself means beyond the library. */
static int option_follow(struct task *task, int what, int value, int before)
{
    lock_acquire(&task->options_lock);
    int output = task->own_sinks.outtid, trace = task->own_sinks.trctid;
    option_lead_children(task, what);
    task_show(task);
    lock_release(&task->options_lock);
    switch (what) {
    case PvmRoute:
        atomic_store(&task->endpoint.routing, (enum routing)value);
        return PvmOk;
    case PvmSelfOutputTid:
        return value > 0 || before > 0 ? option_tell(task, OPTION_OUTPUT_TID, value) : PvmOk;
    case PvmSelfOutputCode:
        return output > 0 ? option_tell(task, OPTION_OUTPUT_TAG, value) : PvmOk;
    case PvmSelfTraceTid:
        return value > 0 || before > 0 ? option_tell(task, OPTION_TRACE_TID, value) : PvmOk;
    case PvmSelfTraceCode:
        return trace > 0 ? option_tell(task, OPTION_TRACE_TAG, value) : PvmOk;
    default:
        return PvmOk;
    }
}

/* Being left alone by a reset is an entry in a mailbox that names the task. */
static int option_set_no_reset(struct task *task, int wanted)
{
    if (atomic_load(&task->enrolment) != TASK_ENROLLED)
        return PvmBadParam;
    int tid = atomic_load(&task->tid);
    lock_acquire(&task->options_lock);
    int before = task->options.no_reset;
    task->options.no_reset = wanted;
    lock_release(&task->options_lock);
    if (!before == !wanted)
        return before;
    struct message message;
    message_init(&message, MESSAGE_XDR, MESSAGE_FRAGMENT_DEFAULT);
    int result = encode_pack(&message, PVM_INT, &tid, 1, 1);
    if (result == 0 && wanted) {
        result =
            task_result(task, "pvm_putinfo",
                        mailbox_put(task, PVMNORESETCLASS, -1, PvmMboxMultiInstance, &message));
        lock_acquire(&task->options_lock);
        task->options.no_reset_index = result;
        lock_release(&task->options_lock);
    } else if (result == 0) {
        lock_acquire(&task->options_lock);
        int index = task->options.no_reset_index;
        lock_release(&task->options_lock);
        result = mailbox_remove(task, PVMNORESETCLASS, index, PvmMboxDefault);
    }
    message_finish(&message);
    return result < 0 ? result : before;
}

/*
 * The code of a sink that does not exist cannot be set. As in 3.4.6 this is no error. With the
 * lock.
 */
static bool option_has_no_sink(const struct task *task, int what)
{
    return (what == PvmSelfOutputCode && task->own_sinks.outtid <= 0) ||
           (what == PvmSelfTraceCode && task->own_sinks.trctid <= 0);
}

static int option_set(struct task *task, int what, int value)
{
    if (what == PvmNoReset)
        return option_set_no_reset(task, value);
    if (option_ends_tracing(what))
        trace_flush(task);
    lock_acquire(&task->options_lock);
    int *place = option_place(task, what);
    int before = place ? *place : PvmBadParam;
    int error = option_check(task, what, value);
    bool idle = option_has_no_sink(task, what);
    if (place && error == 0 && !idle)
        abi_set_number(place, value);
    lock_release(&task->options_lock);
    if (idle)
        return 0;
    if (error < 0 || !place)
        return error < 0 ? error : PvmBadParam;
    error = option_follow(task, what, value, before);
    return error < 0 ? error : before;
}

int options_set(struct task *task, int what, int value)
{
    if (what == PvmAutoErr)
        return atomic_exchange(&task->auto_error, value);
    int before = option_set(task, what, value);
    /*
     * A value before may be negative; only codes that option_set returns for errors are reported.
     */
    if (before == PvmBadParam || before == PvmNotImpl || before == PvmSysErr)
        return task_report(task, "pvm_setopt", before);
    return before;
}

void options_put(struct task *task, struct luggage *luggage)
{
    luggage_put_int(luggage, atomic_load(&task->auto_error));
    lock_acquire(&task->options_lock);
    luggage_put(luggage, &task->options, sizeof task->options);
    luggage_put(luggage, &task->own_sinks, sizeof task->own_sinks);
    luggage_put(luggage, &task->child_sinks, sizeof task->child_sinks);
    lock_release(&task->options_lock);
}

void options_get_again(struct task *task, struct luggage_reader *reader)
{
    struct Pvmtracer own, child;
    atomic_store(&task->auto_error, luggage_get_int(reader));
    lock_acquire(&task->options_lock);
    luggage_get(reader, &task->options, sizeof task->options);
    luggage_get(reader, &own, sizeof own);
    luggage_get(reader, &child, sizeof child);
    abi_set_tracer(&task->own_sinks, &own);
    abi_set_tracer(&task->child_sinks, &child);
    task_show(task);
    atomic_store(&task->endpoint.routing, (enum routing)task->options.route);
    lock_release(&task->options_lock);
}
