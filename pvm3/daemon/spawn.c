/* spawn.c - placing and answering. */
#include "daemon/spawn.h"

#include <stdlib.h>
#include <string.h>

#include <pvm3.h>

#include "core/error.h"
#include "daemon/daemon.h"
#include "daemon/execute.h"
#include "daemon/log.h"
#include "daemon/output.h"
#include "daemon/trace.h"

/* Is the host one of those that the request allows? */
static bool spawn_allows(const struct execution *execution, const struct host *host,
                         const struct host *own)
{
    bool chosen = true;
    if (execution->flags & PvmTaskHost)
        chosen = strcmp(execution->where, host->name) == 0 ||
                 (strcmp(execution->where, ".") == 0 && host == own);
    else if (execution->flags & PvmTaskArch)
        chosen = strcmp(execution->where, host->architecture) == 0;
    return chosen != ((execution->flags & PvmHostCompl) != 0);
}

static void spawn_place(struct daemon *daemon, struct execution *execution, int32_t *results)
{
    const struct host *own = hosts_own(&daemon->hosts);
    if (spawn_allows(execution, own, own)) {
        execute(daemon, execution, results);
        return;
    }
    for (int32_t i = 0; i < execution->count; i++)
        results[i] = PvmNoHost;
}

/* Tells the sinks that the parent knows of its children now. */
static void spawn_announce(struct daemon *daemon, const struct execution *execution,
                           const int32_t *results)
{
    for (int32_t i = 0; i < execution->count; i++) {
        if (results[i] <= 0)
            continue;
        trace_spawned(daemon, &execution->trace, (uint32_t)results[i], execution->parent);
        output_tell(daemon, &execution->output, (uint32_t)results[i], OUTPUT_SPAWNED,
                    execution->parent);
    }
}

static void spawn_put_results(struct message *answer, const int32_t *results, int32_t count)
{
    control_put_int(answer, count);
    for (int32_t i = 0; i < count; i++)
        control_put_int(answer, results[i]);
}

static enum request_result spawn_run(struct request *request, struct execution *execution)
{
    int32_t *results = malloc((size_t)execution->count * sizeof *results);
    if (!results)
        return REQUEST_MALFORMED;
    if (execution->where) {
        const struct execution asked = *execution; /* without what a tracer adds */
        spawn_place(request->daemon, execution, results);
        spawn_announce(request->daemon, &asked, results);
    } else {
        execute(request->daemon, execution, results);
    }
    struct message *answer = request_answer(request);
    if (answer && !execution->where)
        answer->header.tag = SM_EXECACK;
    spawn_put_results(answer, results, execution->count);
    request_reply(request, answer);
    free(results);
    return REQUEST_DONE;
}

enum request_result spawn_request(struct request *request)
{
    struct execution execution;
    enum request_result result = REQUEST_MALFORMED;
    if (execution_read_spawn(&execution, &request->body, request->task->tid))
        result = spawn_run(request, &execution);
    execution_free(&execution);
    return result;
}

enum request_result spawn_order(struct request *request)
{
    struct execution execution;
    enum request_result result = REQUEST_MALFORMED;
    if (execution_read_order(&execution, &request->body))
        result = spawn_run(request, &execution);
    execution_free(&execution);
    return result;
}

static bool spawn_read_command(struct execution *execution, char *command)
{
    char *rest;
    char *word = strtok_r(command, " \t", &rest);
    execution->file = word ? strdup(word) : NULL;
    while (execution->file && (word = strtok_r(NULL, " \t", &rest)) != NULL)
        if (!strings_add(&execution->arguments, word))
            return false;
    return execution->file != NULL;
}

void spawn_plug_in(struct daemon *daemon, const char *command)
{
    struct execution execution = {
        .parent = PvmParentNotSet, .flags = PvmMppFront, .count = 1, .total = 1};
    int32_t result = PvmNoMem;
    char *copy = strdup(command);
    if (copy && spawn_read_command(&execution, copy))
        execute(daemon, &execution, &result);
    if (result < 0)
        log_write("cannot start the plug-in '%s': %s", command, error_text(result));
    free(copy);
    execution_free(&execution);
}
