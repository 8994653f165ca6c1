/* siblings.c - taking in who they are, and waiting for it. */
#include "lib/link/siblings.h"

#include <stdlib.h>
#include <string.h>

#include "core/control.h"
#include "lib/link/dialect.h"
#include "lib/link/pvmd_link.h"
#include "lib/task/own_program.h"
#include "lib/task/process.h"
#include "lib/task/public.h"

struct siblings {
    int users; /* tasks that have the list; with the lock of the process */
    int count;
    int tids[];
};

/* NULL without memory. */
static struct siblings *siblings_new(int count)
{
    struct siblings *siblings = malloc(sizeof *siblings + (size_t)count * sizeof *siblings->tids);
    if (siblings)
        *siblings = (struct siblings){.count = count};
    return siblings;
}

static bool siblings_are_same(const struct siblings *one, const struct siblings *other)
{
    return one->count == other->count &&
           memcmp(one->tids, other->tids, (size_t)one->count * sizeof *one->tids) == 0;
}

/* The list for one user more: `fresh`, or the same list if a task of the process has it. */
static struct siblings *siblings_share(struct process *process, struct siblings *fresh)
{
    lock_acquire(&process->lock);
    struct siblings *shared = process->siblings;
    if (!shared || !siblings_are_same(shared, fresh))
        shared = process->siblings = fresh;
    shared->users++;
    lock_release(&process->lock);
    if (shared != fresh)
        free(fresh);
    return shared;
}

/* One user less of a list, or of none. */
static void siblings_let_go(struct process *process, struct siblings *siblings)
{
    if (!siblings)
        return;
    lock_acquire(&process->lock);
    bool last = --siblings->users == 0;
    if (last && process->siblings == siblings)
        process->siblings = NULL;
    lock_release(&process->lock);
    if (last)
        free(siblings);
}

/* Takes over `fresh`, unless there is a list. */
static void siblings_set(struct task *task, struct siblings *fresh)
{
    struct results *results = &task->results;
    struct siblings *unused = siblings_share(task->process, fresh);
    int *handed_out = NULL;
    lock_acquire(&results->lock);
    if (!atomic_load(&results->siblings_known)) {
        struct siblings *old = results->siblings;
        results->siblings = unused;
        unused = old;
        handed_out = results->sibling_tids;
        results->sibling_tids = NULL;
        atomic_store(&results->siblings_known, true);
    }
    lock_release(&results->lock);
    siblings_let_go(task->process, unused);
    free(handed_out);
    endpoint_recheck(&task->endpoint);
}

void siblings_take(struct task *task, const struct message *message)
{
    struct control_reader reader;
    control_read(&reader, message);
    int count = control_get_count(&reader, sizeof(int));
    struct siblings *siblings = siblings_new(count);
    if (!siblings) {
        task_report(task, "pvm_siblings", PvmNoMem);
        return;
    }
    for (int i = 0; i < count; i++)
        siblings->tids[i] = control_get_int(&reader);
    siblings_set(task, siblings);
}

void siblings_forget(struct task *task)
{
    /* The list stays for threads that have it, until the next list replaces it. */
    atomic_store(&task->results.siblings_known, false);
}

static bool siblings_are_known(void *owner)
{
    const struct task *task = owner;
    return atomic_load(&task->results.siblings_known);
}

/* Waits for what the parent tells. A task without a parent has only itself. */
static int siblings_find(struct task *task)
{
    if (siblings_are_known(task))
        return PvmOk;
    int parent = pvmd_link_parent(task);
    if (parent > 0 || parent == PvmParentNotSet)
        return dialect_result(endpoint_wait_until(&task->endpoint, siblings_are_known, task));
    struct siblings *alone = siblings_new(1);
    if (!alone)
        return PvmNoMem;
    alone->tids[0] = atomic_load(&task->tid);
    siblings_set(task, alone);
    return PvmOk;
}

/* A program with memory of its own has the list there, from the first call on. */
static void siblings_hand_out(struct task *task)
{
    struct results *results = &task->results;
    lock_acquire(&results->lock);
    const struct siblings *siblings = results->siblings;
    if (!results->sibling_tids && task->program->allocate) {
        size_t size = (size_t)siblings->count * sizeof *siblings->tids;
        results->sibling_tids = task->program->allocate(size);
        if (results->sibling_tids)
            memcpy(results->sibling_tids, siblings->tids, size);
    }
    lock_release(&results->lock);
}

int siblings_get(struct task *task, int **tids)
{
    struct results *results = &task->results;
    int result = pvmd_link_enrol(task);
    if (result == 0)
        result = tids ? siblings_find(task) : PvmBadParam;
    if (result < 0)
        return result;
    siblings_hand_out(task);
    lock_acquire(&results->lock);
    *tids = results->sibling_tids ? results->sibling_tids : results->siblings->tids;
    result = results->siblings->count;
    lock_release(&results->lock);
    return result;
}

void siblings_finish(struct task *task)
{
    siblings_let_go(task->process, task->results.siblings);
}

void siblings_put(struct task *task, struct luggage *luggage)
{
    struct results *results = &task->results;
    lock_acquire(&results->lock);
    const struct siblings *siblings =
        atomic_load(&results->siblings_known) ? results->siblings : NULL;
    luggage_put_int(luggage, siblings ? siblings->count : 0);
    if (siblings)
        luggage_put(luggage, siblings->tids, (size_t)siblings->count * sizeof *siblings->tids);
    lock_release(&results->lock);
}

void siblings_get_again(struct task *task, struct luggage_reader *reader)
{
    int count = luggage_get_count(reader, sizeof(int));
    struct siblings *siblings = count > 0 ? siblings_new(count) : NULL;
    if (siblings) {
        luggage_get(reader, siblings->tids, (size_t)count * sizeof *siblings->tids);
        siblings_set(task, siblings);
    } else if (count > 0) {
        reader->failed = true;
    }
}
