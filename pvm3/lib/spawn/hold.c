/* hold.c - sends an order, and waits for its answer or for the end of the holder. */
#include "lib/spawn/hold.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pvm3.h>

#include "core/tid.h"
#include "lib/link/dialect.h"
#include "lib/link/pvmd_link.h"
#include "lib/serve/printed.h"
#include "lib/spawn/hold_order.h"
#include "lib/spawn/holder.h"
#include "lib/spawn/program.h"
#include "lib/task/caller.h"
#include "lib/task/variables.h"

/* Seconds for a program to make its first call, unless PVM_THREAD_PATIENCE says something else. */
#define PATIENCE_DEFAULT 60

/* Flags that hold for a holder as for any program. */
#define PROGRAM_FLAGS (PvmTaskDebug | PvmTaskTrace | PvmMppFront)

/* Asking. -------------------------------------------------------------------------------------- */

/* Starts the program on the host, in the folder that the order names. The tid or an error. */
static int hold_start(struct hold *hold)
{
    const char *folder = hold->order->where ? strchr(hold->order->where, ':') : NULL;
    char *where;
    if (asprintf(&where, "%s%s", hold->host->hi_name, folder ? folder : "") < 0)
        return PvmNoMem;
    const struct program_order program = {
        .file = hold->program,
        .flags = PvmTaskHost | (hold->order->flags & PROGRAM_FLAGS),
        .where = where,
        .count = 1,
        .holds = true,
    };
    int tid;
    int error = program_start(hold->caller, &program, &tid);
    free(where);
    clock_gettime(CLOCK_MONOTONIC, &hold->deadline);
    hold->deadline.tv_sec +=
        variables_get_number(hold->caller->task, "PVM_THREAD_PATIENCE", PATIENCE_DEFAULT);
    return error < 0 ? error : tid;
}

static int hold_find(struct hold *hold)
{
    int tid = PvmNoFile;
    for (const char *const *name = hold->programs; *name && tid == PvmNoFile; name++) {
        hold->program = *name;
        tid = holder_find(hold->caller->task, (uint32_t)hold->host->hi_tid, *name);
        hold->started = tid == PvmNotFound;
        hold->known = !hold->started;
        if (hold->started)
            tid = hold_start(hold);
    }
    if (tid < 0)
        return tid;
    hold->holder = (uint32_t)tid;
    return PvmOk;
}

static struct message *hold_message(const struct hold *hold)
{
    struct task *task = hold->caller->task;
    struct hold_order order = {
        .tag = hold->tag,
        .program = hold->known ? "" : hold->program,
        .function = hold->function,
        .words = hold->order->words,
        .count = hold->count,
        .hidden_parent = (hold->order->flags & PvmNoSpawnParent) != 0,
        .context = caller_context(hold->caller),
        .guest = hold->guest,
    };
    lock_acquire(&task->options_lock);
    order.sinks = task->child_sinks;
    lock_release(&task->options_lock);
    return hold_order_put(&order);
}

/* The notice of an end and the answer have the same tag, which no other order of the task has. */
static int hold_ask(struct hold *hold)
{
    struct task *task = hold->caller->task;
    hold->tag = CONTROL_HELD(atomic_fetch_add(&task->next_wait, 1));
    int error = pvmd_link_watch(task, PvmTaskExit, hold->tag, hold->holder);
    return error < 0 ? error : pvmd_link_tell(task, hold_message(hold), hold->holder);
}

/* Finds a holder and asks it. 0 or an error. */
static int hold_try(struct hold *hold)
{
    int error = hold_find(hold);
    return error < 0 ? error : hold_ask(hold);
}

void hold_begin(struct hold *hold)
{
    hold->error = hold_try(hold);
}

/* What comes back. ----------------------------------------------------------------------------- */

/* Waits for a message about the order. *message is NULL after the deadline, or on failure. */
static int hold_receive(struct hold *hold, uint32_t source, const struct timespec *deadline,
                        struct message **message)
{
    const struct pattern pattern = {
        .source = source, .tag = hold->tag, .context = CONTROL_CONTEXT_TC};
    *message = NULL;
    struct endpoint *endpoint = &hold->caller->task->endpoint;
    turns_begin_wait(hold->caller);
    int result = endpoint_poll(endpoint, &pattern, message); /* however late it is */
    if (result == 0 && !*message)
        result = endpoint_receive(endpoint, &pattern, deadline, message);
    turns_end_wait(hold->caller);
    return dialect_result(result);
}

/* The pvmd is about to send the notice of the end of the task that was asked. */
static void hold_take_notice(struct hold *hold)
{
    struct message *notice;
    hold_receive(hold, TID_OWN_DAEMON, NULL, &notice);
    message_free(notice);
}

/* When a request for a notice is cancelled, the pvmd sends the notice at once. */
static void hold_watch_no_more(struct hold *hold)
{
    if (pvmd_link_watch(hold->caller->task, PvmTaskExit | PvmNotifyCancel, hold->tag,
                        hold->holder) == 0)
        hold_take_notice(hold);
}

/* The task that was asked takes no orders any more: asks the next holder. */
static int hold_try_again(struct hold *hold)
{
    struct task *task = hold->caller->task;
    if (hold->known)
        holder_bury(task, (uint32_t)hold->host->hi_tid, hold->program, hold->holder);
    return hold_try(hold);
}

/* Frees the message. */
static int hold_heed(struct hold *hold, struct message *message)
{
    struct hold_answer answer;
    hold_answer_get(message, &answer, hold->results, hold->count);
    message_free(message);
    if (answer.error < 0)
        return answer.error;
    if (answer.place == 0)
        return hold_try_again(hold);
    if ((uint32_t)answer.place == hold->holder) {
        printed_know(hold->caller->task, answer.place);
        hold->holder = 0;
        return PvmOk;
    }
    hold->holder = (uint32_t)answer.place;
    hold->started = hold->known = false;
    return hold_ask(hold);
}

/* The program that this call has started has made no call of the library in time. */
static int hold_end_stranger(struct hold *hold)
{
    if (pvmd_link_signal(hold->caller->task, (int)hold->holder, SIGKILL) == 0)
        hold_take_notice(hold);
    return PvmNoFile;
}

/* The task that was asked has ended. It may have answered before. */
static int hold_mourn(struct hold *hold)
{
    struct message *answer;
    const struct pattern pattern = {
        .source = hold->holder, .tag = hold->tag, .context = CONTROL_CONTEXT_TC};
    int error = dialect_result(endpoint_poll(&hold->caller->task->endpoint, &pattern, &answer));
    if (error < 0)
        return error;
    if (answer)
        return hold_heed(hold, answer);
    return hold->started ? PvmNoFile : hold_try_again(hold);
}

/* Waits for one message, and does what follows from it. 0 or an error. */
static int hold_go_on(struct hold *hold)
{
    struct message *message;
    bool patient = !hold->started || (hold->order->flags & PvmTaskDebug);
    int error = hold_receive(hold, PATTERN_ANY_SOURCE, patient ? NULL : &hold->deadline, &message);
    if (error < 0)
        return error;
    if (!message)
        return hold_end_stranger(hold);
    if (message->header.source != TID_OWN_DAEMON) {
        hold_watch_no_more(hold);
        return hold_heed(hold, message);
    }
    message_free(message);
    return hold_mourn(hold);
}

void hold_end(struct hold *hold)
{
    while (hold->error == 0 && hold->holder != 0)
        hold->error = hold_go_on(hold);
    for (int i = 0; hold->error < 0 && i < hold->count; i++)
        hold->results[i] = hold->error;
}
