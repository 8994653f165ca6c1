/*
 * move.c - how a task that is a user-level process goes on in another process, as pvmulp has it do
 * (lib/task/own_program.h).
 *
 * In the old process the task retires, asks the pvmd to leave, and packs what it has. What was
 * packed stays until the task is known to live in the new one: so it may stay after all. In the new
 * process it has neither a gate nor neighbours that know it: it is reached by the daemon.
 */
#include <limits.h>
#include <pvm3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ck/base/cancel.h"
#include "core/control.h"
#include "core/tid.h"
#include "lib/life/belongings.h"
#include "lib/life/enrolment.h"
#include "lib/life/tasks.h"
#include "lib/link/dialect.h"
#include "lib/link/move_order.h"
#include "lib/link/pvmd_link.h"
#include "lib/link/results.h"
#include "lib/serve/handler.h"
#include "lib/serve/printed.h"
#include "lib/task/own_program.h"

/* The order. ----------------------------------------------------------------------------------- */

uint32_t own_program_destination(void)
{
    const struct caller *caller = caller_current();
    if (!caller)
        return 0;
    uint32_t host = atomic_load_explicit(&caller->task->move.host, memory_order_acquire);
    bool parks =
        host == 0 && atomic_load_explicit(&caller->task->park.wanted, memory_order_acquire);
    return parks ? OWN_PROGRAM_PARKS : host;
}

void own_program_stays(int code, const char *why)
{
    HOLD_OFF_CANCELLATION;
    move_order_refuse(caller_self()->task, code, why);
}

void *own_program_put_off(void)
{
    HOLD_OFF_CANCELLATION;
    struct task *task = caller_self()->task;
    move_order_put_off(task);
    return task;
}

void own_program_call_in(void *order)
{
    move_order_call_in(order);
}

void own_program_may_move(bool may)
{
    caller_self()->may_move = may;
}

/* Leaving. ------------------------------------------------------------------------------------- */

static int move_ask(struct task *task, struct message *request)
{
    struct message *answer;
    int result = pvmd_link_exchange(task, request, true, &answer);
    return result < 0 ? result : pvmd_link_take_int(answer);
}

static int move_ask_to_leave(struct task *task, uint32_t host, int32_t region)
{
    struct message *request = pvmd_link_request(CONTROL_LEAVE);
    control_put_tid(request, host);
    control_put_int(request, region);
    return move_ask(task, request);
}

/* It lives on in this process. */
static void move_return(struct task *task)
{
    handler_hold(task, false);
    move_order_return(task);
}

static int move_stay(struct task *task)
{
    int result = move_ask(task, pvmd_link_request(CONTROL_STAY));
    if (result == CONTROL_STAYS)
        move_return(task);
    return result;
}

int own_program_stay(void)
{
    HOLD_OFF_CANCELLATION;
    return move_stay(caller_self()->task);
}

/* Nothing comes any more: packs what has come. */
static int move_pack(struct caller *caller, void **state, size_t *size, const char **why)
{
    struct luggage luggage = {.bytes = NULL};
    *why = "a message to it is still on its way";
    if (!endpoint_settle(&caller->task->endpoint))
        return PvmSysErr;
    belongings_put(caller, &luggage);
    *why = "it has no memory to pack what it has";
    if (luggage.failed) {
        free(luggage.bytes);
        return PvmNoMem;
    }
    *state = luggage.bytes;
    *size = luggage.size;
    return PvmOk;
}

/* Leaves, and comes back if not all is there. PvmSysErr: another try may help. */
static int move_try(struct caller *caller, uint32_t host, int32_t region, void **state,
                    size_t *size, const char **why)
{
    endpoint_retire(&caller->task->endpoint);
    handler_hold(caller->task, true); /* behind the question the task sends nothing */
    int result = move_ask_to_leave(caller->task, host, region);
    *why = "the pvmd does not let it go";
    if (result < 0) {
        move_return(caller->task);
        return result == PvmSysErr ? PvmDSysErr : result;
    }
    result = move_pack(caller, state, size, why);
    if (result < 0 && move_stay(caller->task) != CONTROL_STAYS)
        return PvmDSysErr;
    return result;
}

int own_program_leave(uint32_t host, int32_t region, void **state, size_t *size, const char **why)
{
    HOLD_OFF_CANCELLATION;
    struct caller *caller = caller_self();
    *why = belongings_hindrance(caller);
    if (*why)
        return PvmDenied;
    trace_flush(caller->task);
    int result = PvmSysErr;
    for (int tries = 0; tries < 2 && result == PvmSysErr; tries++)
        result = move_try(caller, host, region, state, size, why);
    return result;
}

void own_program_part(void)
{
    HOLD_OFF_CANCELLATION;
    struct task *task = caller_self()->task;
    results_leave_behind(task);
    lock_acquire(&task->options_lock);
    task->program = &task_of_process; /* its memory is no good any more */
    lock_release(&task->options_lock);
    atomic_store(&task->leased, false);
    printed_drop(task);
    enrolment_drop(task);
}

/* Arriving. ------------------------------------------------------------------------------------ */

/* The task that stands for the process, to which it belongs for the pvmd. */
static int move_tell_arrival(struct task *holder, int tid)
{
    struct message *request = pvmd_link_request(CONTROL_ARRIVE);
    control_put_int(request, tid);
    return move_ask(holder, request);
}

/* Who records the program's own events sees from here on where the task runs. */
static void move_trace(struct caller *caller)
{
    char host[HOST_NAME_MAX + 1] = "", text[HOST_NAME_MAX + 16];
    struct message *event =
        trace_wants(caller->task, TEV_USER_DEFINED) ? control_new(0, 0, 0) : NULL;
    if (!event)
        return;
    gethostname(host, sizeof host - 1);
    snprintf(text, sizeof text, "moved to %s", host);
    event->header.source = (uint32_t)atomic_load(&caller->task->tid);
    if (trace_begin_user_event(event) == PvmOk) {
        control_put_string(event, text);
        trace_send_user(caller, event);
    }
    message_free(event);
}

int own_program_arrive(const void *state, size_t size, const char **why)
{
    HOLD_OFF_CANCELLATION;
    struct caller *caller = caller_self();
    struct task *task = caller->task, *holder = task->process->first;
    struct luggage_reader reader = {.next = state, .rest = size};
    int tid = belongings_get_tid(&reader);
    *why = "another release of the library has packed it";
    if (tid == 0)
        return PvmNotImpl;
    *why = "the process has no connection that it could share";
    if (!enrolment_join_lease(task, (struct lent){.tid = tid}, holder))
        return PvmSysErr;
    *why = "there is no memory for what it has";
    int result = belongings_get(caller, &reader) ? PvmOk : PvmNoMem;
    if (result == PvmOk) {
        *why = "the pvmd does not let it in";
        result = move_tell_arrival(holder, tid);
    }
    if (result == PvmOk) {
        atomic_store(&task->move.becomes, 0);
        process_name_thread(task);
        move_order_return(task);
        move_trace(caller);
    } else {
        own_program_part();
    }
    return result;
}
