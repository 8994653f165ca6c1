/* spawn.c - placing and answering. */
#include "daemon/tasks/spawn.h"

#include <stdlib.h>
#include <string.h>

#include <pvm3.h>

#include "core/error.h"
#include "daemon/base/log.h"
#include "daemon/post/router.h"
#include "daemon/tasks/execute.h"
#include "daemon/tasks/output.h"
#include "daemon/tasks/task_room.h"
#include "daemon/tasks/trace.h"

/* Does the request allow the host? */
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

/* A spawn that several hosts carry out together. */
struct spawn {
    struct daemon *daemon;
    struct request_origin origin;
    struct execution execution;
    int32_t *results;
    int left; /* blocks that have not been answered */
};

/* Tasks that one other host is to start. */
struct spawn_block {
    struct pending pending;
    struct spawn *spawn;
    int32_t first;
    int32_t count;
};

/* Tasks that this host is to start. */
struct spawn_share {
    struct order order;
    struct spawn *spawn;
    int32_t first;
};

static void spawn_assign(struct spawn *spawn, int32_t first, int32_t count);

/* Tells the sinks that the parent knows of its children now. */
static void spawn_announce(struct daemon *daemon, const struct spawn *spawn)
{
    const struct execution *execution = &spawn->execution;
    for (int32_t i = 0; i < execution->count; i++) {
        if (spawn->results[i] <= 0)
            continue;
        uint32_t tid = (uint32_t)spawn->results[i];
        trace_spawned(daemon, &execution->trace, tid, execution->parent);
        output_tell(daemon, &execution->output, tid, OUTPUT_SPAWNED, execution->parent);
    }
}

static void spawn_put_results(struct message *answer, const int32_t *results, int32_t count)
{
    control_put_int(answer, count);
    for (int32_t i = 0; i < count; i++)
        control_put_int(answer, results[i]);
}

static void spawn_count(struct spawn *spawn)
{
    if (--spawn->left > 0)
        return;
    spawn_announce(spawn->daemon, spawn);
    struct message *answer = request_answer_to(&spawn->origin);
    spawn_put_results(answer, spawn->results, spawn->execution.count);
    request_reply_to(&spawn->origin, answer);
    execution_free(&spawn->execution);
    free(spawn->results);
    free(spawn);
}

static void spawn_fill(struct spawn *spawn, int32_t first, int32_t count, int32_t value)
{
    for (int32_t i = first; i < first + count; i++)
        spawn->results[i] = value;
}

static void spawn_block_answered(struct pending *pending, struct control_reader *body)
{
    struct spawn_block *block = LIST_OWNER(pending, struct spawn_block, pending);
    struct spawn *spawn = block->spawn;
    int32_t count = control_get_count(body, 4);
    for (int32_t i = 0; i < block->count; i++)
        spawn->results[block->first + i] = i < count ? control_get_int(body) : PvmDSysErr;
    free(block);
    spawn_count(spawn);
}

/* Other hosts take over what was not meant for this one. */
static void spawn_block_failed(struct pending *pending)
{
    struct spawn_block *block = LIST_OWNER(pending, struct spawn_block, pending);
    struct spawn *spawn = block->spawn;
    bool for_others = !(spawn->execution.flags & (PvmTaskHost | PvmTaskArch));
    if (!for_others || spawn->daemon->loop.ended)
        spawn_fill(spawn, block->first, block->count, PvmHostFail);
    else
        spawn_assign(spawn, block->first, block->count);
    free(block);
    spawn_count(spawn);
}

static void spawn_share_done(struct order *order)
{
    struct spawn_share *share = LIST_OWNER(order, struct spawn_share, order);
    struct spawn *spawn = share->spawn;
    memcpy(spawn->results + share->first, order->results,
           (size_t)order->execution.count * sizeof *order->results);
    order_finish(order);
    free(share);
    spawn_count(spawn);
}

