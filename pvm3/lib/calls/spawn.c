/* spawn.c - starting tasks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/tid.h"
#include "lib/calls/send.h"
#include "lib/link/pvmd_link.h"
#include "lib/task/abi.h"
#include "lib/task/process.h"
#include "lib/task/public.h"
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

static void spawn_put_strings(struct message *request, char *const *strings, int count)
{
    control_put_int(request, count);
    for (int i = 0; i < count; i++)
        control_put_string(request, strings[i]);
}

static void spawn_put_sinks(struct message *request, const struct Pvmtracer *child)
{
    control_put_int(request, child->outtid);
    control_put_int(request, child->outctx);
    control_put_int(request, child->outtag);
    control_put_int(request, child->trctid);
    control_put_int(request, child->trcctx);
    control_put_int(request, child->trctag);
}

/* The request; NULL when memory is short. */
static struct message *spawn_request(struct caller *caller, const char *file, char *const *argv,
                                     int flags, const char *where, int count)
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

    int arguments = 0;
    while (argv && argv[arguments])
        arguments++;
    struct message *request = pvmd_link_request(TM_SPAWN);
    control_put_string(request, file);
    control_put_int(request, flags);
    control_put_string(request, where ? where : "");
    control_put_int(request, count);
    spawn_put_strings(request, argv, arguments);
    spawn_put_sinks(request, &child);
    spawn_put_strings(request, list.entries, list.count);
    if (list.failed) {
        message_free(request);
        request = NULL;
    }
    environment_free(&list);
    return request;
}

/*
 * Moves the tids to the front, keeping their order, and the errors behind. Returns how many tids
 * there are.
 */
static int spawn_sort(int *tids, const int *results, int count)
{
    int started = 0;
    for (int i = 0; i < count; i++)
        if (results[i] >= 0)
            tids[started++] = results[i];
    for (int i = 0, at = started; i < count; i++)
        if (results[i] < 0)
            tids[at++] = results[i];
    return started;
}

/* Tells the new tasks of each other. */
static int spawn_announce(struct task *task, const int *tids, int count)
{
    struct message *siblings = control_new(TC_SIBLINGS, CONTROL_CONTEXT_TC, 0);
    control_put_int(siblings, count);
    for (int i = 0; i < count; i++)
        control_put_int(siblings, tids[i]);
    int error = control_is_whole(siblings) ? send_multicast(task, tids, count, siblings) : PvmNoMem;
    message_free(siblings);
    return error;
}

/*
 * Reads the results into `results`, which has `count` entries; what an answer leaves out has
 * failed.
 */
static int spawn_read(struct message *answer, int *results, int count)
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

static int spawn_ask(struct caller *caller, struct message *request, int *tids, int count)
{
    struct message *answer;
    int *results = malloc(2 * (size_t)count * sizeof *results);
    int error = results ? pvmd_link_call(caller->task, request, &answer) : PvmNoMem;
    if (!results) {
        message_free(request);
        return error;
    }
    if (error == 0)
        error = spawn_read(answer, results, count);
    message_free(answer);
    int started = 0;
    if (error == 0) {
        int *sorted = results + count;
        started = spawn_sort(sorted, results, count);
        if (started > 0)
            error = spawn_announce(caller->task, sorted, started);
        if (tids)
            memcpy(tids, sorted, (size_t)count * sizeof *tids);
    }
    free(results);
    return error < 0 ? error : started;
}

int pvm_spawn(const char *file, char *const *argv, int flag, const char *where, int ntask,
              int *tids)
{
    struct caller *caller = caller_self();
    int error = pvmd_link_enrol(caller->task);
    if (error == 0 && (ntask < 1 || !file))
        error = PvmBadParam;
    if (error < 0)
        return task_report(caller->task, "pvm_spawn", error);
    flag |= (int)variables_get_number(caller->task, "PVMTASK", 0);
    struct message *request = spawn_request(caller, file, argv, flag, where, ntask);
    return task_result(caller->task, "pvm_spawn", spawn_ask(caller, request, tids, ntask));
}
