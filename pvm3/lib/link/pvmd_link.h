/*
 * pvmd_link.h - the connection to the local pvmd, and asking it. What needs the pvmd enrols the
 * task, by the steps that the task was given (lib/life/enrolment.h).
 *
 * Threads: any thread may call anything.
 */
#ifndef LIB_LINK_PVMD_LINK_H
#define LIB_LINK_PVMD_LINK_H

#include "core/control.h"
#include "core/rarely.h"
#include "lib/task/task.h"

static inline bool pvmd_link_is_enrolled(struct task *task)
{
    return atomic_load_explicit(&task->enrolment, memory_order_acquire) == TASK_ENROLLED;
}

/* Enrols the task unless it is. 0; PvmSysErr with a line on stderr that says why. */
RARELY int pvmd_link_enrol_now(struct task *task);

static inline int pvmd_link_enrol(struct task *task)
{
    return pvmd_link_is_enrolled(task) ? 0 : pvmd_link_enrol_now(task);
}

/*
 * Enrols the task if a pvmd seems to run, and goes on without one otherwise, silently: 3.4.6 enrols
 * in calls that need no pvmd, too.
 */
RARELY void pvmd_link_try_now(struct task *task);

static inline void pvmd_link_try(struct task *task)
{
    if (!pvmd_link_is_enrolled(task))
        pvmd_link_try_now(task);
}

/*
 * Sends `request` to its answerer (answerer.h), frees it, and waits for the answer, which the
 * caller frees (message_free). Enrols if need be. 0, PvmSysErr, PvmNoMem when the request is not
 * whole, or PvmDSysErr when a resource manager that was asked is over.
 */
int pvmd_link_call(struct task *task, struct message *request, struct message **answer);

/* Like pvmd_link_call, for a request that has no answer. */
int pvmd_link_order(struct task *task, struct message *request);

/* Sends `message` from this task to `destination` and frees it. Errors as above. */
int pvmd_link_tell(struct task *task, struct message *message, uint32_t destination);

/*
 * Asks the pvmd itself, whatever a resource manager takes over, for word of an end, as pvm_notify
 * does: `what` is PvmTaskExit or PvmHostDelete, with PvmNotifyCancel or without. The word is a
 * message with `tag` in the context of TC messages, and holds `subject`. Errors as above.
 */
int pvmd_link_watch(struct task *task, int what, int tag, uint32_t subject);

/* Has a signal sent to a task. The answer says only that the pvmd has taken the request. */
int pvmd_link_signal(struct task *task, int tid, int number);

/*
 * A request with the context that the pvmd's requests have; NULL when memory is short, which calls
 * above handle.
 */
struct message *pvmd_link_request(int32_t tag);

/* Asks whether the task `tid` is alive. PvmOk, PvmNoTask, or another error. Enrols if need be. */
int pvmd_link_state(struct task *task, int tid);

/* Where output and trace events go, without the mask, as messages have it. */
void pvmd_link_put_sinks(struct message *request, const struct Pvmtracer *sinks);
void pvmd_link_get_sinks(struct control_reader *reader, struct Pvmtracer *sinks);

/*
 * For enrolment.h: as pvmd_link_call, but does not enrol the task. Unless `introduced` it asks as a
 * task that has no tid yet.
 */
int pvmd_link_exchange(struct task *task, struct message *request, bool introduced,
                       struct message **answer);

/* The integer that is an answer, which is freed; PvmBadMsg if it is none. */
int pvmd_link_take_int(struct message *answer);

/* For a request that is answered by one integer: asks, and returns the integer or an error. */
int pvmd_link_ask(struct task *task, struct message *request);

/* The tid of the parent of an enrolled task; 0 for none, PvmParentNotSet when it hides. */
int pvmd_link_parent(struct task *task);

/* What the endpoint calls when the pvmd is gone, and when something that came was dropped. */
void pvmd_link_lost(void *owner, const char *reason);
void pvmd_link_dropped(void *owner, const char *reason);

/* The next temporary name of this process; `owner` is the task. False when PVM_TMP is too long. */
bool pvmd_link_temporary_name(void *owner, char *path);

#endif
