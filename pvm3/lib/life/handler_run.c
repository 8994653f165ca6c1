/* handler_run.c - runs the function of a message handler, or what the library itself answers. */
#include "lib/life/handler_run.h"

#include "core/control.h"
#include "lib/link/manager_watch.h"
#include "lib/serve/catchout.h"
#include "lib/serve/handler.h"
#include "lib/serve/own_notice.h"
#include "lib/serve/trace_settings.h"
#include "lib/task/active_buffer.h"
#include "lib/task/caller.h"
#include "lib/task/public.h"

/*
 * The message is the active receive buffer and its context the current one while the function runs.
 */
static void handler_call(struct caller *caller, const struct handler *handler,
                         struct message *message)
{
    struct buffer *send = caller->send;
    struct buffer *receive = caller->receive;
    int context = caller->context;
    caller->send = caller->receive = NULL;
    caller->context = message->header.context;
    struct turns_memory turns;
    turns_begin_handler(caller, caller->context, &turns);
    bool outer = caller->handling; /* a function may receive, and so run another */
    bool cancellable = caller->cancellable;
    caller->handling = true;
    caller->cancellable = false;
    const struct message_header header = message->header; /* others may free the buffer then */
    size_t length = message->length;
    int id = active_buffer_receive(caller, message);
    if (id > 0) {
        bool within = trace_enter_handler(caller, &handler->pattern, id, &header, length);
        handler->function(id);
        trace_leave_handler(caller, within);
    } else {
        task_report(caller->task, "pvm_addmhf", id);
    }
    caller->handling = outer;
    caller->cancellable = cancellable;
    buffer_discard_active(caller->task, &caller->receive);
    buffer_discard_active(caller->task, &caller->send);
    buffer_activate(&caller->send, send);
    buffer_activate(&caller->receive, receive);
    caller->context = context;
    turns_end_handler(caller, &turns);
}

/* Some control messages have no effect yet. */
static void handler_run_system(struct task *task, struct message *message)
{
    if (message->header.tag == TC_TASKEXIT)
        manager_watch_take_exit(task, message);
    else if (message->header.tag == TC_OUTPUT || message->header.tag == TC_OUTPUTX)
        catchout_take(task, message);
    else if (message->header.tag >= TC_SETTRACE && message->header.tag <= TC_SETTRCOPT)
        trace_settings_obey(task, message);
    message_free(message);
}

/* An order of another interface, in whatever call the thread is. */
static void handler_carry_out(struct caller *caller, struct message *order)
{
    void (*carry_out)(struct message *, size_t) = atomic_load(&caller->task->other_orders);
    bool cancellable = caller->cancellable, holds_late = caller->holds_late;
    carry_out(order, order->length);
    caller->cancellable = cancellable;
    caller->holds_late = holds_late;
}

void handler_run(void *owner)
{
    struct task *task = owner;
    bool handled;
    struct handler handler;
    struct message *message;
    struct caller *caller = caller_current();
    caller_begin_wait(caller); /* the functions may do anything */
    while ((message = handler_next(&task->handlers, &handled, &handler)) != NULL) {
        if (!handled && message->header.context == TASK_ORDERS)
            handler_carry_out(caller, message);
        else if (handled && handler.function)
            handler_call(caller, &handler, message);
        else if (handled)
            handler_run_system(task, message);
        else
            endpoint_deliver(&task->endpoint, message);
    }
}

void handler_run_last(struct task *task)
{
    const struct pattern any = {
        .source = PATTERN_ANY_SOURCE, .tag = PATTERN_ANY, .context = PATTERN_ANY};
    struct message *message;
    if (atomic_load_explicit(&task->handlers.added, memory_order_relaxed) == 0)
        return;
    own_notice_tell_end(task);
    while (endpoint_poll(&task->endpoint, &any, &message) == 0 && message)
        buffer_drop_message(task, message);
}
