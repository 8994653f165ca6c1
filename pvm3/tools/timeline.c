/* timeline.c - pairs entries with exits, task by task. */
#include "tools/timeline.h"

#include <stdlib.h>
#include <string.h>

#include <pvmtev.h>

#include "tracing/clock.h"

/* The context in which libraries speak to each other. */
#define SYSTEM_CONTEXT 524287

/* Hosts and tasks. ----------------------------------------------------------------------------- */

static struct timeline_host *timeline_host(struct timeline *timeline, int dtid)
{
    struct timeline_host **link = &timeline->hosts;
    while (*link && (*link)->dtid != dtid)
        link = &(*link)->next;
    if (!*link) {
        *link = record_allocate(NULL, sizeof **link);
        **link = (struct timeline_host){.dtid = dtid, .number = ++timeline->host_count};
    }
    return *link;
}

/* The task that was asked for last comes first: most records are of the same as the one before. */
struct timeline_task *timeline_task(struct timeline *timeline, int tid)
{
    struct timeline_task **link = &timeline->tasks;
    while (*link && (*link)->tid != tid)
        link = &(*link)->next;
    struct timeline_task *task = *link;
    if (task) {
        *link = task->next;
    } else {
        task = record_allocate(NULL, sizeof *task);
        *task = (struct timeline_task){
            .tid = tid, .host = timeline_host(timeline, clock_host(tid)), .lanes = 1};
    }
    task->next = timeline->tasks;
    return timeline->tasks = task;
}

/* Room in a growing array for one more. */
static void *extend(void *items, size_t count, size_t size)
{
    if ((count & (count - 1)) != 0)
        return items;
    return record_allocate(items, size * (count ? 2 * count : 1));
}

/* Times. --------------------------------------------------------------------------------------- */

static int64_t nanoseconds(struct record *record)
{
    return record_time(record) * 1000;
}

/* The time of the next record of a task, behind all that came before. */
static int64_t task_advance(struct timeline_task *task, struct record *record)
{
    int64_t time = nanoseconds(record);
    bool begun = task->call_count > 0 || task->moment_count > 0;
    if (begun && time <= task->last)
        time = task->last + 1;
    return task->last = time;
}

static void timeline_see(struct timeline *timeline, int64_t time)
{
    if (time < timeline->first)
        timeline->first = time;
}

/* Records. ------------------------------------------------------------------------------------- */

static void task_add_moment(struct timeline_task *task, struct record *record, int64_t time)
{
    task->moments = extend(task->moments, task->moment_count, sizeof *task->moments);
    task->moments[task->moment_count++] = (struct moment){record, time};
}

static void task_enter(struct timeline_task *task, struct record *record)
{
    int64_t time = task_advance(task, record);
    task->calls = extend(task->calls, task->call_count, sizeof *task->calls);
    task->calls[task->call_count++] = (struct call){.entry = record, .begin = time};
}

/* The exit is that of the latest call of this event that has not returned. */
static void task_leave(struct timeline_task *task, struct record *record)
{
    for (size_t i = task->call_count; i-- > 0;) {
        struct call *call = &task->calls[i];
        if (call->exit || strcmp(call->entry->layout->name, record->layout->name) != 0)
            continue;
        call->end = task_advance(task, record);
        call->exit = record;
        return;
    }
    /* Its entry was not traced. */
    task_add_moment(task, record, task_advance(task, record));
}

/*
 * What has a time of its own, in order, moves the task's time on; output is told with the time of
 * what another task did.
 */
static void task_add(struct timeline_task *task, struct record *record)
{
    int event = record->layout->event;
    if (event == TEV_NEWTASK)
        task->name = record_string(record, "TN", NULL);
    if (event == RECORD_OUTPUT || event == TEV_SPNTASK)
        task_add_moment(task, record, nanoseconds(record));
    else if (record->layout->edge == RECORD_WHOLE || event == TEV_MHF_INVOKE)
        task_add_moment(task, record, task_advance(task, record));
    else if (record->layout->edge == RECORD_ENTRY)
        task_enter(task, record);
    else
        task_leave(task, record);
}

static bool is_of_library(struct record *record)
{
    return record->layout->event == TEV_MHF_INVOKE &&
           record_integer(record, "MCX", 0) == SYSTEM_CONTEXT;
}

static void timeline_add(struct timeline *timeline, struct record *record)
{
    int tid = (int)record_integer(record, "TID", 0);
    int event = record->layout->event;
    if (event == RECORD_HOST_ADD)
        timeline_host(timeline, tid)->name = record_string(record, "HN", NULL);
    if (event == RECORD_HOST_SYNC || is_of_library(record))
        return;
    if (event == RECORD_HOST_ADD || event == RECORD_HOST_DELETE)
        /* The pvmd of a host stands for the host. */
        task_add_moment(timeline_task(timeline, tid), record, nanoseconds(record));
    else
        task_add(timeline_task(timeline, tid), record);
    timeline_see(timeline, nanoseconds(record));
}

/* Lanes. --------------------------------------------------------------------------------------- */

/* The calls of a task that are open in each lane, innermost last, while it is gone through. */
struct lane {
    size_t *open;
    size_t count;
};

/* Whether a call fits within what is open in the lane at its begin. */
static bool lane_takes(const struct timeline_task *task, struct lane *lane, const struct call *call)
{
    while (lane->count > 0 && task->calls[lane->open[lane->count - 1]].end < call->begin)
        lane->count--;
    return lane->count == 0 || task->calls[lane->open[lane->count - 1]].end > call->end;
}

/*
 * A trace does not say which thread of a task called. Calls that overlap without one being within
 * the other cannot be of one thread: they get different lanes.
 */
static void task_assign_lanes(struct timeline_task *task)
{
    struct lane *lanes = NULL;
    task->lanes = 0;
    for (size_t i = 0; i < task->call_count; i++) {
        struct call *call = &task->calls[i];
        for (call->lane = 0; call->lane < task->lanes; call->lane++)
            if (lane_takes(task, &lanes[call->lane], call))
                break;
        if (call->lane == task->lanes) {
            lanes = record_allocate(lanes, (size_t)++task->lanes * sizeof *lanes);
            lanes[call->lane] = (struct lane){.count = 0};
        }
        struct lane *lane = &lanes[call->lane];
        lane->open = record_allocate(lane->open, (lane->count + 1) * sizeof *lane->open);
        lane->open[lane->count++] = i;
    }
    for (int i = 0; i < task->lanes; i++)
        free(lanes[i].open);
    free(lanes);
    if (task->lanes == 0)
        task->lanes = 1;
}

/* Calls that did not return last until the end of the task, inner ones a little shorter. */
static void task_end_calls(struct timeline_task *task)
{
    for (size_t i = task->call_count; i-- > 0;)
        if (!task->calls[i].exit)
            task->calls[i].end = ++task->last;
}

void timeline_make(struct timeline *timeline, struct record *first)
{
    *timeline = (struct timeline){.first = INT64_MAX};
    for (struct record *record = first; record; record = record->next)
        timeline_add(timeline, record);
    for (struct timeline_task *task = timeline->tasks; task; task = task->next) {
        task_end_calls(task);
        task_assign_lanes(task);
    }
}

void timeline_free(struct timeline *timeline)
{
    while (timeline->tasks) {
        struct timeline_task *task = timeline->tasks;
        timeline->tasks = task->next;
        free(task->calls);
        free(task->moments);
        free(task);
    }
    while (timeline->hosts) {
        struct timeline_host *host = timeline->hosts;
        timeline->hosts = host->next;
        free(host);
    }
}
