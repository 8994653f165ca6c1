/* options.c - fields of a task. */
#include "daemon/tasks/options.h"

#include <stdlib.h>

#include "daemon/base/log.h"
#include "daemon/tasks/output.h"
#include "daemon/tasks/task_room.h"
#include "daemon/tasks/trace.h"

#define VALUE_LIMIT 64

static void options_put_sink(struct message *answer, const struct sink *sink)
{
    control_put_tid(answer, sink->tid);
    control_put_int(answer, sink->context);
    control_put_int(answer, sink->tag);
}

void options_put(struct message *answer, const struct task *task)
{
    const struct host *own = hosts_own(&task->daemon->post->hosts);
    char address[ENVIRONMENT_ADDRESS_SIZE];
    environment_format_address(address, own->address, own->port);
    control_put_tid(answer, task->tid);
    control_put_int(answer, task->parent);
    options_put_sink(answer, &task->output);
    options_put_sink(answer, &task->trace);
    control_put_int(answer, HOST_MTU);
    control_put_tid(answer, own->signature);
    control_put_string(answer, address);
    control_put_tid(answer, services_scheduler(&task->daemon->task_room->services));
}

enum request_result options_tell(struct request *request)
{
    struct message *answer = request_answer(request);
    options_put(answer, request->task);
    request_reply(request, answer);
    return REQUEST_DONE;
}

/* Hexadecimal text as tasks send it; like 3.4.6, takes other text for 0. */
static uint32_t options_get_value(struct control_reader *body)
{
    char *text = control_get_string(body, VALUE_LIMIT);
    uint32_t value = text ? (uint32_t)strtoul(text, NULL, 16) : 0;
    free(text);
    return value;
}

static bool options_set_sink(struct sink *sink, int field, uint32_t value)
{
    struct sink before = *sink;
    switch (field) {
    case 0:
        sink->tid = value;
        break;
    case 1:
        sink->context = (int32_t)value;
        break;
    case 2:
        sink->tag = (int32_t)value;
        break;
    }
    return before.tid != sink->tid || before.context != sink->context || before.tag != sink->tag;
}

/*
 * Each field that changes is told on its own, as 3.4.6 does. False for an option that is not known.
 */
static bool options_set_one(struct task *task, int32_t what, uint32_t value)
{
    struct sink sink;
    if (what >= OPTION_OUTPUT_TID && what <= OPTION_OUTPUT_TAG) {
        sink = task->output;
        if (options_set_sink(&sink, what - OPTION_OUTPUT_TID, value))
            output_redirect(task, &sink);
        return true;
    }
    if (what >= OPTION_TRACE_TID && what <= OPTION_TRACE_TAG) {
        sink = task->trace;
        if (options_set_sink(&sink, what - OPTION_TRACE_TID, value))
            trace_redirect(task, &sink);
        return true;
    }
    return false;
}

enum request_result options_set(struct request *request)
{
    struct control_reader *body = &request->body;
    while (control_rest(body) > 0) {
        int32_t what = control_get_int(body);
        uint32_t value = options_get_value(body);
        if (body->failed)
            return REQUEST_MALFORMED;
        if (!options_set_one(request->task, what, value))
            complain(&request->daemon->complaints, request->task->tid,
                     "t%x set the option %d, which there is not", request->task->tid, what);
    }
    request_reply(request, request_answer(request));
    return REQUEST_DONE;
}