/*
 * A copy of the order for a part of the tasks: what a tracer adds is for this host alone, the
 * others have it from the master. False when memory is short.
 */
static bool spawn_copy(struct execution *own, const struct spawn *spawn, int32_t first,
                       int32_t count)
{
    struct message *order = control_new(DM_EXEC, 0, 0);
    struct control_reader body;
    *own = (struct execution){0};
    execution_put_order(order, &spawn->execution, (uint32_t)first, count);
    bool whole = control_is_whole(order);
    if (whole) {
        control_read(&body, order);
        whole = execution_read_order(own, &body);
    }
    message_free(order);
    return whole;
}

static void spawn_here(struct spawn *spawn, int32_t first, int32_t count)
{
    struct execution own;
    struct spawn_share *share = malloc(sizeof *share);
    bool whole = spawn_copy(&own, spawn, first, count) && share;
    if (whole) {
        share->spawn = spawn;
        share->first = first;
        spawn->left++;
        whole = execute(&share->order, spawn->daemon, &own, spawn_share_done);
        spawn->left -= !whole;
    }
    if (whole)
        return;
    spawn_fill(spawn, first, count, PvmNoMem);
    execution_free(&own);
    free(share);
}

static void spawn_there(struct spawn *spawn, const struct host *host, int32_t first, int32_t count)
{
    struct spawn_block *block = malloc(sizeof *block);
    if (!block) {
        spawn_fill(spawn, first, count, PvmNoMem);
        return;
    }
    block->spawn = spawn;
    block->first = first;
    block->count = count;
    spawn->left++;
    pending_start(&block->pending, spawn->daemon, host, DM_EXEC, spawn_block_answered,
                  spawn_block_failed);
    struct message *order = control_new(DM_EXEC, 0, block->pending.wait);
    execution_put_order(order, &spawn->execution, (uint32_t)first, count);
    router_send(spawn->daemon, host->part | TID_DAEMON_BIT, order);
}

/* The allowed host at the cursor or behind it, from the lowest index on again at the end. */
static const struct host *spawn_next_host(const struct spawn *spawn)
{
    const struct hosts *hosts = &spawn->daemon->post->hosts;
    const struct host *own = hosts_own(hosts), *lowest = NULL;
    for (const struct host *host = hosts_next(hosts, NULL); host; host = hosts_next(hosts, host)) {
        if (!spawn_allows(&spawn->execution, host, own))
            continue;
        if (host->part >> TID_HOST_SHIFT >= spawn->daemon->task_room->spawn_cursor)
            return host;
        if (!lowest)
            lowest = host;
    }
    return lowest;
}

/*
 * Moves the cursor to the next host that the request allows: the next spawn, of whatever kind,
 * begins there.
 */
static void spawn_move_cursor(const struct spawn *spawn, const struct host *used)
{
    spawn->daemon->task_room->spawn_cursor = (used->part >> TID_HOST_SHIFT) + 1;
    spawn->daemon->task_room->spawn_cursor = spawn_next_host(spawn)->part >> TID_HOST_SHIFT;
}

static int32_t spawn_count_hosts(const struct spawn *spawn)
{
    const struct hosts *hosts = &spawn->daemon->post->hosts;
    int32_t count = 0;
    for (const struct host *host = hosts_next(hosts, NULL); host; host = hosts_next(hosts, host))
        count += spawn_allows(&spawn->execution, host, hosts_own(hosts));
    return count;
}

/* Contiguous blocks, whose sizes differ by one at most, to successive hosts. */
static void spawn_assign(struct spawn *spawn, int32_t first, int32_t count)
{
    int32_t hosts = spawn_count_hosts(spawn);
    int32_t blocks = hosts < count ? hosts : count;
    if (blocks == 0) {
        spawn_fill(spawn, first, count, PvmNoHost);
        return;
    }
    for (int32_t done = 0, sum = 0; done < count;) {
        int32_t size = 0;
        do {
            sum += blocks;
            size++;
        } while (sum < count);
        sum -= count;
        const struct host *host = spawn_next_host(spawn);
        spawn_move_cursor(spawn, host);
        if (host->link)
            spawn_there(spawn, host, first + done, size);
        else
            spawn_here(spawn, first + done, size);
        done += size;
    }
}

