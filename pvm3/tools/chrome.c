/* chrome.c - one object for each call, moment and end of a message. */
#include "tools/chrome.h"

#include <stdlib.h>
#include <string.h>

#include <pvmtev.h>

#include "console/json.h"
#include "tools/fields.h"

/* Numbers of threads for the further lanes of tasks; tids are beyond. */
#define FIRST_LANE_NUMBER 1

struct writer {
    struct json json;
    int64_t origin;
    int lanes; /* that have got a number of their own */
};

static void write_text(struct writer *writer, const char *key, const char *text)
{
    json_key(&writer->json, key);
    json_text(&writer->json, text);
}

static void write_number(struct writer *writer, const char *key, long number)
{
    json_key(&writer->json, key);
    json_number(&writer->json, number);
}

/* Microseconds, with three places. */
static void write_time(struct writer *writer, const char *key, int64_t nanoseconds)
{
    json_key(&writer->json, key);
    json_thousandths(&writer->json, nanoseconds);
}

/* Begins an event on a thread of a task. */
static void event_open(struct writer *writer, const char *phase, const char *name,
                       const struct timeline_task *task, int thread)
{
    json_open(&writer->json, '{');
    write_text(writer, "ph", phase);
    write_text(writer, "name", name);
    write_number(writer, "pid", task->host->number);
    write_number(writer, "tid", thread);
}

static void event_write_time(struct writer *writer, const struct timeline_task *task, int64_t time)
{
    write_time(writer, "ts", time + task->host->shift - writer->origin);
}

static void event_close(struct writer *writer)
{
    json_close(&writer->json, '}');
}

/* Names. --------------------------------------------------------------------------------------- */

static void name_write(struct writer *writer, const char *what, const struct timeline_task *task,
                       int thread, const char *name)
{
    event_open(writer, "M", what, task, thread);
    json_key(&writer->json, "args");
    json_open(&writer->json, '{');
    write_text(writer, "name", name);
    json_close(&writer->json, '}');
    event_close(writer);
}

/* The name of a program without the folders that it is in. */
static const char *program_name(const struct timeline_task *task)
{
    const char *name = task->name ? task->name : "";
    const char *slash = strrchr(name, '/');
    return slash ? slash + 1 : name;
}

static void task_write_name(struct writer *writer, const struct timeline_task *task, int lane,
                            int thread)
{
    char name[256];
    const char *program = program_name(task);
    if (lane == 0)
        snprintf(name, sizeof name, "t%x %s", (unsigned)task->tid, program);
    else
        snprintf(name, sizeof name, "t%x %s, thread %d", (unsigned)task->tid, program, lane + 1);
    name_write(writer, "thread_name", task, thread, name);
}

/* Tasks of a host are found by the task that stands for the host. */
static void host_write_name(struct writer *writer, const struct timeline_host *host)
{
    struct timeline_task stands_for = {.host = (struct timeline_host *)host};
    char name[256];
    snprintf(name, sizeof name, "%s (t%x)", host->name ? host->name : "host", (unsigned)host->dtid);
    name_write(writer, "process_name", &stands_for, host->dtid, name);
    name_write(writer, "thread_name", &stands_for, host->dtid, "pvmd");
}

/* Calls and moments. --------------------------------------------------------------------------- */

static void call_write(struct writer *writer, const struct timeline_task *task,
                       const struct call *call, int thread)
{
    event_open(writer, "X", call->entry->layout->name, task, thread);
    write_text(writer, "cat", "call");
    event_write_time(writer, task, call->begin);
    write_time(writer, "dur", call->end - call->begin);
    json_key(&writer->json, "args");
    json_open(&writer->json, '{');
    fields_write(&writer->json, call->entry, FIELD_DESCRIPTIONS);
    fields_write(&writer->json, call->exit, FIELD_DESCRIPTIONS);
    if (!call->exit) {
        json_key(&writer->json, "returned");
        json_boolean(&writer->json, false);
    }
    json_close(&writer->json, '}');
    event_close(writer);
}

