/* collect.c - messages of traced tasks and their pvmds become records. */
#include "tracing/collect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include <pvm3.h>
#include <pvmtev.h>

#define SECOND     1000000
#define SYNC_TRIES 10

/* What an output message holds in place of a length. */
enum { OUTPUT_END = 0, OUTPUT_SPAWNED = -1, OUTPUT_STARTED = -2 };

struct collected_task {
    struct collected_task *next;
    int tid;
    bool told;    /* the owner knows that it has begun */
    bool spawned; /* its parent's pvmd has told of it */
    bool silent;  /* its output has ended */
    bool ended;   /* so has the task */
    bool gone;    /* the owner knows that; only the word of the parent's pvmd may still come */
    char *line;   /* what it has printed since the last newline */
    size_t length;
};

struct collected_host {
    struct collected_host *next;
    int dtid;
    char *name;
    int64_t behind; /* microseconds that its clock is behind ours */
    int64_t
        latest; /* by that clock, when its newest event was: output carries no time of its own */
    bool there; /* seen in the table just now */
};

/* Tasks. --------------------------------------------------------------------------------------- */

static struct collected_task *task_get(struct collector *collector, int tid)
{
    struct collected_task *task = collector->tasks;
    while (task && task->tid != tid)
        task = task->next;
    if (task)
        return task;
    task = record_allocate(NULL, sizeof *task);
    *task = (struct collected_task){.next = collector->tasks, .tid = tid};
    return collector->tasks = task;
}

static void task_tell(struct collector *collector, struct collected_task *task)
{
    if (!task->told)
        collector->functions->begun(collector->owner, task->tid);
    task->told = true;
}

static void task_remove(struct collector *collector, struct collected_task *task)
{
    struct collected_task **link = &collector->tasks;
    while (*link != task)
        link = &(*link)->next;
    *link = task->next;
    free(task->line);
    free(task);
}

static void task_end(struct collector *collector, struct collected_task *task)
{
    task->gone = true;
    decode_forget(collector->decoder, task->tid);
    collector->functions->ended(collector->owner, task->tid);
}

static void task_check(struct collector *collector, struct collected_task *task)
{
    if (task->silent && task->ended && !task->gone)
        task_end(collector, task);
    if (task->gone && task->spawned)
        task_remove(collector, task);
}

/* A task begins: one of this tid that was there before is another one. */
static struct collected_task *task_begin(struct collector *collector, int tid)
{
    struct collected_task *task = task_get(collector, tid);
    if (!task->gone)
        return task;
    task_remove(collector, task);
    return task_get(collector, tid);
}

void collector_expect(struct collector *collector, int tid)
{
    task_get(collector, tid);
}

bool collector_is_idle(const struct collector *collector)
{
    const struct collected_task *task = collector->tasks;
    while (task && task->gone)
        task = task->next;
    return !task;
}

/* Records that the collector makes itself. ----------------------------------------------------- */

static int64_t now(void)
{
    struct timeval time;
    gettimeofday(&time, NULL);
    return (int64_t)time.tv_sec * SECOND + time.tv_usec;
}

/* What all records begin with. */
static struct record_layout *layout_begin(const char *name, int event)
{
    struct record_layout *layout = layout_create(name, RECORD_WHOLE, event);
    layout_add_field(layout, "TS", "Time Seconds", RECORD_INT, false);
    layout_add_field(layout, "TU", "Time Microseconds", RECORD_INT, false);
    layout_add_field(layout, "TID", "Task ID", RECORD_INT, false);
    return layout;
}

/* A record of `layout`, which the set takes over. */
static struct record *record_begin(struct collector *collector, struct record_layout *layout,
                                   int64_t time, int tid)
{
    struct record *record = record_create(layouts_add(&collector->decoder->layouts, layout));
    value_add_integer(&record->value[0], time / SECOND);
    value_add_integer(&record->value[1], time % SECOND);
    value_add_integer(&record->value[2], tid);
    return record;
}

static void add_text(struct record *record, int field, const char *text, size_t length)
{
    value_add_string(&record->value[field], record_copy_text(text, length));
}

static void add_string(struct record *record, int field, const char *text)
{
    add_text(record, field, text, strlen(text));
}

/* Hosts. --------------------------------------------------------------------------------------- */

