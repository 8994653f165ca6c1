/* tasks.c - records by tid. */
#include "daemon/post/tasks.h"

#include <stdlib.h>
#include <string.h>

#include "core/control.h"
#include "daemon/post/post_room.h"

#define FIRST_BUCKETS 64

int tasks_start(struct tasks *tasks, struct daemon *daemon, size_t limit)
{
    *tasks = (struct tasks){.daemon = daemon, .limit = limit, .bucket_count = FIRST_BUCKETS};
    list_start(&tasks->list);
    tasks->buckets = calloc(tasks->bucket_count, sizeof(struct task *));
    return tasks->buckets ? 0 : -1;
}

void tasks_finish(struct tasks *tasks)
{
    free(tasks->buckets);
}

static struct task **tasks_bucket(const struct tasks *tasks, uint32_t tid)
{
    return &tasks->buckets[(tid & TID_LOCAL_MASK) & (tasks->bucket_count - 1)];
}

struct task *tasks_find(const struct tasks *tasks, uint32_t tid)
{
    for (struct task *task = *tasks_bucket(tasks, tid); task; task = task->bucket_next)
        if (task->tid == tid)
            return task;
    return NULL;
}

struct task *tasks_find_task(const struct tasks *tasks, uint32_t tid)
{
    struct task *task = tasks_find(tasks, tid);
    return task && task_has_begun(task) ? task : NULL;
}

struct task *tasks_find_expected(const struct tasks *tasks, pid_t pid)
{
    const unsigned taken = TASK_IS_CONNECTED | TASK_IS_AUTHENTICATING | TASK_IS_CLOSING;
    LIST_FOR_EACH(node, &tasks->list)
    if (task_at(node)->pid == pid && !(task_at(node)->flags & taken))
        return task_at(node);
    return NULL;
}

struct task *tasks_find_child(const struct tasks *tasks, pid_t pid)
{
    LIST_FOR_EACH(node, &tasks->list)
    if (task_at(node)->pid == pid && (task_at(node)->flags & TASK_IS_CHILD))
        return task_at(node);
    return NULL;
}

bool task_has_company(const struct task *task)
{
    LIST_FOR_EACH(node, &task->daemon->post->tasks.list)
    {
        const struct task *other = task_at(node);
        if (other != task && other->process == task->process && other->link && !other->killed_by)
            return true;
    }
    return false;
}

static void tasks_chain(struct tasks *tasks, struct task *task)
{
    struct task **bucket = tasks_bucket(tasks, task->tid);
    task->bucket_next = *bucket;
    *bucket = task;
}

/* Chains stay short; when memory for more buckets is short, they only get longer. */
static void tasks_spread(struct tasks *tasks)
{
    struct task **before = tasks->buckets;
    size_t count = tasks->bucket_count;
    struct task **buckets = calloc(2 * count, sizeof(struct task *));
    if (!buckets)
        return;
    tasks->buckets = buckets;
    tasks->bucket_count = 2 * count;
    for (size_t i = 0; i < count; i++)
        for (struct task *task = before[i], *next; task; task = next) {
            next = task->bucket_next;
            tasks_chain(tasks, task);
        }
    free(before);
}

static void tasks_insert(struct tasks *tasks, struct task *task)
{
    if (tasks->count == tasks->bucket_count)
        tasks_spread(tasks);
    tasks_chain(tasks, task);
    tasks->count++;
}

/*
 * Numbers grow until they wrap, so the place is nearly always the end. Tids of a lease are used
 * later, but in their order: the place is behind the tid before.
 */
static void tasks_list(struct tasks *tasks, struct task *task)
{
    struct task *before = tasks_find_task(tasks, task->tid - 1);
    struct list *place = before ? &before->node : tasks->list.previous;
    while (place != &tasks->list && task_at(place)->tid > task->tid)
        place = place->previous;
    list_insert(place, &task->node);
}

static void tasks_remove(struct tasks *tasks, struct task *task)
{
    struct task **link = tasks_bucket(tasks, task->tid);
    while (*link != task)
        link = &(*link)->bucket_next;
    *link = task->bucket_next;
    list_remove(&task->node);
    tasks->count--;
    if (task->leased)
        tasks->leased--;
}

