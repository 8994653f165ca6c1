/* receive.c - messages on their way in, and the interrupt of a receive. */
#include <errno.h>
#include <time.h>

#include "ck/base/cancel.h"
#include "core/encode.h"
#include "lib/calls/matcher.h"
#include "lib/link/dialect.h"
#include "lib/link/pvmd_link.h"
#include "lib/link/results.h"
#include "lib/task/active_buffer.h"
#include "lib/task/buffer.h"
#include "lib/task/own_program.h"
#include "lib/task/process.h"
#include "lib/task/public.h"

_Static_assert((uint32_t)-1 == PATTERN_ANY_SOURCE, "programs ask for any task by -1");

static struct pattern receive_pattern(struct caller *caller, int tid, int tag)
{
    return (struct pattern){.source = (uint32_t)tid, .tag = tag, .context = caller_context(caller)};
}

/* The moment that lies `timeout` ahead; a negative timeout is none. */
static struct timespec receive_deadline(const struct timeval *timeout)
{
    struct timespec deadline;
    clock_gettime(CLOCK_MONOTONIC, &deadline);
    if (timeout->tv_sec < 0 || timeout->tv_usec < 0)
        return deadline;
    deadline.tv_sec += timeout->tv_sec + timeout->tv_usec / 1000000;
    deadline.tv_nsec += timeout->tv_usec % 1000000 * 1000;
    if (deadline.tv_nsec >= 1000000000) {
        deadline.tv_nsec -= 1000000000;
        deadline.tv_sec++;
    }
    return deadline;
}

/* Waits and takes. *message is NULL when there was none in time. */
static int receive_wait(struct caller *caller, int tid, int tag, const struct timeval *timeout,
                        struct message **message)
{
    struct pattern pattern = receive_pattern(caller, tid, tag);
    struct endpoint *endpoint = &caller->task->endpoint;
    struct timespec deadline;
    if (timeout)
        deadline = receive_deadline(timeout);
    if (matcher_is_set(caller->task)) {
        caller_begin_wait(caller); /* the matcher may do anything */
        return matcher_receive(caller, tid, tag, timeout ? PATIENCE_UNTIL : PATIENCE_ENDLESS,
                               timeout ? &deadline : NULL, message);
    }
    if (!timeout)
        return dialect_result(endpoint_receive(endpoint, &pattern, NULL, message));
    /* One look at least, however short the time. */
    int error = endpoint_poll(endpoint, &pattern, message);
    if (error == 0 && !*message)
        error = endpoint_receive(endpoint, &pattern, &deadline, message);
    return dialect_result(error);
}

static int receive_to_buffer(struct caller *caller, int tid, int tag, const struct timeval *timeout)
{
    struct message *message = NULL;
    int error = pvmd_link_enrol(caller->task);
    if (error < 0)
        return error;
    active_buffer_begin_receive(caller);
    turns_begin_wait(caller);
    error = receive_wait(caller, tid, tag, timeout, &message);
    turns_end_wait(caller);
    return active_buffer_end_receive(caller, error < 0 ? NULL : message, error);
}

/* That the task is to move is no error. */
static int receive_result(struct task *task, const char *function, int result)
{
    return result == OWN_PROGRAM_MOVES ? result : task_result(task, function, result);
}

int pvm_recv(int tid, int msgtag)
{
    struct caller *caller = caller_self();
    return receive_result(caller->task, "pvm_recv", receive_to_buffer(caller, tid, msgtag, NULL));
}

int pvm_trecv(int tid, int msgtag, const struct timeval *tmout)
{
    struct caller *caller = caller_self();
    return receive_result(caller->task, "pvm_trecv", receive_to_buffer(caller, tid, msgtag, tmout));
}

/* Takes a message if one has come; otherwise *message is NULL. */
static int receive_poll(struct caller *caller, int tid, int tag, struct message **message)
{
    struct pattern pattern = receive_pattern(caller, tid, tag);
    if (matcher_is_set(caller->task))
        return matcher_receive(caller, tid, tag, PATIENCE_NONE, NULL, message);
    return dialect_result(endpoint_poll(&caller->task->endpoint, &pattern, message));
}