static void host_tell_added(struct collector *collector, const struct pvmhostinfo *host)
{
    struct record_layout *layout = layout_begin("host_add", RECORD_HOST_ADD);
    layout_add_field(layout, "HN", "Host Name", RECORD_STRING, false);
    layout_add_field(layout, "HNA", "Host Name Alias", RECORD_STRING, false);
    layout_add_field(layout, "HA", "Host Architecture", RECORD_STRING, false);
    layout_add_field(layout, "HSP", "Host Speed", RECORD_INT, false);
    struct record *record = record_begin(collector, layout, now(), host->hi_tid);
    add_string(record, 3, host->hi_name);
    add_text(record, 4, host->hi_name, strcspn(host->hi_name, "."));
    add_string(record, 5, host->hi_arch);
    value_add_integer(&record->value[6], host->hi_speed);
    collector->functions->record(collector->owner, host->hi_tid, record);
}

/*
 * How far the clock of a host is behind ours: of several answers the quickest is the most exact.
 * False when none came.
 */
static bool host_measure(int dtid, int64_t *behind)
{
    int64_t shortest = INT64_MAX;
    for (int i = 0; i < SYNC_TRIES; i++) {
        struct timeval difference;
        int64_t began = now();
        if (pvm_hostsync(dtid, NULL, &difference) < 0)
            return false;
        int64_t took = now() - began;
        if (took < shortest) {
            shortest = took;
            *behind = (int64_t)difference.tv_sec * SECOND + difference.tv_usec;
        }
    }
    return true;
}

/* Tells of the clock of a host that is not our own. */
static void host_tell_clock(struct collector *collector, struct collected_host *host)
{
    int dtid = host->dtid;
    if (dtid == pvm_tidtohost(pvm_mytid()) || !host_measure(dtid, &host->behind))
        return;
    struct record_layout *layout = layout_begin("host_sync", RECORD_HOST_SYNC);
    layout_add_field(layout, "HDS", "Host Delta Seconds", RECORD_INT, false);
    layout_add_field(layout, "HDU", "Host Delta Microseconds", RECORD_INT, false);
    struct record *record = record_begin(collector, layout, now(), dtid);
    value_add_integer(&record->value[3], host->behind / SECOND);
    value_add_integer(&record->value[4], host->behind % SECOND);
    collector->functions->record(collector->owner, dtid, record);
}

static void host_tell_deleted(struct collector *collector, const struct collected_host *host)
{
    struct record_layout *layout = layout_begin("host_del", RECORD_HOST_DELETE);
    layout_add_field(layout, "HN", "Host Name", RECORD_STRING, false);
    struct record *record = record_begin(collector, layout, now(), host->dtid);
    add_string(record, 3, host->name);
    collector->functions->record(collector->owner, host->dtid, record);
}

static void host_remove_tasks(struct collector *collector, int dtid)
{
    struct collected_task *task = collector->tasks;
    while (task) {
        struct collected_task *next = task->next;
        if (pvm_tidtohost(task->tid) == dtid) {
            if (!task->gone)
                task_end(collector, task);
            task_remove(collector, task);
        }
        task = next;
    }
}

static struct collected_host *host_find(struct collector *collector, int dtid)
{
    struct collected_host *host = collector->hosts;
    while (host && host->dtid != dtid)
        host = host->next;
    return host;
}

static void host_see(struct collector *collector, const struct pvmhostinfo *info)
{
    struct collected_host *host = host_find(collector, info->hi_tid);
    if (!host) {
        host = record_allocate(NULL, sizeof *host);
        *host =
            (struct collected_host){.next = collector->hosts,
                                    .dtid = info->hi_tid,
                                    .name = record_copy_text(info->hi_name, strlen(info->hi_name))};
        collector->hosts = host;
        host_tell_added(collector, info);
    }
    host->there = true;
}

static void hosts_drop_absent(struct collector *collector)
{
    struct collected_host **link = &collector->hosts;
    while (*link) {
        struct collected_host *host = *link;
        if (host->there) {
            host->there = false;
            link = &host->next;
            continue;
        }
        *link = host->next;
        host_tell_deleted(collector, host);
        host_remove_tasks(collector, host->dtid);
        free(host->name);
        free(host);
    }
}

void collector_update_hosts(struct collector *collector)
{
    int count;
    struct pvmhostinfo *hosts;
    const struct collected_host *known = collector->hosts;
    if (pvm_config(&count, NULL, &hosts) < 0)
        return;
    for (int i = 0; i < count; i++)
        host_see(collector, &hosts[i]);
    for (struct collected_host *host = collector->hosts; host != known; host = host->next)
        host_tell_clock(collector, host);
    hosts_drop_absent(collector);
}

/* Output. -------------------------------------------------------------------------------------- */

static void output_tell(struct collector *collector, int tid, const char *text, size_t length)
{
    struct record_layout *layout = layout_begin("output", RECORD_OUTPUT);
    layout_add_field(layout, "OS", "Output String", RECORD_STRING, false);
    const struct collected_host *host = host_find(collector, pvm_tidtohost(tid));
    int64_t time = host && host->latest > 0 ? host->latest : now() - (host ? host->behind : 0);
    struct record *record = record_begin(collector, layout, time, tid);
    add_text(record, 3, text, strnlen(text, length));
    collector->functions->record(collector->owner, tid, record);
}