/* Whether no task has the tid, be it one that lives elsewhere. */
static bool tasks_is_free(const struct tasks *tasks, uint32_t tid)
{
    return !tasks_find(tasks, tid) && !places_find(&tasks->daemon->post->places, tid);
}

/* The next local part that no task has; 0 when there is none. */
static uint32_t tasks_next_number(struct tasks *tasks)
{
    uint32_t host = hosts_own(&tasks->daemon->post->hosts)->part;
    for (uint32_t tried = 0; tried < TID_LOCAL_MASK; tried++) {
        tasks->cursor = tasks->cursor % TID_LOCAL_MASK + 1;
        if (tasks_is_free(tasks, host | tasks->cursor))
            return tasks->cursor;
    }
    return 0;
}

/* Whether no task has one of these numbers. */
static bool tasks_are_free(const struct tasks *tasks, uint32_t first, uint32_t count)
{
    uint32_t host = hosts_own(&tasks->daemon->post->hosts)->part;
    for (uint32_t number = first; number < first + count; number++)
        if (!tasks_is_free(tasks, host | number))
            return false;
    return true;
}

void tasks_seek_block(struct tasks *tasks, uint32_t size)
{
    uint32_t blocks = (TID_LOCAL_MASK + 1) / size, block = tasks->cursor / size;
    for (uint32_t tried = 0; tried < blocks; tried++) {
        block = block % (blocks - 1) + 1; /* number 0 is nobody's */
        if (tasks_are_free(tasks, block * size, size)) {
            tasks->cursor = block * size - 1;
            return;
        }
    }
}

static void task_remove(struct loop_work *work)
{
    struct task *task = LIST_OWNER(work, struct task, removal);
    free(task->name);
    free(task);
}

static struct task *task_make(struct tasks *tasks, uint32_t tid)
{
    struct task *task = calloc(1, sizeof *task);
    if (!task)
        return NULL;
    task->daemon = tasks->daemon;
    task->tid = tid;
    task->region = -1;
    task->pipe.fd = -1;
    list_start(&task->node);
    list_start(&task->of_link);
    loop_work_start(&task->removal, task_remove);
    frame_queue_start(&task->waiting);
    backlog_start(&task->backlog, &tasks->daemon->backlogs, SIZE_MAX);
    task->backlog.tid = task->tid;
    task->waiting.backlog = &task->backlog;
    feeder_start(&task->printer, NULL);
    kept_frames_start(&task->multicast_kept, NULL);
    list_start(&task->watchers);
    list_start(&task->watching);
    list_start(&task->contexts);
    list_start(&task->sockets);
    tasks_insert(tasks, task);
    return task;
}

struct task *task_reserve(struct tasks *tasks)
{
    uint32_t number =
        tasks->limit > 0 && tasks->count >= tasks->limit ? 0 : tasks_next_number(tasks);
    return number ? task_make(tasks, hosts_own(&tasks->daemon->post->hosts)->part | number) : NULL;
}

struct task *task_receive(struct tasks *tasks, uint32_t tid)
{
    return tasks_find(tasks, tid) ? NULL : task_make(tasks, tid);
}

int task_begin(struct task *task, const char *name)
{
    task->name = strdup(name);
    if (!task->name)
        return -1;
    tasks_list(&task->daemon->post->tasks, task);
    return 0;
}

struct task *task_new(struct tasks *tasks, const char *name)
{
    struct task *task = task_reserve(tasks);
    if (!task || task_begin(task, name) == 0)
        return task;
    task_free(task);
    return NULL;
}

void task_free(struct task *task)
{
    struct daemon *daemon = task->daemon;
    loop_close(&daemon->loop, &task->pipe);
    tasks_remove(&daemon->post->tasks, task);
    list_remove(&task->of_link);
    frame_queue_finish(&task->waiting);
    backlog_finish(&task->backlog);
    feeder_release(&task->printer);
    free(task->multicast);
    kept_frames_finish(&task->multicast_kept);
    loop_defer(&daemon->loop, &task->removal);
}

size_t task_end_of_host(const struct task *task, size_t first)
{
    size_t end = first;
    while (end < task->multicast_count && task->multicast[end].part == task->multicast[first].part)
        end++;
    return end;
}
