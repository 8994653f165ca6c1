/* messages.c - both ends, sorted alike, side by side. */
#include "tools/messages.h"

#include <stdlib.h>

#include <pvm3.h>
#include <pvmtev.h>

struct ends {
    struct message_end *end;
    size_t count;
};

static void ends_add(struct ends *ends, const struct message_end *end)
{
    if ((ends->count & (ends->count - 1)) == 0)
        ends->end =
            record_allocate(ends->end, sizeof *ends->end * (ends->count ? 2 * ends->count : 1));
    ends->end[ends->count] = *end;
    ends->end[ends->count].order = ends->count;
    ends->count++;
}

static int number_of(struct record *record, const char *key, int otherwise)
{
    return record ? (int)record_integer(record, key, otherwise) : otherwise;
}

/* Sends. --------------------------------------------------------------------------------------- */

/* One for each task of the list, but the sender; a task that is named twice gets one message. */
static void sends_add_list(struct ends *sends, struct message_end *end, struct record *record)
{
    const struct record_value *list = record ? record_value(record, "MDL") : NULL;
    for (int i = 0; list && list->integers && i < list->count; i++) {
        bool again = false;
        for (int k = 0; k < i; k++)
            again = again || list->integers[k] == list->integers[i];
        end->destination = (int)list->integers[i];
        if (!again && end->destination != end->source)
            ends_add(sends, end);
    }
}

/*
 * The context is told by most calls that use one; a broadcast, which does not tell it, is sent in
 * the one that the task used last.
 */
static void context_follow(int *context, const struct call *call)
{
    static const char *const keys[] = {"MCX", "RCX", "CXS"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        *context = number_of(call->entry, keys[i], *context);
}

static void task_add_sends(struct timeline_task *task, struct ends *sends)
{
    int context = 0;
    for (size_t i = 0; i < task->call_count; i++) {
        const struct call *call = &task->calls[i];
        int event = call->entry->layout->event;
        context_follow(&context, call);
        struct message_end end = {.source = task->tid,
                                  .destination = number_of(call->entry, "DST", 0),
                                  .tag = number_of(call->entry, "MC", 0),
                                  .context = context,
                                  .task = task,
                                  .call = call,
                                  .time = call->begin};
        if (number_of(call->exit, "CC", 0) < 0)
            continue;
        if (event == TEV_SEND || event == TEV_PSEND)
            ends_add(sends, &end);
        else if (event == TEV_MCAST)
            sends_add_list(sends, &end, call->entry);
        else if (event == TEV_BCAST)
            sends_add_list(sends, &end, call->exit);
    }
}

/* Receives. ------------------------------------------------------------------------------------ */

/* Reads from a record of a task what it got. */
static struct message_end end_received(struct timeline_task *task, struct record *record)
{
    return (struct message_end){.source = number_of(record, "SRC", 0),
                                .destination = task->tid,
                                .tag = number_of(record, "MC", 0),
                                .context = number_of(record, "MCX", 0),
                                .task = task};
}

/* Whether the call returned with a message. */
static bool call_received(const struct call *call)
{
    switch (call->entry->layout->event) {
    case TEV_RECV:
    case TEV_NRECV:
    case TEV_TRECV:
        return number_of(call->exit, "MB", 0) > 0;
    case TEV_PRECV:
        return call->exit && number_of(call->exit, "CC", -1) >= 0;
    default:
        return false;
    }
}

static int call_compare(const void *one, const void *other)
{
    const struct call *const *a = one, *const *b = other;
    return (*a)->end < (*b)->end ? -1 : (*a)->end > (*b)->end;
}

/* In the order in which they returned. */
static void task_add_receives(struct timeline_task *task, struct ends *receives)
{
    const struct call **calls = record_allocate(NULL, (task->call_count + 1) * sizeof *calls);
    size_t count = 0;
    for (size_t i = 0; i < task->call_count; i++)
        if (call_received(&task->calls[i]))
            calls[count++] = &task->calls[i];
    if (count > 1)
        qsort(calls, count, sizeof *calls, call_compare);
    for (size_t i = 0; i < count; i++) {
        struct message_end end = end_received(task, calls[i]->exit);
        end.call = calls[i];
        end.time = calls[i]->end - 1; /* within the call */
        ends_add(receives, &end);
    }
    free(calls);
    for (size_t i = 0; i < task->moment_count; i++) {
        if (task->moments[i].record->layout->event != TEV_MHF_INVOKE)
            continue;
        struct message_end end = end_received(task, task->moments[i].record);
        end.time = task->moments[i].time;
        ends_add(receives, &end);
    }
}

/* Both. ---------------------------------------------------------------------------------------- */

static int number_compare(int one, int other)
{
    return one < other ? -1 : one > other;
}

/* Whether two ends are of messages that keep their order. */
static int flow_compare(const struct message_end *one, const struct message_end *other)
{
    int result = number_compare(one->source, other->source);
    if (result == 0)
        result = number_compare(one->destination, other->destination);
    if (result == 0)
        result = number_compare(one->context, other->context);
    return result != 0 ? result : number_compare(one->tag, other->tag);
}

static int end_compare(const void *one, const void *other)
{
    const struct message_end *a = one, *b = other;
    int result = flow_compare(a, b);
    return result != 0 ? result : a->order < b->order ? -1 : 1;
}

static void ends_sort(struct ends *ends)
{
    if (ends->count > 1)
        qsort(ends->end, ends->count, sizeof *ends->end, end_compare);
}

void messages_match(struct messages *messages, struct timeline *timeline)
{
    struct ends sends = {.count = 0}, receives = {.count = 0};
    for (struct timeline_task *task = timeline->tasks; task; task = task->next) {
        task_add_sends(task, &sends);
        task_add_receives(task, &receives);
    }
    ends_sort(&sends);
    ends_sort(&receives);
    size_t fewer = sends.count < receives.count ? sends.count : receives.count;
    *messages = (struct messages){.sent = sends.count, .received = receives.count};
    messages->pairs = record_allocate(NULL, (fewer + 1) * sizeof *messages->pairs);
    for (size_t i = 0, k = 0; i < sends.count && k < receives.count;) {
        int order = flow_compare(&sends.end[i], &receives.end[k]);
        if (order == 0)
            messages->pairs[messages->count++] =
                (struct message_pair){sends.end[i], receives.end[k]};
        i += order <= 0;
        k += order >= 0;
    }
    free(sends.end);
    free(receives.end);
}

void messages_free(struct messages *messages)
{
    free(messages->pairs);
}

/* How much the receiver's host must go on for the message to come after it was sent. */
static int64_t pair_lack(const struct message_pair *pair)
{
    int64_t sent = pair->sent.time + pair->sent.task->host->shift;
    int64_t received = pair->received.time + pair->received.task->host->shift;
    return received > sent ? 0 : sent + 1 - received;
}

size_t messages_shift_clocks(const struct messages *messages, struct timeline *timeline)
{
    size_t left = messages->count;
    for (int round = 0; left > 0 && round <= timeline->host_count; round++) {
        left = 0;
        for (size_t i = 0; i < messages->count; i++) {
            const struct message_pair *pair = &messages->pairs[i];
            int64_t lack = pair_lack(pair);
            left += lack > 0;
            if (round < timeline->host_count && pair->sent.task->host != pair->received.task->host)
                pair->received.task->host->shift += lack;
        }
    }
    return left;
}
