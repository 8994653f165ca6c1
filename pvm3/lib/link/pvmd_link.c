/* pvmd_link.c - how a task asks its pvmd. */
#include "lib/link/pvmd_link.h"

#include <unistd.h>

#include <pvm3.h>

#include "ck/base/cancel.h"
#include "core/tid.h"
#include "lib/link/answerer.h"
#include "lib/link/dialect.h"
#include "lib/task/caller.h"
#include "lib/task/process.h"
#include "lib/task/variables.h"

struct message *pvmd_link_request(int32_t tag)
{
    return control_new(tag, CONTROL_CONTEXT_TM, 0);
}

void pvmd_link_put_sinks(struct message *request, const struct Pvmtracer *sinks)
{
    control_put_int(request, sinks->outtid);
    control_put_int(request, sinks->outctx);
    control_put_int(request, sinks->outtag);
    control_put_int(request, sinks->trctid);
    control_put_int(request, sinks->trcctx);
    control_put_int(request, sinks->trctag);
}

void pvmd_link_get_sinks(struct control_reader *reader, struct Pvmtracer *sinks)
{
    sinks->outtid = control_get_int(reader);
    sinks->outctx = control_get_int(reader);
    sinks->outtag = control_get_int(reader);
    sinks->trctid = control_get_int(reader);
    sinks->trcctx = control_get_int(reader);
    sinks->trctag = control_get_int(reader);
}

int pvmd_link_enrol_now(struct task *task)
{
    return task->steps->enrol(task);
}

void pvmd_link_try_now(struct task *task)
{
    HOLD_OFF_CANCELLATION;
    char path[ENVIRONMENT_PATH_SIZE];
    if (variables_get(task, "PVMSOCK", NULL) ||
        (variables_address_file(task, path, geteuid()) && access(path, F_OK) == 0))
        pvmd_link_enrol(task);
}

/*
 * Gives the request the tag and context that its answerer expects, and returns the answerer's tid.
 */
static uint32_t pvmd_link_address(const struct task *task, struct message *request)
{
    struct message_header *header = &request->header;
    struct answerer answerer = answerer_for(task, header->tag, header->context);
    header->tag = answerer.tag;
    header->context = answerer.context;
    return answerer.tid;
}

int pvmd_link_exchange(struct task *task, struct message *request, bool introduced,
                       struct message **answer)
{
    *answer = NULL;
    if (!control_is_whole(request)) {
        message_free(request);
        return PvmNoMem;
    }
    request->header.wait = atomic_fetch_add(&task->next_wait, 1) + 1;
    uint32_t answerer = pvmd_link_address(task, request);
    const struct pattern pattern = {
        .source = answerer,
        .tag = request->header.tag,
        .context = PATTERN_ANY,
        .wait = request->header.wait,
    };
    const struct parcel parcel = {request, answerer};
    int result = endpoint_call(&task->endpoint, &parcel, introduced, &pattern, answer);
    message_free(request);
    return dialect_result(result);
}

int pvmd_link_call(struct task *task, struct message *request, struct message **answer)
{
    *answer = NULL;
    int error = pvmd_link_enrol(task);
    if (error < 0) {
        message_free(request);
        return error;
    }
    struct caller *caller = caller_current();
    turns_begin_wait(caller);
    error = pvmd_link_exchange(task, request, true, answer);
    turns_end_wait(caller);
    return error;
}

int pvmd_link_take_int(struct message *answer)
{
    struct control_reader reader;
    control_read(&reader, answer);
    int result = control_get_int(&reader);
    if (reader.failed)
        result = PvmBadMsg;
    message_free(answer);
    return result;
}

int pvmd_link_ask(struct task *task, struct message *request)
{
    struct message *answer;
    int result = pvmd_link_call(task, request, &answer);
    return result < 0 ? result : pvmd_link_take_int(answer);
}

int pvmd_link_state(struct task *task, int tid)
{
    struct message *request = pvmd_link_request(TM_PSTAT);
    control_put_int(request, tid);
    return pvmd_link_ask(task, request);
}

int pvmd_link_tell(struct task *task, struct message *message, uint32_t destination)
{
    int result = pvmd_link_enrol(task);
    if (result == 0 && !control_is_whole(message))
        result = PvmNoMem;
    if (result == 0) {
        const struct parcel parcel = {message, destination};
        result = dialect_result(endpoint_send(&task->endpoint, &parcel, false));
    }
    message_free(message);
    return result;
}

int pvmd_link_watch(struct task *task, int what, int tag, uint32_t subject)
{
    struct message *request = pvmd_link_request(TM_NOTIFY);
    control_put_int(request, what);
    control_put_int(request, CONTROL_CONTEXT_TC);
    control_put_int(request, tag);
    control_put_int(request, 1);
    control_put_tid(request, subject);
    return pvmd_link_tell(task, request, TID_OWN_DAEMON);
}

int pvmd_link_signal(struct task *task, int tid, int number)
{
    struct message *answer;
    struct message *request = pvmd_link_request(TM_SENDSIG);
    control_put_int(request, tid);
    control_put_int(request, number);
    int error = pvmd_link_call(task, request, &answer);
    message_free(answer);
    return error;
}

int pvmd_link_order(struct task *task, struct message *request)
{
    int result = pvmd_link_enrol(task);
    if (result < 0 || !control_is_whole(request)) {
        message_free(request);
        return result < 0 ? result : PvmNoMem;
    }
    return pvmd_link_tell(task, request, pvmd_link_address(task, request));
}

/* How many names there are before they come again; the very first is given out only once. */
#define TEMPORARY_NAMES 10000

bool pvmd_link_temporary_name(void *owner, char *path)
{
    struct task *task = owner;
    unsigned given = atomic_fetch_add(&task->process->temporary, 1);
    return variables_temporary_name(task, path, given > 0 ? (given - 1) % TEMPORARY_NAMES + 1 : 0);
}

int pvmd_link_parent(struct task *task)
{
    lock_acquire(&task->enrolment_lock);
    int parent = task->parent;
    lock_release(&task->enrolment_lock);
    return parent;
}

void pvmd_link_lost(void *owner, const char *reason)
{
    const struct task *task = owner;
    const char *what =
        task->beside ? "the pvmd has ended this task, or is gone" : "the pvmd is gone";
    if (task->is_thread)
        return; /* its end is no news: pvm_kill does it so */
    if (atomic_load(&task->enrolment) == TASK_ENROLLED && atomic_load(&task->auto_error) != 0 &&
        !atomic_load(&task->halting))
        task_print(task, "%s: %s", what, reason);
}

void pvmd_link_dropped(void *owner, const char *reason)
{
    const struct task *task = owner;
    if (atomic_load(&task->auto_error) >= 1)
        task_print(task, "%s", reason);
}
