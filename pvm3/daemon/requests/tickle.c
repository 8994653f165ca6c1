/* tickle.c - one function for each number. */
#include "daemon/requests/tickle.h"

#include <inttypes.h>
#include <malloc.h>
#include <string.h>

#include "core/tid.h"
#include "daemon/base/log.h"
#include "daemon/members/host_end.h"
#include "daemon/post/router.h"
#include "daemon/post/task_link.h"
#include "daemon/requests/facts.h"
#include "daemon/requests/mailbox_requests.h"
#include "daemon/requests/request_room.h"

#define ARGUMENTS_MAX 10

/* Of messages that mean nothing: integers in one, and how many at once. */
#define NOTHING_SIZE 1000
#define NOTHING_MOST 1000

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
    TICKLE_FACTS = 30,
    TICKLE_TALK,
    TICKLE_SHARED_MEMORY = 100,
};

static void tickle_log_memory(void)
{
#ifdef HAVE_MALLINFO2
    struct mallinfo2 memory = mallinfo2();
    log_write("memory: %zu bytes in use, %zu taken from the system",
              memory.uordblks + memory.hblkhd, memory.arena + memory.hblkhd);
#else
    log_write("memory: this C library does not tell");
#endif
}

static void tickle_log_host(const struct host *host)
{
    char address[ENVIRONMENT_ADDRESS_SIZE];
    environment_format_address(address, host->address, host->port);
    log_write("host t%x %s %s at %s, speed %d, signature 0x%08x", host->part, host->name,
              host->architecture, address, host->speed, host->signature);
}

static void tickle_log_waits(struct daemon *daemon)
{
    LIST_FOR_EACH(node, &daemon->post->pendings)
    {
        const struct pending *pending = LIST_OWNER(node, struct pending, node);
        log_write("the host t%x is to answer question 0x%x", pending->part,
                  (unsigned)pending->wait);
    }
    mailbox_log_waits(daemon);
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
              " packets and %" PRIu64 " writes to connections, %" PRIu64
              " frames from these, %" PRIu64 " packets that had come before",
              counted->frames, counted->bytes_in, counted->reads, counted->bytes_out,
              counted->writes, counted->requests, counted->packets, counted->host_writes,
              counted->host_frames, counted->repeated);
    if (reset)
        daemon->statistics = (struct statistics){0};
}

static void tickle_log(struct daemon *daemon, int32_t what, bool reset)
{
    const struct host *host = NULL;
    switch (what) {
    case TICKLE_MEMORY:
        tickle_log_memory();
        break;
    case TICKLE_HOSTS:
        while ((host = hosts_next(&daemon->post->hosts, host)) != NULL)
            tickle_log_host(host);
        break;
    case TICKLE_TASKS:
        LIST_FOR_EACH(node, &daemon->post->tasks.list)
        tickle_log_task(task_at(node));
        break;
    case TICKLE_WAITS:
        tickle_log_waits(daemon);
        break;
    case TICKLE_MAILBOXES:
        mailbox_log(daemon);
        break;
    case TICKLE_STATISTICS:
        tickle_log_statistics(daemon, reset);
        break;
    case TICKLE_SHARED_MEMORY:
        break; /* the daemon uses no shared memory */
    default:
        log_write("there is no tickle %d", what);
    }
}

/* Whether it could be given up: the own host cannot. */
static int32_t tickle_fail_host(struct daemon *daemon, uint32_t tid)
{
    struct host *host = hosts_find(&daemon->post->hosts, tid);
    if (!host || !host->link)
        return 0;
    host_end_fail(daemon, host);
    return 1;
}

/* Messages that mean nothing, to see how they get there. */
static void tickle_send_nothing(struct daemon *daemon, int32_t count, uint32_t tid)
{
    const struct host *host = hosts_find(&daemon->post->hosts, tid);
    if (!host || !host->link)
        return;
    for (int32_t i = 0; i < count && i < NOTHING_MOST; i++) {
        struct message *message = control_new(DM_NULL, 0, 0);
        for (int32_t number = 0; number < NOTHING_SIZE; number++)
            control_put_int(message, number);
        router_send(daemon, host->part | TID_DAEMON_BIT, message);
    }
}

/* Does it; whether there is a result, which goes to *result. */
static bool tickle_obey(struct daemon *daemon, const int32_t *arguments, int32_t *result)
{
    switch (arguments[0]) {
    case TICKLE_GET_MASK:
        *result = (int32_t)log_mask();
        return true;
    case TICKLE_FAIL_HOST:
        *result = tickle_fail_host(daemon, (uint32_t)arguments[1]);
        return true;
    case TICKLE_SET_MASK:
        log_set_mask((unsigned)arguments[1]);
        return false;
    case TICKLE_SET_WINDOW:
        hosts_set_window(&daemon->post->hosts, arguments[1]);
        return false;
    case TICKLE_SEND_NOTHING:
        tickle_send_nothing(daemon, arguments[1], (uint32_t)arguments[2]);
        return false;
    default:
        tickle_log(daemon, arguments[0], arguments[1] != 0);
        return false;
    }
}

/* One pair of tasks of which the first has sent so many frames to the other, on another host. */
static enum request_result tickle_talk(struct request *request)
{
    struct talk_pair pair;
    struct message *answer = request_answer(request);
    bool more = talk_take(&request->daemon->post->talk, &pair);
    control_put_int(answer, more ? 3 : 0);
    if (more) {
        control_put_tid(answer, pair.source);
        control_put_tid(answer, pair.destination);
        control_put_int(answer, (int32_t)pair.frames);
    }
    request_reply(request, answer);
    return REQUEST_DONE;
}

enum request_result tickle_request(struct request *request)
{
    int32_t arguments[ARGUMENTS_MAX] = {0}, result = 0;
    int32_t count = control_get_count(&request->body, 4);
    if (request->body.failed || count < 1 || count > ARGUMENTS_MAX)
        return REQUEST_MALFORMED;
    for (int32_t i = 0; i < count; i++)
        arguments[i] = control_get_int(&request->body);
    if (arguments[0] == TICKLE_FACTS)
        return facts_tickle(request, (uint32_t)arguments[1]);
    if (arguments[0] == TICKLE_TALK)
        return tickle_talk(request);
    log_write("t%x tickles: %d %d %d", request->task->tid, arguments[0], arguments[1],
              arguments[2]);
    struct message *answer = request_answer(request);
    bool tells = tickle_obey(request->daemon, arguments, &result);
    control_put_int(answer, tells);
    if (tells)
        control_put_int(answer, result);
    request_reply(request, answer);
    return REQUEST_DONE;
}
