/* tickle.c - one function for each number. */
#include "daemon/tickle.h"

#include <inttypes.h>
#include <malloc.h>
#include <string.h>

#include "core/tid.h"
#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/mailbox_requests.h"
#include "daemon/task_link.h"

#define ARGUMENTS_MAX 10

enum {
    TICKLE_MEMORY,
    TICKLE_HOSTS,
    TICKLE_TASKS,
    TICKLE_WAITS,
    TICKLE_MAILBOXES,
    TICKLE_GET_MASK,
    TICKLE_SET_MASK,
    TICKLE_SET_WINDOW,
    TICKLE_FAIL_HOST,
    TICKLE_STATISTICS,
    TICKLE_SEND_NOTHING = 20,
    TICKLE_SHARED_MEMORY = 100,
};

static void tickle_log_memory(void)
{
    struct mallinfo2 memory = mallinfo2();
    log_write("memory: %zu bytes in use, %zu taken from the system",
              memory.uordblks + memory.hblkhd, memory.arena + memory.hblkhd);
}

static void tickle_log_hosts(const struct daemon *daemon)
{
    const struct host *host = hosts_own(&daemon->hosts);
    char address[ENVIRONMENT_ADDRESS_SIZE];
    environment_format_address(address, host->address, host->port);
    log_write("host t%x %s %s at %s, speed %d, signature 0x%08x", host->part, host->name,
              host->architecture, address, host->speed, host->signature);
}

static void tickle_log_task(const struct task *task)
{
    bool held =
        (task->link && feeder_is_held(&task->link->feeder)) || feeder_is_held(&task->printer);
    log_write("task t%x '%s' parent t%x process %ld flags 0x%x output t%x trace t%x, %zu bytes "
              "wait to be written%s",
              task->tid, task->name, (unsigned)task->parent, (long)task->pid, task->flags,
              task->output.tid, task->trace.tid,
              task->link ? task->link->queue.bytes : task->waiting.bytes,
              held ? ", held: what it writes goes to one who does not read" : "");
}

static void tickle_log_statistics(struct daemon *daemon, bool reset)
{
    const struct statistics *counted = &daemon->statistics;
    log_write("statistics: %" PRIu64 " frames and %" PRIu64 " bytes in %" PRIu64 " reads, %" PRIu64
              " bytes in %" PRIu64 " writes, %" PRIu64 " requests; to other hosts %" PRIu64
              " packets and %" PRIu64 " writes to connections, %" PRIu64 " frames from these",
              counted->frames, counted->bytes_in, counted->reads, counted->bytes_out,
              counted->writes, counted->requests, counted->packets, counted->host_writes,
              counted->host_frames);
    if (reset)
        daemon->statistics = (struct statistics){0};
}

static void tickle_log(struct daemon *daemon, int32_t what, bool reset)
{
    switch (what) {
    case TICKLE_MEMORY:
        tickle_log_memory();
        break;
    case TICKLE_HOSTS:
        tickle_log_hosts(daemon);
        break;
    case TICKLE_TASKS:
        LIST_FOR_EACH(node, &daemon->tasks.list)
        tickle_log_task(task_at(node));
        break;
    case TICKLE_WAITS:
        mailbox_log_waits(daemon);
        break;
    case TICKLE_MAILBOXES:
        mailbox_log(daemon);
        break;
    case TICKLE_STATISTICS:
        tickle_log_statistics(daemon, reset);
        break;
    case TICKLE_SET_WINDOW:
    case TICKLE_SEND_NOTHING:
    case TICKLE_SHARED_MEMORY:
        break; /* about links to other daemons and shared memory, of which there are none */
    default:
        log_write("there is no tickle %d", what);
    }
}

enum request_result tickle_request(struct request *request)
{
    int32_t arguments[ARGUMENTS_MAX] = {0};
    int32_t count = control_get_count(&request->body, 4);
    if (request->body.failed || count < 1 || count > ARGUMENTS_MAX)
        return REQUEST_MALFORMED;
    for (int32_t i = 0; i < count; i++)
        arguments[i] = control_get_int(&request->body);
    log_write("t%x tickles: %d %d %d", request->task->tid, arguments[0], arguments[1],
              arguments[2]);
    struct message *answer = request_answer(request);
    switch (arguments[0]) {
    case TICKLE_GET_MASK:
        control_put_int(answer, 1);
        control_put_int(answer, (int32_t)log_mask());
        break;
    case TICKLE_FAIL_HOST: /* the own host does not fail */
        control_put_int(answer, 1);
        control_put_int(answer, 0);
        break;
    case TICKLE_SET_MASK:
        log_set_mask((unsigned)arguments[1]);
        control_put_int(answer, 0);
        break;
    default:
        tickle_log(request->daemon, arguments[0], arguments[1] != 0);
        control_put_int(answer, 0);
    }
    request_reply(request, answer);
    return REQUEST_DONE;
}
