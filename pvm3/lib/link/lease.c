/* lease.c - what is asked and told of tasks that share a connection. */
#include "lib/link/lease.h"

#include <stdlib.h>
#include <string.h>

#include <pvm3.h>

#include "core/tid.h"
#include "lib/link/pvmd_link.h"
#include "lib/task/lock_ranks.h"

void lease_start(struct lease *lease)
{
    memset(lease, 0, sizeof *lease);
    lock_init(&lease->lock, LOCK_LEASE);
    sleepers_start(&lease->free);
    sleepers_start(&lease->left);
}

void lease_abandon(struct lease *lease)
{
    if (!lease->taken) /* another thread may be amid a change otherwise */
        free(lease->tids);
    lease_start(lease);
}

void lease_begin(struct process *process)
{
    struct lease *lease = &process->lease;
    lock_acquire(&lease->lock);
    while (lease->taken)
        sleepers_sleep(&lease->free, &lease->lock, NULL);
    lease->taken = true;
    lock_release(&lease->lock);
}

void lease_end(struct process *process)
{
    struct lease *lease = &process->lease;
    lock_acquire(&lease->lock);
    lease->taken = false;
    sleepers_wake_one(&lease->free);
    lock_release(&lease->lock);
}

void lease_forget(struct process *process)
{
    struct lease *lease = &process->lease;
    free(lease->tids);
    lease->tids = NULL;
    lease->next = lease->count = 0;
    lease->keeper = 0;
}

/* Whether a whole block begins here, whose tids are called at one place. */
static bool lease_is_block(const struct lent *lent, int count)
{
    for (int i = 0; i < CONTROL_LEASE_BLOCK; i++)
        if (i == count || lent[i].tid != lent[0].tid + i)
            return false;
    return lent[0].tid % CONTROL_LEASE_BLOCK == 0;
}

static void lease_read(struct lent *lent, int count, struct control_reader *reader)
{
    for (int i = 0; i < count; i++)
        lent[i].tid = lent[i].called = control_get_int(reader);
    for (int i = 0; i < count; i += CONTROL_LEASE_BLOCK) {
        bool block = lease_is_block(lent + i, count - i);
        for (int j = 0; j < CONTROL_LEASE_BLOCK && block; j++)
            lent[i + j].called = lent[i].tid;
    }
}

/* The tids of an answer take the place of those that have been used. */
static void lease_take(struct lease *lease, const struct message *answer)
{
    struct control_reader reader;
    control_read(&reader, answer);
    int count = control_get_count(&reader, sizeof(int32_t));
    struct lent *tids = count > 0 ? malloc((size_t)count * sizeof *tids) : NULL;
    if (!tids)
        return;
    lease_read(tids, count, &reader);
    free(lease->tids);
    lease->tids = tids;
    lease->next = 0;
    lease->count = reader.failed ? 0 : count;
}

/* Whether the pvmd lends tids, and would lend them to the connection that is shared. */
static bool lease_may_ask(const struct lease *lease, const struct task *task)
{
    if (lease->keeper == 0)
        return task->may_lease;
    return task->leased || lease->keeper == atomic_load(&task->tid);
}

/* If the pvmd grants none, the lease stays as it is. */
static void lease_ask(struct lease *lease, struct task *task, int needed)
{
    if (!lease_may_ask(lease, task))
        return;
    if (needed > CONTROL_LEASE_MOST)
        needed = CONTROL_LEASE_MOST;
    struct message *answer, *request = pvmd_link_request(CONTROL_LEASE);
    control_put_int(request, needed);
    control_put_int(request,
                    (needed + CONTROL_LEASE_BLOCK - 1) / CONTROL_LEASE_BLOCK * CONTROL_LEASE_BLOCK);
    if (pvmd_link_exchange(task, request, true, &answer) < 0)
        return;
    lease_take(lease, answer);
    message_free(answer);
    if (lease->keeper != 0 || lease->count == 0)
        return;
    if (endpoint_keep_common(&task->endpoint))
        lease->keeper = atomic_load(&task->tid);
    else
        lease_forget(task->process);
}

struct lent lease_next(struct task *task, int needed)
{
    struct lease *lease = &task->process->lease;
    if (lease->next == lease->count)
        lease_ask(lease, task, needed);
    return lease->next < lease->count ? lease->tids[lease->next++] : (struct lent){0, 0};
}

bool lease_is_there(struct task *task)
{
    struct lease *lease = &task->process->lease;
    if (lease->keeper == 0)
        lease_ask(lease, task, 1);
    return lease->keeper != 0;
}

static void lease_put_birth(struct message *message, struct task *task)
{
    lock_acquire(&task->enrolment_lock);
    control_put_int(message, atomic_load(&task->tid));
    control_put_int(message, task->parent);
    control_put_string(message, task->name);
    lock_release(&task->enrolment_lock);
    lock_acquire(&task->options_lock);
    pvmd_link_put_sinks(message, &task->own_sinks);
    lock_release(&task->options_lock);
}

/* Behind all that the task has sent, and also if the task is lost. 0 or PvmNoMem. */
static int lease_tell(struct task *task, struct message *message)
{
    const uint32_t pvmd = TID_OWN_DAEMON;
    bool whole = control_is_whole(message);
    if (!whole)
        message_free(message);
    struct unattended *letter = whole ? endpoint_prepare(&message, &pvmd, 1) : NULL;
    if (letter)
        endpoint_send_unattended(&task->endpoint, letter);
    return letter ? PvmOk : PvmNoMem;
}

int lease_tell_births(struct task *const *tasks, int count)
{
    struct task *first = NULL;
    int born = 0;
    for (int i = 0; i < count; i++) {
        born += tasks[i] != NULL;
        first = first ? first : tasks[i];
    }
    if (!first)
        return PvmOk;
    struct message *message = pvmd_link_request(CONTROL_BIRTHS);
    control_put_int(message, born);
    for (int i = 0; i < count; i++)
        if (tasks[i])
            lease_put_birth(message, tasks[i]);
    return lease_tell(first, message);
}

static void lease_say_death(struct task *task)
{
    struct message *message = pvmd_link_request(CONTROL_DEATHS);
    control_put_int(message, 1);
    control_put_int(message, atomic_load(&task->tid));
    lease_tell(task, message);
}

/* A task that is not attached any more has told of its death before. */
void lease_tell_death(struct task *task)
{
    if (!task->leased || !endpoint_pin(&task->endpoint))
        return;
    if (atomic_exchange(&task->leased, false))
        lease_say_death(task);
    endpoint_unpin(&task->endpoint);
}
