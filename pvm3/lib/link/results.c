/* results.c - one list of each kind is kept. */
#include "lib/link/results.h"

#include <stdlib.h>
#include <string.h>

#include "lib/link/host_list.h"
#include "lib/task/own_program.h"

void *results_hand_out(struct task *task, void *memory, size_t size)
{
    void *own = memory && task->program->allocate ? task->program->allocate(size) : NULL;
    if (!own)
        return memory;
    memcpy(own, memory, size);
    free(memory);
    return own;
}

static char *results_hand_out_text(struct task *task, char *text)
{
    return results_hand_out(task, text, text ? strlen(text) + 1 : 0);
}

void results_set_hosts(struct task *task, struct pvmhostinfo *list, int count)
{
    struct results *results = &task->results;
    list = results_hand_out(task, list, (size_t)count * sizeof *list);
    for (int i = 0; i < count; i++) {
        list[i].hi_name = results_hand_out_text(task, list[i].hi_name);
        list[i].hi_arch = results_hand_out_text(task, list[i].hi_arch);
    }
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
    list = results_hand_out(task, list, (size_t)count * sizeof *list);
    for (int i = 0; i < count; i++)
        list[i].ti_a_out = results_hand_out_text(task, list[i].ti_a_out);
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

static void results_hand_out_mailbox(struct task *task, struct pvmmboxinfo *mailbox)
{
    size_t size = (size_t)mailbox->mi_nentries * sizeof(int);
    mailbox->mi_name = results_hand_out_text(task, mailbox->mi_name);
    mailbox->mi_indices = results_hand_out(task, mailbox->mi_indices, size);
    mailbox->mi_owners = results_hand_out(task, mailbox->mi_owners, size);
    mailbox->mi_flags = results_hand_out(task, mailbox->mi_flags, size);
}

void results_set_mailboxes(struct task *task, struct pvmmboxinfo *list, int count)
{
    struct results *results = &task->results;
    list = results_hand_out(task, list, (size_t)count * sizeof *list);
    for (int i = 0; i < count; i++)
        results_hand_out_mailbox(task, &list[i]);
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

/* The program's lists. */
struct results_record {
    struct pvmhostinfo *hosts;
    struct pvmtaskinfo *tasks;
    struct pvmmboxinfo *mailboxes;
    int *sibling_tids;
    int *no_resets;
    int host_count;
    int task_count;
    int mailbox_count;
    int padding;
};

static void results_write(struct results *results, const struct results_record *record)
{
    lock_acquire(&results->lock);
    results->hosts = record->hosts;
    results->tasks = record->tasks;
    results->mailboxes = record->mailboxes;
    results->sibling_tids = record->sibling_tids;
    results->no_resets = record->no_resets;
    results->host_count = record->host_count;
    results->task_count = record->task_count;
    results->mailbox_count = record->mailbox_count;
    lock_release(&results->lock);
}

void results_leave_behind(struct task *task)
{
    const struct results_record none = {.hosts = NULL};
    if (task->program->allocate)
        results_write(&task->results, &none);
}

void results_put(struct task *task, struct luggage *luggage)
{
    const struct results *results = &task->results;
    struct results_record record = {.hosts = NULL};
    if (task->program->allocate)
        record = (struct results_record){.hosts = results->hosts,
                                         .tasks = results->tasks,
                                         .mailboxes = results->mailboxes,
                                         .sibling_tids = results->sibling_tids,
                                         .no_resets = results->no_resets,
                                         .host_count = results->host_count,
                                         .task_count = results->task_count,
                                         .mailbox_count = results->mailbox_count};
    luggage_put(luggage, &record, sizeof record);
}

void results_get(struct task *task, struct luggage_reader *reader)
{
    struct results_record record;
    luggage_get(reader, &record, sizeof record);
    results_write(&task->results, &record);
}

void results_finish(struct task *task)
{
    struct results *results = &task->results;
    results_set_hosts(task, NULL, 0);
    results_set_master(task, NULL);
    results_set_tasks(task, NULL, 0);
    results_set_mailboxes(task, NULL, 0);
    free(results->no_resets);
    free(results->sibling_tids);
    free(results->descriptors);
    lock_destroy(&results->lock);
}
