/* execution.c - orders as they come. */
#include "daemon/tasks/execution.h"

#include <stdlib.h>
#include <string.h>

#include <pvm3.h>

/* The variable that carries the working directory to the host that starts the tasks. */
#define DIRECTORY_VARIABLE "PVMSPAWNWD"

static void strings_free(struct strings *strings)
{
    for (int32_t i = 0; i < strings->count; i++)
        free(strings->items[i]);
    free(strings->items);
}

/* Takes over `string`, which may be NULL. */
static bool strings_take(struct strings *strings, char *string)
{
    if (!string)
        return false;
    char **items = realloc(strings->items, ((size_t)strings->count + 2) * sizeof *items);
    if (!items) {
        free(string);
        return false;
    }
    strings->items = items;
    items[strings->count++] = string;
    items[strings->count] = NULL;
    return true;
}

bool strings_add(struct strings *strings, const char *string)
{
    return strings_take(strings, strdup(string));
}

const char *strings_value(const struct strings *strings, const char *name)
{
    size_t length = strlen(name);
    for (int32_t i = 0; i < strings->count; i++)
        if (strncmp(strings->items[i], name, length) == 0 && strings->items[i][length] == '=')
            return strings->items[i] + length + 1;
    return NULL;
}

static bool execution_read_strings(struct strings *strings, struct control_reader *body)
{
    int32_t count = control_get_count(body, 8);
    for (int32_t i = 0; i < count; i++)
        if (!strings_take(strings, control_get_string(body, 0)))
            return false;
    return !body->failed;
}

static void execution_read_sink(struct sink *sink, struct control_reader *body)
{
    sink->tid = control_get_tid(body);
    sink->context = control_get_int(body);
    sink->tag = control_get_int(body);
}

/* What both kinds of order have from the count on. */
static bool execution_read_rest(struct execution *execution, struct control_reader *body)
{
    execution->count = control_get_int(body);
    if (!execution_read_strings(&execution->arguments, body))
        return false;
    execution_read_sink(&execution->output, body);
    execution_read_sink(&execution->trace, body);
    return execution_read_strings(&execution->environment, body) && execution->count >= 1 &&
           execution->count <= EXECUTION_COUNT_MAX;
}

/* Takes the folder off the place, and hands it on in the way of 3.4.6. */
static bool execution_split_place(struct execution *execution)
{
    char *colon = strchr(execution->where, ':');
    if (!colon)
        return true;
    *colon = '\0';
    size_t size = sizeof DIRECTORY_VARIABLE "=" + strlen(colon + 1);
    char *variable = malloc(size);
    if (variable) {
        strcpy(variable, DIRECTORY_VARIABLE "=");
        strcat(variable, colon + 1);
    }
    return strings_take(&execution->environment, variable);
}

static bool execution_find_directory(struct execution *execution)
{
    const char *folder = strings_value(&execution->environment, DIRECTORY_VARIABLE);
    if (!folder)
        return true;
    execution->directory = strdup(folder);
    return execution->directory != NULL;
}

bool execution_read_spawn(struct execution *execution, struct control_reader *body,
                          uint32_t requester)
{
    *execution = (struct execution){.file = control_get_string(body, 0)};
    execution->flags = control_get_int(body);
    execution->where = control_get_string(body, 0);
    execution->parent = execution->flags & PvmNoSpawnParent ? PvmParentNotSet : (int32_t)requester;
    if (!execution_read_rest(execution, body) || !execution_split_place(execution))
        return false;
    execution->total = (uint32_t)execution->count;
    return execution_find_directory(execution);
}

bool execution_read_order(struct execution *execution, struct control_reader *body)
{
    *execution = (struct execution){.parent = control_get_int(body)};
    execution->file = control_get_string(body, 0);
    execution->flags = control_get_int(body);
    if (!execution_read_rest(execution, body))
        return false;
    execution->first = control_get_tid(body);
    execution->total = control_get_tid(body);
    return !body->failed && execution_find_directory(execution);
}

static void execution_put_strings(struct message *message, const struct strings *strings)
{
    control_put_int(message, strings->count);
    for (int32_t i = 0; i < strings->count; i++)
        control_put_string(message, strings->items[i]);
}

static void execution_put_sink(struct message *message, const struct sink *sink)
{
    control_put_tid(message, sink->tid);
    control_put_int(message, sink->context);
    control_put_int(message, sink->tag);
}

void execution_put_order(struct message *message, const struct execution *execution, uint32_t first,
                         int32_t count)
{
    control_put_int(message, execution->parent);
    control_put_string(message, execution->file);
    control_put_int(message, execution->flags);
    control_put_int(message, count);
    execution_put_strings(message, &execution->arguments);
    execution_put_sink(message, &execution->output);
    execution_put_sink(message, &execution->trace);
    execution_put_strings(message, &execution->environment);
    control_put_tid(message, first);
    control_put_tid(message, execution->total);
}

void execution_free(struct execution *execution)
{
    free(execution->file);
    free(execution->where);
    free(execution->directory);
    strings_free(&execution->arguments);
    strings_free(&execution->environment);
}