int pvm_nrecv(int tid, int msgtag)
{
    struct caller *caller = caller_self();
    struct message *message = NULL;
    int result = pvmd_link_enrol(caller->task);
    if (result == 0) {
        active_buffer_begin_receive(caller);
        result = receive_poll(caller, tid, msgtag, &message);
        result = active_buffer_end_receive(caller, message, result);
    }
    return task_result(caller->task, "pvm_nrecv", result);
}

static int receive_identify(void *context, struct message *message)
{
    return buffer_identify(context, message);
}

int pvm_probe(int tid, int msgtag)
{
    struct caller *caller = caller_self();
    struct pattern pattern = receive_pattern(caller, tid, msgtag);
    int result = pvmd_link_enrol(caller->task);
    if (result == 0 && matcher_is_set(caller->task))
        result = matcher_receive(caller, tid, msgtag, PATIENCE_NONE, NULL, NULL);
    else if (result == 0)
        result = endpoint_probe(&caller->task->endpoint, &pattern, receive_identify, caller->task);
    return task_result(caller->task, "pvm_probe", dialect_result(result));
}

/* Takes the bytes as they are, whatever the encoding: what does not fit is dropped. */
static int receive_array(struct caller *caller, int tid, int tag, void *items, int count, int type,
                         struct message **message)
{
    pvmd_link_try(caller->task);
    if (type == PVM_STR)
        return PvmNotImpl;
    if (encode_item_size(type) == 0 || (!items && count > 0))
        return PvmBadParam;
    int error = pvmd_link_enrol(caller->task);
    if (error < 0)
        return error;
    size_t size = count > 0 ? (size_t)count * encode_item_size(type) : 0;
    const struct pattern pattern = receive_pattern(caller, tid, tag);
    turns_begin_wait(caller);
    error = matcher_is_set(caller->task)
                ? receive_wait(caller, tid, tag, NULL, message)
                : endpoint_receive_into(&caller->task->endpoint, &pattern, items, size, message);
    turns_end_wait(caller);
    error = dialect_result(error);
    if (error < 0) /* 3.4.6 receives and unpacks: the inner call tells of it, too */
        return receive_result(caller->task, "pvm_recv", error);
    struct cursor cursor = {0, 0};
    if (!message_is_at(*message, items))
        encode_take_bytes(*message, &cursor, items, size);
    if (count < 0) /* 3.4.6 has received the message, and unpacks nothing of it */
        task_report(caller->task, "pvm_upkbyte", PvmBadParam);
    return PvmOk;
}

int pvm_precv(int tid, int msgtag, void *buf, int len, int datatype, int *rtid, int *rtag,
              int *rlen)
{
    struct caller *caller = caller_self();
    struct message *message;
    int error = receive_array(caller, tid, msgtag, buf, len, datatype, &message);
    if (error < 0)
        return receive_result(caller->task, "pvm_precv", error);
    if (rtid)
        *rtid = (int)message->header.source;
    if (rtag)
        *rtag = message->header.tag;
    if (rlen)
        *rlen = message->header.unmeasured ? 0 : (int)message->length;
    buffer_drop_message(caller->task, message);
    return PvmOk;
}

int pvm_getfds(int **fds)
{
    struct task *task = caller_self()->task;
    int error = pvmd_link_enrol(task);
    if (error == 0 && !fds)
        error = PvmBadParam;
    if (error < 0)
        return task_report(task, "pvm_getfds", error);
    return task_result(task, "pvm_getfds", results_get_descriptors(task, fds));
}

int pvm_interrupt_recv(void)
{
    HOLD_OFF_CANCELLATION;
    struct task *task = caller_self()->task;
    int error = pvmd_link_enrol(task);
    if (error == 0)
        error = dialect_result(endpoint_interrupt(&task->endpoint));
    return task_result(task, "pvm_interrupt_recv", error);
}

int pvm_resume_recv(void)
{
    HOLD_OFF_CANCELLATION;
    struct task *task = caller_self()->task;
    int result = dialect_result(endpoint_resume(&task->endpoint));
    return task_result(task, "pvm_resume_recv", result);
}