static const char *moment_name(struct record *record)
{
    const char *text = record_string(record, "OS", "");
    switch (record->layout->event) {
    case TEV_NEWTASK:
        return "task begins";
    case TEV_SPNTASK:
        return "task is spawned";
    case TEV_ENDTASK:
        return "task ends";
    case RECORD_HOST_ADD:
        return "host is added";
    case RECORD_HOST_DELETE:
        return "host is deleted";
    case RECORD_OUTPUT:
        return strcmp(text, "GOTEOF") == 0 ? "output ends" : "output";
    default:
        return record->layout->name;
    }
}

/* That output begins says nothing that the begin of the task does not. */
static bool moment_is_shown(struct record *record)
{
    const char *text = record_string(record, "OS", "");
    return record->layout->event != RECORD_OUTPUT ||
           (strcmp(text, "CREATION") != 0 && strcmp(text, "GOTSPAWN") != 0);
}

static void moment_write(struct writer *writer, const struct timeline_task *task,
                         const struct moment *moment)
{
    int event = moment->record->layout->event;
    bool of_host = event == RECORD_HOST_ADD || event == RECORD_HOST_DELETE;
    if (!moment_is_shown(moment->record))
        return;
    event_open(writer, "i", moment_name(moment->record), task, task->tid);
    write_text(writer, "cat", of_host ? "host" : event == RECORD_OUTPUT ? "output" : "task");
    write_text(writer, "s", of_host ? "p" : "t");
    event_write_time(writer, task, moment->time);
    json_key(&writer->json, "args");
    json_open(&writer->json, '{');
    fields_write(&writer->json, moment->record, FIELD_DESCRIPTIONS);
    json_close(&writer->json, '}');
    event_close(writer);
}

/*
 * The threads of a task: the first one goes by its tid. Messages find the others by the numbers
 * that follow each other from the first of the task on.
 */
static int lane_thread(const struct timeline_task *task, int first_number, int lane)
{
    return lane == 0 ? task->tid : first_number + lane - 1;
}

static void task_write(struct writer *writer, struct timeline_task *task)
{
    task->lane_number = FIRST_LANE_NUMBER + writer->lanes;
    writer->lanes += task->lanes - 1;
    if (task->tid != task->host->dtid)
        for (int lane = 0; lane < task->lanes; lane++)
            task_write_name(writer, task, lane, lane_thread(task, task->lane_number, lane));
    for (size_t i = 0; i < task->call_count; i++)
        call_write(writer, task, &task->calls[i],
                   lane_thread(task, task->lane_number, task->calls[i].lane));
    for (size_t i = 0; i < task->moment_count; i++)
        moment_write(writer, task, &task->moments[i]);
}

/* Messages. ------------------------------------------------------------------------------------ */

static void end_write(struct writer *writer, const struct message_end *end, const char *phase,
                      long id)
{
    int lane = end->call ? end->call->lane : 0;
    event_open(writer, phase, "message", end->task,
               lane_thread(end->task, end->task->lane_number, lane));
    write_text(writer, "cat", "message");
    write_number(writer, "id", id);
    event_write_time(writer, end->task, end->time);
    if (*phase == 'f')
        write_text(writer, "bp", "e"); /* it leads to the call around it, not to the next one */
    event_close(writer);
}

void chrome_write(FILE *file, struct timeline *timeline, const struct messages *messages)
{
    struct writer writer = {.json = {.file = file}, .origin = timeline->first};
    json_open(&writer.json, '{');
    write_text(&writer, "displayTimeUnit", "ms");
    json_key(&writer.json, "otherData");
    json_open(&writer.json, '{');
    write_text(&writer, "creator", "pvmtrace " VERSION);
    write_number(&writer, "messages sent", (long)messages->sent);
    write_number(&writer, "messages received", (long)messages->received);
    write_number(&writer, "messages matched", (long)messages->count);
    json_close(&writer.json, '}');
    json_key(&writer.json, "traceEvents");
    json_open(&writer.json, '[');
    for (const struct timeline_host *host = timeline->hosts; host; host = host->next)
        host_write_name(&writer, host);
    for (struct timeline_task *task = timeline->tasks; task; task = task->next)
        task_write(&writer, task);
    for (size_t i = 0; i < messages->count; i++) {
        end_write(&writer, &messages->pairs[i].sent, "s", (long)i + 1);
        end_write(&writer, &messages->pairs[i].received, "f", (long)i + 1);
    }
    json_close(&writer.json, ']');
    json_close(&writer.json, '}');
    putc('\n', file);
}
