/* json_picture.c - the members of hosts and tasks. */
#include "top/json_picture.h"

#include <stdio.h>

#include "console/json.h"

static void decimal_member(struct json *json, const char *key, double value)
{
    json_key(json, key);
    json_thousandths(json, (long)(value * 1000 + 0.5));
}

static void host_write(struct json *json, const struct picture *picture, const struct host *host)
{
    json_open(json, '{');
    json_text_member(json, "name", host->name);
    json_tid_member(json, "tid", host->tid);
    json_text_member(json, "arch", host->arch);
    json_number_member(json, "tasks", picture_tasks_of(picture, host));
    if (host->processors > 0)
        json_number_member(json, "processors", host->processors);
    if (host->answered) {
        decimal_member(json, "load", host->load);
        json_number_member(json, "memory", (long)host->memory);
        json_number_member(json, "available", (long)host->available);
    }
    json_close(json, '}');
}

static void task_write(struct json *json, const struct task *task)
{
    json_open(json, '{');
    json_tid_member(json, "tid", task->tid);
    json_tid_member(json, "parent", task->parent);
    json_text_member(json, "host", task->host->name);
    json_number_member(json, "pid", task->pid);
    json_text_member(json, "program", task->program);
    json_text_member(json, "kind", kind_name(task->kind));
    if (task->known) {
        json_text_member(json, "state", activity_name(task->usage.activity));
        decimal_member(json, "cpu", 100 * task->share);
        decimal_member(json, "seconds", task->usage.processor);
        json_number_member(json, "memory", (long)task->usage.memory);
        json_number_member(json, "threads", task->usage.threads);
    }
    json_close(json, '}');
}

void json_picture_print(const struct picture *picture)
{
    struct json json = {.file = stdout};
    json_open(&json, '{');
    json_key(&json, "hosts");
    json_open(&json, '[');
    for (size_t i = 0; i < picture->host_count; i++)
        host_write(&json, picture, &picture->hosts[i]);
    json_close(&json, ']');
    json_key(&json, "tasks");
    json_open(&json, '[');
    for (size_t i = 0; i < picture->shown; i++)
        task_write(&json, &picture->tasks[i]);
    json_close(&json, ']');
    json_close(&json, '}');
    putchar('\n');
}
