/* program.c - what the pvmd is told of the programs that it is to start. */
#include "lib/spawn/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pvm3.h>

#include "lib/link/pvmd_link.h"
#include "lib/serve/trace_settings.h"
#include "lib/task/caller.h"
#include "lib/task/variables.h"

/* Environment that a child gets in the request, as NAME=value strings of our own. */
struct environment_list {
    char **entries;
    int count;
    bool failed;
};

static void environment_add(struct environment_list *list, const char *name, const char *value)
{
    char **grown = realloc(list->entries, (size_t)(list->count + 1) * sizeof *grown);
    if (grown)
        list->entries = grown;
    if (!grown || asprintf(&list->entries[list->count], "%s=%s", name, value) < 0)
        list->failed = true;
    else
        list->count++;
}

static void environment_add_number(struct environment_list *list, const char *name,
                                   const char *format, int number)
{
    char text[32];
    snprintf(text, sizeof text, format, number);
    environment_add(list, name, text);
}

/* The variables that PVM_EXPORT names, and itself. */
static void environment_add_exports(struct task *task, struct environment_list *list)
{
    const char *names = variables_find(task, "PVM_EXPORT");
    if (!names)
        return;
    environment_add(list, "PVM_EXPORT", names);
    char *copy = strdup(names);
    char *rest = copy;
    char *name;
    while (copy && (name = strsep(&rest, ":")) != NULL) {
        const char *value = *name ? variables_find(task, name) : NULL;
        if (value)
            environment_add(list, name, value);
    }
    list->failed |= !copy;
    free(copy);
}

static void environment_free(struct environment_list *list)
{
    for (int i = 0; i < list->count; i++)
        free(list->entries[i]);
    free(list->entries);
}

static void program_put_strings(struct message *request, char *const *strings, int count)
{
    control_put_int(request, count);
    for (int i = 0; i < count; i++)
        control_put_string(request, strings[i]);
}

/* The request; NULL when memory is short. */
static struct message *program_request(struct caller *caller, const struct program_order *order)
{
    lock_acquire(&caller->task->options_lock);
    struct Pvmtracer child = caller->task->child_sinks;
    lock_release(&caller->task->options_lock);
    struct environment_list list = {0};
    environment_add(&list, "PVMTMASK", child.tmask);
    environment_add_number(&list, "PVMTRCBUF", "%d", child.trcbuf);
    environment_add_number(&list, "PVMTRCOPT", "%d", child.trcopt);
    environment_add_number(&list, "PVMCTX", "0x%x", caller_context(caller));
    environment_add_exports(caller->task, &list);
    if (order->holds) {
        environment_add_number(&list, HOLDER_VARIABLE, "%d", atomic_load(&caller->task->tid));
        child.outtid = child.trctid = 0;
    }

    int arguments = 0;
    while (order->words && order->words[arguments])
        arguments++;
    struct message *request = pvmd_link_request(TM_SPAWN);
    control_put_string(request, order->file);
    control_put_int(request, order->flags);
    control_put_string(request, order->where ? order->where : "");
    control_put_int(request, order->count);
    program_put_strings(request, order->words, arguments);
    pvmd_link_put_sinks(request, &child);
    program_put_strings(request, list.entries, list.count);
    if (list.failed) {
        message_free(request);
        request = NULL;
    }
    environment_free(&list);
    return request;
}

/*
 * Reads the results into `results`, which has `count` entries; what an answer leaves out has
 * failed.
 */
static int program_read_results(struct message *answer, int *results, int count)
{
    struct control_reader reader;
    control_read(&reader, answer);
    int told = control_get_int(&reader);
    if (told < 0)
        return told;
    for (int i = 0; i < count; i++)
        results[i] = i < told ? control_get_int(&reader) : PvmDSysErr;
    return reader.failed ? PvmBadMsg : PvmOk;
}

int program_start(struct caller *caller, const struct program_order *order, int *results)
{
    struct message *answer;
    int error = pvmd_link_call(caller->task, program_request(caller, order), &answer);
    if (error == 0)
        error = program_read_results(answer, results, order->count);
    message_free(answer);
    return error;
}
