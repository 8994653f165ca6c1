/* move_record.c - field by field. */
#include "daemon/requests/move_record.h"

#include "core/tid.h"

#define NAME_LIMIT 1024

static void move_record_put_sink(struct message *message, const struct sink *sink)
{
    control_put_tid(message, sink->tid);
    control_put_int(message, sink->context);
    control_put_int(message, sink->tag);
}

void move_record_put(struct message *message, const struct task *task, uint32_t holder)
{
    control_put_tid(message, task->tid);
    control_put_tid(message, holder);
    control_put_int(message, task->parent);
    control_put_int(message, task->spawn_flags);
    control_put_string(message, task->name);
    move_record_put_sink(message, &task->output);
    move_record_put_sink(message, &task->trace);
    control_put_tid(message, task->scheduler);
    control_put_int(message, task->output_ended);
    control_put_int(message, task->region);
}

static void move_record_read_sink(struct sink *sink, struct control_reader *body)
{
    sink->tid = control_get_tid(body);
    sink->context = control_get_int(body);
    sink->tag = control_get_int(body);
}

bool move_record_read(struct move_record *record, struct control_reader *body)
{
    record->tid = control_get_tid(body);
    record->holder = control_get_tid(body);
    record->parent = control_get_int(body);
    record->spawn_flags = control_get_int(body);
    record->name = control_get_string(body, NAME_LIMIT);
    move_record_read_sink(&record->output, body);
    move_record_read_sink(&record->trace, body);
    record->scheduler = control_get_tid(body);
    record->output_ended = control_get_int(body);
    record->region = control_get_int(body);
    return !body->failed && tid_is_task(record->tid);
}

void move_record_apply(const struct move_record *record, struct task *task)
{
    task->parent = record->parent;
    task->spawn_flags = record->spawn_flags;
    task->output = record->output;
    task->trace = record->trace;
    task->scheduler = record->scheduler;
    task->output_ended = record->output_ended;
    task->region = record->region;
    task->travelled = true;
    task->beside = true;
}
