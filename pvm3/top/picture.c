/* picture.c - looking things up in a picture, and bringing them in order. */
#include "top/picture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *kind_name(enum kind kind)
{
    static const char *const names[] = {"process", "thread", "ulp"};
    return names[kind];
}

const char *order_name(enum order order)
{
    static const char *const names[ORDER_COUNT] = {"cpu", "memory", "program", "host", "tid"};
    return names[order];
}

struct host *picture_host(const struct picture *picture, int tid)
{
    for (size_t i = 0; i < picture->host_count; i++)
        if (picture->hosts[i].tid == tid)
            return &picture->hosts[i];
    return NULL;
}

const struct task *picture_task(const struct picture *picture, int tid)
{
    for (size_t i = 0; i < picture->task_count; i++)
        if (picture->tasks[i].tid == tid)
            return &picture->tasks[i];
    return NULL;
}

int picture_tasks_of(const struct picture *picture, const struct host *host)
{
    int count = 0;
    for (size_t i = 0; i < picture->task_count; i++)
        count += picture->tasks[i].host == host;
    return count;
}

/* Order. --------------------------------------------------------------------------------------- */

static int compare_numbers(double one, double other)
{
    return (one > other) - (one < other);
}

/*
 * Hidden tasks come last. What is equal otherwise stands in the order of tids, so that nothing
 * jumps from look to look.
 */
static int compare_more(const void *one, const void *other, int result)
{
    const struct task *left = one, *right = other;
    if (left->hidden != right->hidden)
        return left->hidden ? 1 : -1;
    return result ? result : compare_numbers(left->tid, right->tid);
}

static int compare_tids(const void *one, const void *other)
{
    return compare_more(one, other, 0);
}

static int compare_shares(const void *one, const void *other)
{
    const struct task *left = one, *right = other;
    return compare_more(one, other, compare_numbers(right->share, left->share));
}

static int compare_memory(const void *one, const void *other)
{
    const struct task *left = one, *right = other;
    return compare_more(one, other, compare_numbers(right->usage.memory, left->usage.memory));
}

static int compare_programs(const void *one, const void *other)
{
    const struct task *left = one, *right = other;
    return compare_more(one, other, strcmp(left->program, right->program));
}

static int compare_hosts(const void *one, const void *other)
{
    const struct task *left = one, *right = other;
    return compare_more(one, other, strcmp(left->host->name, right->host->name));
}

static bool task_has(const struct task *task, const char *text)
{
    char tid[16];
    snprintf(tid, sizeof tid, "t%x", (unsigned)task->tid);
    return strstr(task->program, text) || strstr(task->host->name, text) || strstr(tid, text);
}

void picture_arrange(struct picture *picture, enum order order, const char *text)
{
    static int (*const compare[ORDER_COUNT])(const void *, const void *) = {
        [ORDER_PROCESSOR] = compare_shares, [ORDER_MEMORY] = compare_memory,
        [ORDER_PROGRAM] = compare_programs, [ORDER_HOST] = compare_hosts,
        [ORDER_TID] = compare_tids,
    };
    picture->shown = 0;
    for (size_t i = 0; i < picture->task_count; i++) {
        picture->tasks[i].hidden = !task_has(&picture->tasks[i], text);
        picture->shown += !picture->tasks[i].hidden;
    }
    if (picture->task_count)
        qsort(picture->tasks, picture->task_count, sizeof *picture->tasks, compare[order]);
}

void picture_free(struct picture *picture)
{
    free(picture->hosts);
    free(picture->tasks);
    *picture = (struct picture){.hosts = NULL};
}