/* Takes over the execution. */
static enum request_result spawn_run(struct request *request, struct execution *execution)
{
    struct spawn *spawn = malloc(sizeof *spawn);
    int32_t *results = calloc((size_t)execution->count, sizeof *results);
    if (!spawn || !results) {
        free(spawn);
        free(results);
        return REQUEST_MALFORMED;
    }
    *spawn = (struct spawn){request->daemon, request->origin, *execution, results, 1};
    *execution = (struct execution){0};
    spawn_assign(spawn, 0, spawn->execution.count);
    spawn_count(spawn);
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

/* Tasks that another daemon or a resource manager wants. */
struct spawn_wish {
    struct order order;
    struct request_origin origin;
};

static void spawn_wish_done(struct order *order)
{
    struct spawn_wish *wish = LIST_OWNER(order, struct spawn_wish, order);
    struct message *answer = request_answer_to(&wish->origin);
    spawn_put_results(answer, order->results, order->execution.count);
    request_reply_to(&wish->origin, answer);
    order_finish(order);
    free(wish);
}

/* An order is for this host. */
static enum request_result spawn_obey(struct request *request, struct execution *execution)
{
    struct spawn_wish *wish = malloc(sizeof *wish);
    if (!wish)
        return REQUEST_MALFORMED;
    wish->origin = request->origin;
    if (wish->origin.tag == SM_EXEC)
        wish->origin.tag = SM_EXECACK;
    if (execute(&wish->order, request->daemon, execution, spawn_wish_done))
        return REQUEST_DONE;
    free(wish);
    return REQUEST_MALFORMED;
}

enum request_result spawn_order(struct request *request)
{
    struct execution execution;
    enum request_result result = REQUEST_MALFORMED;
    if (execution_read_order(&execution, &request->body))
        result = spawn_obey(request, &execution);
    execution_free(&execution);
    return result;
}

/* What stands between the words of a plug-in's command. */
#define BLANKS " \t"

static bool spawn_read_command(struct execution *execution, char *command)
{
    char *rest;
    char *word = strtok_r(command, BLANKS, &rest);
    execution->file = word ? strdup(word) : NULL;
    while (execution->file && (word = strtok_r(NULL, BLANKS, &rest)) != NULL)
        if (!strings_add(&execution->arguments, word))
            return false;
    return execution->file != NULL;
}

static void spawn_plug_in_done(struct order *order)
{
    if (order->results[0] < 0)
        log_write("cannot start the plug-in '%s': %s", order->execution.file,
                  error_text(order->results[0]));
    order_finish(order);
    free(order);
}

/* Starts a program of the daemon's user, the words of `command`. */
static void spawn_plug_in(struct daemon *daemon, const char *command)
{
    struct execution execution = {
        .parent = PvmParentNotSet, .flags = PvmMppFront, .count = 1, .total = 1};
    char *copy = strdup(command);
    struct order *order = malloc(sizeof *order);
    if (!copy || !order || !spawn_read_command(&execution, copy) ||
        !execute_at_once(order, daemon, &execution, spawn_plug_in_done)) {
        log_write("cannot start the plug-in '%s': %s", command, error_text(PvmNoMem));
        execution_free(&execution);
        free(order);
    }
    free(copy);
}

void spawn_plug_ins(struct daemon *daemon)
{
    static const char *const variables[] = {"PVM_TASKER", "PVM_TRACER", "PVM_HOSTER", "PVM_RM"};
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        const char *command = environment_get(variables[i], "");
        if (command[strspn(command, BLANKS)] != '\0')
            spawn_plug_in(daemon, command);
    }
}
