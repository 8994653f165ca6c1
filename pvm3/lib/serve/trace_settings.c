/*
 * trace_settings.c - what is traced, and where it is told: what a tracer orders, and the tracer
 * that tasks find when they enrol.
 */
#include "lib/serve/trace_settings.h"

#include <stdlib.h>
#include <string.h>

#include "core/control.h"
#include "lib/serve/mailbox.h"
#include "lib/serve/options.h"
#include "lib/task/own_program.h"
#include "lib/task/public.h"
#include "lib/task/variables.h"

/* Masks. --------------------------------------------------------------------------------------- */

void trace_settings_change_mask(struct task *task, struct Pvmtracer *settings, const char *mask)
{
    lock_acquire(&task->options_lock);
    abi_set_mask(settings->tmask, mask);
    task_show(task);
    lock_release(&task->options_lock);
}

bool trace_settings_is_mask(const char *text)
{
    return text && strlen(text) == TEV_MASK_LENGTH - 1;
}

/* Enrolment. ----------------------------------------------------------------------------------- */

static const char *const names[] = {"PVMTMASK", "PVMTRCBUF", "PVMTRCOPT"};

/* To the task and its children. With the lock of the options. */
static void trace_settings_give(struct task *task, const struct Pvmtracer *settings)
{
    abi_set_tracer(&task->own_sinks, settings);
    abi_set_tracer(&task->child_sinks, settings);
    task_show(task);
}

void trace_settings_set(struct task *task, const struct Pvmtracer *settings)
{
    lock_acquire(&task->options_lock);
    trace_settings_give(task, settings);
    lock_release(&task->options_lock);
}

static bool settings_are_given(struct task *task)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!variables_get(task, names[i], NULL))
            return false;
    return true;
}

void trace_settings_inherit(struct task *task, const struct Pvmtracer *sinks)
{
    struct Pvmtracer settings = *sinks;
    const char *mask = variables_get(task, names[0], "");
    TEV_MASK_INIT(settings.tmask)
    if (trace_settings_is_mask(mask))
        memcpy(settings.tmask, mask, TEV_MASK_LENGTH);
    settings.trcbuf = (int)variables_get_number(task, names[1], 0);
    settings.trcopt = (int)variables_get_number(task, names[2], 0);
    trace_settings_set(task, &settings);
}

/* The mailbox entry of a tracer: its tid, the sinks, and what it wants. */
static bool settings_read_tracer(const struct message *entry, struct Pvmtracer *settings)
{
    struct control_reader reader;
    control_read(&reader, entry);
    settings->trctid = settings->outtid = control_get_int(&reader);
    settings->trcctx = control_get_int(&reader);
    settings->trctag = control_get_int(&reader);
    settings->outctx = control_get_int(&reader);
    settings->outtag = control_get_int(&reader);
    char *mask = control_get_string(&reader, 0);
    settings->trcbuf = control_get_int(&reader);
    settings->trcopt = control_get_int(&reader);
    bool good = !reader.failed && trace_settings_is_mask(mask);
    if (good)
        memcpy(settings->tmask, mask, TEV_MASK_LENGTH);
    free(mask);
    return good;
}

/* Sinks that the pvmd has given stay; output or traces without a sink go to the tracer. */
static void settings_complete(struct Pvmtracer *settings, const struct Pvmtracer *tracer)
{
    struct Pvmtracer before = *settings;
    *settings = *tracer;
    if (before.trctid) {
        settings->trctid = before.trctid;
        settings->trcctx = before.trcctx;
        settings->trctag = before.trctag;
    }
    if (before.outtid) {
        settings->outtid = before.outtid;
        settings->outctx = before.outctx;
        settings->outtag = before.outtag;
    }
}

void trace_settings_find_tracer(struct task *task)
{
    struct message *entry;
    struct Pvmtracer tracer;
    if (settings_are_given(task))
        return;
    int result = mailbox_get(task, PVMTRACERCLASS, 0, PvmMboxDefault, &entry);
    if (result < 0) {
        abi_set_error(own_program_error(), result); /* as a program of 3.4.6 finds it after enrolling */
        return;
    }
    if (settings_read_tracer(entry, &tracer)) {
        lock_acquire(&task->options_lock);
        struct Pvmtracer settings = task->own_sinks;
        settings_complete(&settings, &tracer);
        trace_settings_give(task, &settings);
        lock_release(&task->options_lock);
    }
    message_free(entry);
}

void trace_settings_forget(struct task *task)
{
    lock_acquire(&task->options_lock);
    abi_set_number(&task->own_sinks.trctid, 0);
    task_show(task);
    lock_release(&task->options_lock);
}

/* What a tracer orders. ------------------------------------------------------------------------ */

static void settings_change(struct task *task, int *field, int value)
{
    lock_acquire(&task->options_lock);
    abi_set_number(field, value);
    task_show(task);
    lock_release(&task->options_lock);
}

static void settings_take_mask(struct task *task, struct control_reader *order)
{
    char *mask = control_get_string(order, 0);
    if (trace_settings_is_mask(mask))
        trace_settings_change_mask(task, &task->own_sinks, mask);
    free(mask);
}

static void settings_take_size(struct task *task, struct control_reader *order)
{
    int size = control_get_int(order);
    if (!order->failed)
        settings_change(task, &task->own_sinks.trcbuf, size > 0 ? size : 0);
}

static void settings_take_option(struct task *task, struct control_reader *order)
{
    int option = control_get_int(order);
    if (!order->failed)
        settings_change(task, &task->own_sinks.trcopt, option);
}

/* A sink of the task and its children. Tells the pvmd when it changes. */
static void settings_change_sink(struct task *task, int tid_option, int code_option, int *context,
                                 const int sink[3])
{
    settings_change(task, context, sink[1]);
    if (options_get(task, code_option) != sink[2])
        options_set(task, code_option, sink[2]);
    if (options_get(task, tid_option) != sink[0])
        options_set(task, tid_option, sink[0]);
}

static void settings_take_all(struct task *task, struct control_reader *order)
{
    int trace[3], output[3];
    for (int i = 0; i < 3; i++)
        trace[i] = control_get_int(order);
    for (int i = 0; i < 3; i++)
        output[i] = control_get_int(order);
    char *mask = control_get_string(order, 0);
    int size = control_get_int(order);
    int option = control_get_int(order);
    if (!order->failed && trace[0]) {
        settings_change_sink(task, PvmSelfTraceTid, PvmSelfTraceCode, &task->own_sinks.trcctx,
                             trace);
        if (trace_settings_is_mask(mask)) {
            trace_settings_change_mask(task, &task->own_sinks, mask);
            trace_settings_change_mask(task, &task->child_sinks, mask);
        }
        settings_change(task, &task->own_sinks.trcbuf, size > 0 ? size : 0);
        settings_change(task, &task->own_sinks.trcopt, option);
    }
    if (!order->failed && output[0])
        settings_change_sink(task, PvmSelfOutputTid, PvmSelfOutputCode, &task->own_sinks.outctx,
                             output);
    free(mask);
}

void trace_settings_obey(struct task *task, const struct message *message)
{
    struct control_reader order;
    control_read(&order, message);
    trace_flush(task);
    switch (message->header.tag) {
    case TC_SETTRACE:
        settings_take_all(task, &order);
        break;
    case TC_SETTMASK:
        settings_take_mask(task, &order);
        break;
    case TC_SETTRCBUF:
        settings_take_size(task, &order);
        break;
    case TC_SETTRCOPT:
        settings_take_option(task, &order);
        break;
    default:
        break;
    }
}
