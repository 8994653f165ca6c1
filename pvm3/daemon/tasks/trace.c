/* trace.c - events as messages. */
#include "daemon/tasks/trace.h"

#include <stdlib.h>
#include <sys/time.h>

#include <pvm3.h>
#include <pvmtev.h>

#include "core/control.h"
#include "core/trace_id.h"
#include "daemon/base/log.h"
#include "daemon/post/router.h"
#include "daemon/post/watch.h"
#include "daemon/tasks/task_room.h"

/* What a task that is a trace sink has been told. */
struct trace_reader {
    struct list node;
    struct watch watch; /* of a task of another host */
    uint32_t tid;
    unsigned events; /* a bit for each kind of event that has described itself */
};

/* One event being written. */
struct trace_event {
    struct daemon *daemon;
    uint32_t sink;
    struct message *message;
    bool described; /* fields carry their numbers and types */
};

static struct trace_reader *trace_reader_at(struct list *node)
{
    return LIST_OWNER(node, struct trace_reader, node);
}

static void trace_send_ids(struct daemon *daemon, const struct sink *sink)
{
    struct message *message = control_new(sink->tag, sink->context, 0);
    control_put_int(message, TEV_MARK_DATA_ID);
    for (int i = 0; i < TRACE_ID_COUNT; i++) {
        control_put_int(message, i);
        control_put_string(message, trace_ids[i].name);
        control_put_string(message, trace_ids[i].description);
    }
    control_put_int(message, TEV_MARK_DATA_ID_END);
    router_send(daemon, sink->tid, message);
}

static void trace_reader_free(struct trace_reader *reader)
{
    list_remove(&reader->node);
    watch_stop(&reader->watch);
    free(reader);
}

static void trace_reader_ended(struct watch *watch)
{
    trace_reader_free(LIST_OWNER(watch, struct trace_reader, watch));
}

/* The reader behind the sink; a new one gets the table first. NULL when memory is short. */
static struct trace_reader *trace_find_reader(struct daemon *daemon, const struct sink *sink)
{
    LIST_FOR_EACH(node, &daemon->task_room->trace_readers)
    if (trace_reader_at(node)->tid == sink->tid)
        return trace_reader_at(node);
    struct trace_reader *reader = calloc(1, sizeof *reader);
    if (!reader) {
        log_write("no memory for trace events to t%x: they are lost", sink->tid);
        return NULL;
    }
    reader->tid = sink->tid;
    watch_init(&reader->watch);
    list_append(&daemon->task_room->trace_readers, &reader->node);
    watch_start(&reader->watch, daemon, sink->tid, trace_reader_ended);
    trace_send_ids(daemon, sink);
    return reader;
}

void trace_forget(struct daemon *daemon, uint32_t tid)
{
    LIST_FOR_EACH(node, &daemon->task_room->trace_readers)
    if (trace_reader_at(node)->tid == tid)
        trace_reader_free(trace_reader_at(node));
}

static void trace_put_int(struct trace_event *event, int32_t id, int32_t value)
{
    if (event->described) {
        control_put_int(event->message, id);
        control_put_int(event->message, TEV_DATA_INT);
    }
    control_put_int(event->message, value);
}

static void trace_put_string(struct trace_event *event, int32_t id, const char *value)
{
    if (event->described) {
        control_put_int(event->message, id);
        control_put_int(event->message, TEV_DATA_STRING);
    }
    control_put_string(event->message, value);
}

/* Whether a task of another host is there is seen when it is told of. */
static bool trace_has_sink(struct daemon *daemon, uint32_t tid)
{
    const struct host *host = places_host(daemon, tid);
    return tid_is_task(tid) && ((host && host->link) || tasks_find(&daemon->post->tasks, tid));
}

/* Writes what every event has: its kind, the time, the task. False when nobody wants it. */
static bool trace_begin(struct trace_event *event, struct daemon *daemon, const struct sink *sink,
                        int32_t kind, const char *name, uint32_t tid)
{
    struct trace_reader *reader =
        trace_has_sink(daemon, sink->tid) ? trace_find_reader(daemon, sink) : NULL;
    if (!reader)
        return false;
    unsigned bit = 1u << (kind - TEV_NEWTASK);
    *event = (struct trace_event){daemon, sink->tid, control_new(sink->tag, sink->context, 0),
                                  !(reader->events & bit)};
    reader->events |= bit;
    control_put_int(event->message, event->described ? TEV_MARK_EVENT_DESC : TEV_MARK_EVENT_RECORD);
    control_put_int(event->message, kind);
    if (event->described)
        control_put_string(event->message, name);
    struct timeval now;
    gettimeofday(&now, NULL);
    trace_put_int(event, TEV_DID_TS, (int32_t)now.tv_sec);
    trace_put_int(event, TEV_DID_TU, (int32_t)now.tv_usec);
    trace_put_int(event, TEV_DID_TID, (int32_t)tid);
    return true;
}

static void trace_end(struct trace_event *event)
{
    control_put_int(event->message,
                    event->described ? TEV_MARK_EVENT_DESC_END : TEV_MARK_EVENT_RECORD_END);
    router_send(event->daemon, event->sink, event->message);
}

static void trace_begun(struct task *task, int32_t parent, int32_t flags, const char *name)
{
    struct trace_event event;
    if (!trace_begin(&event, task->daemon, &task->trace, TEV_NEWTASK, "newtask", task->tid))
        return;
    trace_put_int(&event, TEV_DID_PT, parent);
    trace_put_int(&event, TEV_DID_TF, flags);
    trace_put_string(&event, TEV_DID_TN, name);
    trace_end(&event);
}

void trace_task_start(struct task *task)
{
    trace_begun(task, task->parent, task->spawn_flags, task->name);
}

void trace_stranger(struct task *task)
{
    trace_begun(task, task->parent ? task->parent : -1, -1, *task->name ? task->name : "-");
}

void trace_spawned(struct daemon *daemon, const struct sink *sink, uint32_t tid, int32_t parent)
{
    struct trace_event event;
    if (!trace_begin(&event, daemon, sink, TEV_SPNTASK, "spntask", tid))
        return;
    trace_put_int(&event, TEV_DID_PT, parent);
    trace_end(&event);
}

void trace_task_end(struct task *task, const struct task_end *how)
{
    struct trace_event event;
    if (!trace_begin(&event, task->daemon, &task->trace, TEV_ENDTASK, "endtask", task->tid))
        return;
    trace_put_int(&event, TEV_DID_TST, how->status);
    trace_put_int(&event, TEV_DID_TUS, how->user_seconds);
    trace_put_int(&event, TEV_DID_TUU, how->user_microseconds);
    trace_put_int(&event, TEV_DID_TSS, how->system_seconds);
    trace_put_int(&event, TEV_DID_TSU, how->system_microseconds);
    trace_end(&event);
}

void trace_redirect(struct task *task, const struct sink *sink)
{
    static const struct task_end redirected;
    trace_task_end(task, &redirected);
    task->trace = *sink;
    trace_spawned(task->daemon, &task->trace, task->tid, task->parent);
    trace_task_start(task);
}
