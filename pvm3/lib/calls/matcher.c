/* matcher.c - pvm_recvf. */
#include "lib/calls/matcher.h"

#include "lib/link/dialect.h"
#include "lib/link/pvmd_link.h"
#include "lib/task/buffer.h"
#include "lib/task/process.h"
#include "lib/task/public.h"

typedef int (*matcher_function)(int bufid, int tid, int tag);

/* What one receive asks the matcher. */
struct question {
    struct task *task;
    matcher_function matcher;
    int tid;
    int tag;
};

static int matcher_name(void *owner, struct message *message)
{
    const struct question *question = owner;
    if (message->header.context & TASK_OTHER_CONTEXTS)
        return 0; /* it is not PVM's */
    return buffer_identify(question->task, message);
}

static int matcher_judge(void *owner, int bufid)
{
    const struct question *question = owner;
    return question->matcher(bufid, question->tid, question->tag);
}

/*
 * What receives do without a matcher, as a function: programs get it from pvm_recvf and may call it
 * from their own.
 */
static int matcher_default(int bufid, int tid, int tag)
{
    struct caller *caller = caller_self();
    const struct pattern pattern = {
        .source = (uint32_t)tid, .tag = tag, .context = caller_context(caller)};
    struct buffer *buffer = buffer_find(caller->task, bufid);
    if (!buffer)
        return PvmNoSuchBuf;
    owned_lock_acquire(&buffer->lock);
    int result = PvmNoSuchBuf;
    if (buffer->message)
        result = pattern_matches(&pattern, &buffer->message->header);
    owned_lock_release(&buffer->lock);
    buffer_release(buffer);
    return result;
}

int matcher_receive(struct caller *caller, int tid, int tag, enum patience patience,
                    const struct timespec *deadline, struct message **message)
{
    struct task *task = caller->task;
    struct question question = {task, atomic_load(&task->matcher), tid, tag};
    const struct judgement judgement = {matcher_name, matcher_judge, &question};
    if (!question.matcher) /* another thread took it away just now */
        question.matcher = matcher_default;
    int result = endpoint_examine(&task->endpoint, &judgement, patience, deadline, message);
    return dialect_result(result);
}

int (*pvm_recvf(int (*matcher)(int bufid, int tid, int msgtag)))(int bufid, int tid, int msgtag)
{
    struct task *task = caller_self()->task;
    pvmd_link_try(task);
    if (matcher == matcher_default)
        matcher = NULL;
    matcher_function before = atomic_exchange(&task->matcher, matcher);
    return before ? before : matcher_default;
}
