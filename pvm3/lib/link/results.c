/* results.c - one list of each kind is kept. */
#include "lib/link/results.h"

#include <stdlib.h>

#include "lib/link/host_list.h"

void results_set_hosts(struct task *task, struct pvmhostinfo *list, int count)
{
    struct results *results = &task->results;
    lock_acquire(&results->lock);
    struct pvmhostinfo *old = results->hosts;
    int old_count = results->host_count;
    results->hosts = list;
    results->host_count = count;
    lock_release(&results->lock);
    host_list_free(old, old_count);
}

void results_set_master(struct task *task, struct pvmhostinfo *master)
{
    struct results *results = &task->results;
    lock_acquire(&results->lock);
    struct pvmhostinfo *old = results->master;
    results->master = master;
    lock_release(&results->lock);
    host_list_free(old, old ? 1 : 0);
}

void results_set_tasks(struct task *task, struct pvmtaskinfo *list, int count)
{
    struct results *results = &task->results;
    lock_acquire(&results->lock);
    struct pvmtaskinfo *old = results->tasks;
    int old_count = results->task_count;
    results->tasks = list;
    results->task_count = count;
    lock_release(&results->lock);
    for (int i = 0; i < old_count; i++)
        free(old[i].ti_a_out);
    free(old);
}

void results_set_mailboxes(struct task *task, struct pvmmboxinfo *list, int count)
{
    struct results *results = &task->results;
    lock_acquire(&results->lock);
    struct pvmmboxinfo *old = results->mailboxes;
    int old_count = results->mailbox_count;
    results->mailboxes = list;
    results->mailbox_count = count;
    lock_release(&results->lock);
    for (int i = 0; i < old_count; i++) {
        free(old[i].mi_name);
        free(old[i].mi_indices);
        free(old[i].mi_owners);
        free(old[i].mi_flags);
    }
    free(old);
}

void results_get_hosts(struct task *task, int *count, struct pvmhostinfo **list)
{
    lock_acquire(&task->results.lock);
    if (count)
        *count = task->results.host_count;
    if (list)
        *list = task->results.hosts;
    lock_release(&task->results.lock);
}

void results_get_tasks(struct task *task, int *count, struct pvmtaskinfo **list)
{
    lock_acquire(&task->results.lock);
    if (count)
        *count = task->results.task_count;
    if (list)
        *list = task->results.tasks;
    lock_release(&task->results.lock);
}

void results_get_mailboxes(struct task *task, int *count, struct pvmmboxinfo **list)
{
    lock_acquire(&task->results.lock);
    if (count)
        *count = task->results.mailbox_count;
    if (list)
        *list = task->results.mailboxes;
    lock_release(&task->results.lock);
}

struct pvmhostinfo *results_get_master(struct task *task)
{
    lock_acquire(&task->results.lock);
    struct pvmhostinfo *master = task->results.master;
    lock_release(&task->results.lock);
    return master;
}

int results_get_descriptors(struct task *task, int **list)
{
    struct results *results = &task->results;
    int count, result = PvmSysErr;
    lock_acquire(&results->lock);
    while ((count = endpoint_descriptors(&task->endpoint, results->descriptors,
                                         results->descriptor_room)) > results->descriptor_room) {
        int *larger = realloc(results->descriptors, (size_t)count * sizeof *larger);
        if (!larger)
            break;
        results->descriptors = larger;
        results->descriptor_room = count;
    }
    if (count > results->descriptor_room)
        result = PvmNoMem;
    else if (count > 0)
        result = count;
    *list = results->descriptors;
    lock_release(&results->lock);
    return result;
}

void results_finish(struct task *task)
{
    struct results *results = &task->results;
    results_set_hosts(task, NULL, 0);
    results_set_master(task, NULL);
    results_set_tasks(task, NULL, 0);
    results_set_mailboxes(task, NULL, 0);
    free(results->no_resets);
    free(results->descriptors);
    lock_destroy(&results->lock);
}
