/* siblings.c - taking in who they are, and waiting for it. */
#include "lib/link/siblings.h"

#include <stdlib.h>

#include "core/control.h"
#include "lib/link/dialect.h"
#include "lib/link/pvmd_link.h"
#include "lib/task/public.h"

/* Takes over `list`, from malloc, unless there is one. */
static void siblings_set(struct task *task, int *list, int count)
{
    struct results *results = &task->results;
    lock_acquire(&results->lock);
    int *unused = results->siblings;
    if (atomic_load(&results->siblings_known)) {
        unused = list;
    } else {
        results->siblings = list;
        results->sibling_count = count;
        atomic_store(&results->siblings_known, true);
    }
    lock_release(&results->lock);
    free(unused);
    endpoint_recheck(&task->endpoint);
}

void siblings_take(struct task *task, const struct message *message)
{
    struct control_reader reader;
    control_read(&reader, message);
    int count = control_get_count(&reader, sizeof(int));
    int *list = malloc(((size_t)count + 1) * sizeof *list);
    if (!list) {
        task_report(task, "pvm_siblings", PvmNoMem);
        return;
    }
    for (int i = 0; i < count; i++)
        list[i] = control_get_int(&reader);
    siblings_set(task, list, count);
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
    int *alone = malloc(sizeof *alone);
    if (!alone)
        return PvmNoMem;
    *alone = atomic_load(&task->tid);
    siblings_set(task, alone, 1);
    return PvmOk;
}

int siblings_get(struct task *task, int **tids)
{
    struct results *results = &task->results;
    int result = pvmd_link_enrol(task);
    if (result == 0)
        result = tids ? siblings_find(task) : PvmBadParam;
    if (result < 0)
        return result;
    lock_acquire(&results->lock);
    *tids = results->siblings;
    result = results->sibling_count;
    lock_release(&results->lock);
    return result;
}
