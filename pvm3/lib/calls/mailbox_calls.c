/*
 * mailbox_calls.c - the messages that the virtual machine keeps under names.
 */
#include <stdlib.h>

#include "ck/base/cancel.h"
#include "core/encode.h"
#include "lib/serve/mailbox.h"
#include "lib/task/active_buffer.h"
#include "lib/task/own_program.h"
#include "lib/task/process.h"
#include "lib/task/public.h"

/* Results that say how things are, and are told without a line on stderr. */
static int mailbox_result(struct task *task, const char *function, int result, int quiet)
{
    if (result == PvmNotFound || result == PvmExists || result == quiet) {
        abi_set_error(own_program_error(), result);
        return result;
    }
    return task_result(task, function, result);
}

int pvm_putinfo(const char *name, int bufid, int flags)
{
    struct task *task = caller_self()->task;
    pvmd_link_try(task);
    if (!name || !*name)
        return task_report(task, "pvm_putinfo", PvmBadParam);
    struct buffer *buffer = buffer_find(task, bufid);
    struct message *view = NULL;
    if (buffer) {
        owned_lock_acquire(&buffer->lock);
        view = buffer->message ? message_view(buffer->message) : NULL;
        owned_lock_release(&buffer->lock);
        buffer_release(buffer);
    }
    if (!view)
        return task_report(task, "pvm_putinfo", PvmNoSuchBuf);
    int result = mailbox_put(task, name, MAILBOX_INDEX_IN_FLAGS, flags, view);
    message_free(view);
    return mailbox_result(task, "pvm_putinfo", result, PvmDenied);
}

/* Makes `message` the active receive buffer in place of the one before; its id, or an error. */
static int mailbox_activate(struct caller *caller, struct message *message, struct cursor cursor)
{
    turns_replace(&caller->task->turns, caller, TURNS_RECEIVE);
    struct buffer *before = caller->receive ? buffer_hold(caller->receive) : NULL;
    int id = active_buffer_receive_inner(caller, message, cursor);
    if (before)
        buffer_discard(caller->task, before);
    buffer_release(before);
    return id;
}

/* An answer that tells an error becomes the active receive buffer, too, as in 3.4.6. */
static int mailbox_receive(struct caller *caller, const char *name, int index, int flags)
{
    struct message *answer, *message;
    struct cursor cursor;
    int result = mailbox_fetch(caller->task, name, index, flags, &answer);
    if (result < 0)
        return result;
    result = mailbox_open(answer, &cursor, &message);
    if (result < 0) {
        int error = mailbox_activate(caller, answer, cursor);
        return error < 0 ? error : result;
    }
    message_free(answer);
    return mailbox_activate(caller, message, (struct cursor){0, 0});
}

int pvm_recvinfo(const char *name, int index, int flags)
{
    struct caller *caller = caller_self();
    pvmd_link_try(caller->task);
    if (!name || !*name || index < 0)
        return task_report(caller->task, "pvm_recvinfo", PvmBadParam);
    return mailbox_result(caller->task, "pvm_recvinfo", mailbox_receive(caller, name, index, flags),
                          PvmNotFound);
}

int pvm_delinfo(const char *name, int index, int flags)
{
    struct task *task = caller_self()->task;
    pvmd_link_try(task);
    if (!name || !*name || index < 0)
        return task_report(task, "pvm_delinfo", PvmBadParam);
    return mailbox_result(task, "pvm_delinfo", mailbox_remove(task, name, index, flags), PvmDenied);
}

/* The names. ----------------------------------------------------------------------------------- */

static int *mailbox_new_array(int count)
{
    return calloc((size_t)count + 1, sizeof(int));
}

/* An entry takes three integers of body. */
#define ENTRY_SIZE 12

/* Reads one name with its entries; what was read is the caller's to free, also on failure. */
static void mailbox_read_name(struct control_reader *reader, struct pvmmboxinfo *info)
{
    info->mi_name = control_get_string(reader, 0);
    info->mi_nentries = control_get_count(reader, ENTRY_SIZE);
    info->mi_indices = mailbox_new_array(info->mi_nentries);
    info->mi_owners = mailbox_new_array(info->mi_nentries);
    info->mi_flags = mailbox_new_array(info->mi_nentries);
    if (!info->mi_indices || !info->mi_owners || !info->mi_flags) {
        reader->failed = true;
        return;
    }
    for (int i = 0; i < info->mi_nentries; i++) {
        info->mi_indices[i] = control_get_int(reader);
        info->mi_owners[i] = control_get_int(reader);
        info->mi_flags[i] = control_get_int(reader);
    }
}

/* A name takes at least its length, one word of text and its count. */
#define NAME_SIZE 12

static int mailbox_read_names(struct task *task, const struct message *answer)
{
    struct control_reader reader;
    control_read(&reader, answer);
    int error = control_get_int(&reader);
    if (error < 0)
        return error;
    int count = control_get_count(&reader, NAME_SIZE);
    struct pvmmboxinfo *list = calloc((size_t)count + 1, sizeof *list);
    if (!list)
        return PvmNoMem;
    for (int i = 0; i < count; i++)
        mailbox_read_name(&reader, &list[i]);
    results_set_mailboxes(task, list, count);
    return reader.failed ? PvmBadMsg : PvmOk;
}