static void output_mark(struct collector *collector, int tid, const char *mark)
{
    output_tell(collector, tid, mark, strlen(mark));
}

static void output_line(struct collector *collector, int tid, const char *text, size_t length)
{
    output_tell(collector, tid, text, length);
    collector->functions->line(collector->owner, tid, text, length);
}

/* Tells the whole lines of what the task has printed, and keeps the rest. */
static void output_tell_lines(struct collector *collector, struct collected_task *task)
{
    char *start = task->line, *end;
    size_t left = task->length;
    while (left > 0 && (end = memchr(start, '\n', left))) {
        output_line(collector, task->tid, start, (size_t)(end - start));
        left -= (size_t)(end + 1 - start);
        start = end + 1;
    }
    if (left > 0)
        memmove(task->line, start, left);
    task->length = left;
}

static void output_add(struct collector *collector, struct collected_task *task, int count)
{
    task->line = record_allocate(task->line, task->length + (size_t)count);
    if (pvm_upkbyte(task->line + task->length, count, 1) < 0)
        return;
    task->length += (size_t)count;
    output_tell_lines(collector, task);
}

static void output_end(struct collector *collector, struct collected_task *task)
{
    if (task->length > 0)
        output_line(collector, task->tid, task->line, task->length);
    task->length = 0;
    output_mark(collector, task->tid, "GOTEOF");
    collector->functions->line(collector->owner, task->tid, NULL, 0);
    task->silent = true;
}

void collector_take_output(struct collector *collector)
{
    int tid, count, bytes, tag, source;
    if (pvm_bufinfo(pvm_getrbuf(), &bytes, &tag, &source) < 0 || pvm_upkint(&tid, 1, 1) < 0 ||
        pvm_upkint(&count, 1, 1) < 0 || count > bytes)
        return;
    struct collected_task *task =
        count == OUTPUT_STARTED ? task_begin(collector, tid) : task_get(collector, tid);
    if (count > 0)
        output_add(collector, task, count);
    else if (count == OUTPUT_END)
        output_end(collector, task);
    else if (count == OUTPUT_STARTED)
        output_mark(collector, tid, "CREATION");
    else if (count == OUTPUT_SPAWNED)
        output_mark(collector, tid, "GOTSPAWN");
    task->spawned = task->spawned || count == OUTPUT_SPAWNED;
    task_check(collector, task);
}

/* Events. -------------------------------------------------------------------------------------- */

/* The server of groups outlives the tasks that it serves: nobody waits for it. */
static bool is_server(struct record *record)
{
    return strcmp(record_string(record, "TN", ""), "pvmgs") == 0;
}

static void collector_see(struct collector *collector, struct record *record)
{
    int tid = (int)record_integer(record, "TID", 0);
    struct collected_host *host = host_find(collector, pvm_tidtohost(tid));
    if (host && record_time(record) > host->latest)
        host->latest = record_time(record);
    bool begins = record->layout->event == TEV_NEWTASK, ends = record->layout->event == TEV_ENDTASK;
    if (!begins && !ends)
        return;
    struct collected_task *task = begins ? task_begin(collector, tid) : task_get(collector, tid);
    if (begins)
        task_tell(collector, task);
    if (begins && is_server(record))
        task->silent = task->ended = true;
    task->ended = task->ended || ends;
}

static void collector_take(void *owner, int source, struct record *record)
{
    struct collector *collector = owner;
    int tid = (int)record_integer(record, "TID", 0);
    int event = record->layout->event;
    collector_see(collector, record);
    collector->functions->record(collector->owner, source, record);
    if (event == TEV_NEWTASK || event == TEV_ENDTASK)
        task_check(collector, task_get(collector, tid));
}

void collector_take_events(struct collector *collector, int buffer)
{
    if (!decode_message(collector->decoder, buffer, collector_take, collector))
        fprintf(stderr, "a trace message makes no sense, and is dropped\n");
}

void collector_start(struct collector *collector, struct decoder *decoder,
                     const struct collector_owner *functions, void *owner)
{
    *collector = (struct collector){.functions = functions, .owner = owner, .decoder = decoder};
}

void collector_finish(struct collector *collector)
{
    while (collector->tasks) {
        struct collected_task *task = collector->tasks;
        collector->tasks = task->next;
        free(task->line);
        free(task);
    }
    while (collector->hosts) {
        struct collected_host *host = collector->hosts;
        collector->hosts = host->next;
        free(host->name);
        free(host);
    }
}
