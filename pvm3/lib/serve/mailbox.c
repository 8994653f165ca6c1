/*
 * mailbox.c - how the pvmd is asked for mailbox entries.
 */
#include "lib/serve/mailbox.h"

#include "core/packed.h"
#include "lib/task/public.h"

static struct message *mailbox_request_of(uint32_t owner, int operation, const char *name,
                                          int index, int flags)
{
    struct message *request = pvmd_link_request(TM_DB);
    control_put_int(request, operation);
    control_put_tid(request, owner);
    control_put_string(request, name);
    control_put_int(request, index);
    control_put_int(request, flags);
    return request;
}

struct message *mailbox_request(struct task *task, int operation, const char *name, int index,
                                int flags)
{
    return mailbox_request_of((uint32_t)atomic_load(&task->tid), operation, name, index, flags);
}

int mailbox_put(struct task *task, const char *name, int index, int flags,
                const struct message *message)
{
    int error = pvmd_link_enrol(task);
    if (error < 0)
        return error;
    struct message *request = mailbox_request(task, MAILBOX_PUT, name, index, flags);
    if (control_is_whole(request) && packed_put(request, message) < 0) {
        message_free(request);
        return PvmNoMem;
    }
    return pvmd_link_ask(task, request);
}

int mailbox_remove(struct task *task, const char *name, int index, int flags)
{
    int error = pvmd_link_enrol(task);
    return error < 0
               ? error
               : pvmd_link_ask(task, mailbox_request(task, MAILBOX_REMOVE, name, index, flags));
}

int mailbox_bury(struct task *task, const char *name, int index, uint32_t owner)
{
    return pvmd_link_ask(task,
                         mailbox_request_of(owner, MAILBOX_REMOVE, name, index, PvmMboxDefault));
}

int mailbox_fetch(struct task *task, const char *name, int index, int flags,
                  struct message **answer)
{
    *answer = NULL;
    int error = pvmd_link_enrol(task);
    return error < 0 ? error
                     : pvmd_link_call(task, mailbox_request(task, MAILBOX_GET, name, index, flags),
                                      answer);
}

int mailbox_open(struct message *answer, struct cursor *cursor, struct message **message)
{
    struct control_reader reader;
    control_read(&reader, answer);
    int result = control_get_int(&reader);
    if (reader.failed)
        result = PvmBadMsg;
    if (result >= 0) {
        int error = packed_get(answer, &reader.cursor, message);
        result = error < 0 ? error : result;
    }
    *cursor = reader.cursor;
    return result;
}

int mailbox_get(struct task *task, const char *name, int index, int flags, struct message **message)
{
    struct message *answer;
    struct cursor cursor;
    int result = mailbox_fetch(task, name, index, flags, &answer);
    if (result >= 0)
        result = mailbox_open(answer, &cursor, message);
    message_free(answer);
    return result;
}