int pvm_getmboxinfo(const char *pattern, int *nclasses, struct pvmmboxinfo **classes)
{
    struct task *task = caller_self()->task;
    struct message *answer = NULL;
    int error = pvmd_link_enrol(task);
    if (error == 0)
        error = pvmd_link_call(
            task, mailbox_request(task, MAILBOX_NAMES, pattern ? pattern : "", 0, 0), &answer);
    if (error == 0)
        error = mailbox_read_names(task, answer);
    message_free(answer);
    if (error < 0)
        return task_report(task, "pvm_getmboxinfo", error);
    results_get_mailboxes(task, nclasses, classes);
    return PvmOk;
}

/* The calls of 3.3: one integer under a name. -------------------------------------------------- */

int pvm_insert(const char *name, int req, int data)
{
    struct task *task = caller_self()->task;
    pvmd_link_try(task);
    if (!name || !*name || req < -1)
        return task_report(task, "pvm_insert", PvmBadParam);
    struct message message;
    message_init(&message, MESSAGE_XDR, MESSAGE_FRAGMENT_DEFAULT);
    message.header.source = (uint32_t)atomic_load(&task->tid);
    int result = encode_pack(&message, PVM_INT, &data, 1, 1);
    if (result == 0)
        result = mailbox_put(task, name, req, PvmMboxMultiInstance | PvmMboxPersistent, &message);
    message_finish(&message);
    return mailbox_result(task, "pvm_insert", result, PvmDenied);
}

int pvm_lookup(const char *name, int req, int *data)
{
    struct task *task = caller_self()->task;
    pvmd_link_try(task);
    if (!name || !*name || req < -1)
        return task_report(task, "pvm_lookup", PvmBadParam);
    struct message *message;
    int flags = req < 0 ? PvmMboxFirstAvail : PvmMboxDefault;
    int result = mailbox_get(task, name, req < 0 ? 0 : req, flags, &message);
    if (result >= 0) {
        struct cursor cursor = {0, 0};
        int value;
        int error = encode_unpack(message, &cursor, PVM_INT, &value, 1, 1);
        if (error < 0) /* 3.4.6 prints the error and succeeds nevertheless */
            task_report(task, "pvm_upkint", error);
        else if (data)
            *data = value;
        message_free(message);
    }
    return mailbox_result(task, "pvm_lookup", result, PvmNotFound);
}

int pvm_delete(const char *name, int req)
{
    struct task *task = caller_self()->task;
    pvmd_link_try(task);
    if (!name || !*name || req < 0)
        return task_report(task, "pvm_delete", PvmBadParam);
    return mailbox_result(task, "pvm_delete", pvm_delinfo(name, req, 0), PvmNotFound);
}

/* Tasks that a reset leaves alone. ------------------------------------------------------------- */

int pvm_getnoresets(int **tids, int *ntids)
{
    HOLD_OFF_CANCELLATION;
    struct task *task = caller_self()->task;
    int *list = NULL;
    int count = 0;
    int index = 0;
    struct message *message;
    while ((index = mailbox_get(task, PVMNORESETCLASS, index, PvmMboxFirstAvail, &message)) >= 0) {
        struct cursor cursor = {0, 0};
        int *grown = realloc(list, (size_t)(count + 1) * sizeof *grown);
        if (grown)
            list = grown;
        if (grown && encode_unpack(message, &cursor, PVM_INT, &list[count], 1, 1) == 0)
            count++;
        message_free(message);
        index++;
    }
    mailbox_result(task, "pvm_recvinfo", index, PvmNotFound); /* how the search ended */
    list = results_hand_out(task, list, (size_t)count * sizeof *list);
    lock_acquire(&task->results.lock);
    int *old = task->results.no_resets;
    task->results.no_resets = list;
    lock_release(&task->results.lock);
    free(old);
    if (tids)
        *tids = list;
    if (ntids)
        *ntids = count;
    return PvmOk;
}

static bool reset_is_exempt(const int *exempt, int count, int tid)
{
    for (int i = 0; i < count; i++)
        if (exempt[i] == tid)
            return true;
    return false;
}

int pvmreset(int mytid, int killtasks, char *class, int index)
{
    HOLD_OFF_CANCELLATION;
    struct task *task = caller_self()->task;
    struct pvmtaskinfo *tasks;
    int *exempt;
    int exempt_count, task_count;
    int error = pvmd_link_enrol(task);
    if (error < 0)
        return error;
    pvm_getnoresets(&exempt, &exempt_count);
    if (killtasks && pvm_tasks(0, &task_count, &tasks) == 0)
        for (int i = 0; i < task_count; i++)
            if (tasks[i].ti_tid != mytid && !reset_is_exempt(exempt, exempt_count, tasks[i].ti_tid))
                pvm_kill(tasks[i].ti_tid);
    struct message *request =
        mailbox_request(task, MAILBOX_RESET, class ? class : "", index, killtasks);
    control_put_int(request, exempt_count);
    for (int i = 0; i < exempt_count; i++)
        control_put_int(request, exempt[i]);
    return pvmd_link_ask(task, request);
}
