/* quiet_daemon.c - tables without a virtual machine. */
#include "quiet_daemon.h"

#include "daemon/post/host_link.h"
#include "unit.h"

struct daemon quiet;
static struct rooms rooms;

int quiet_daemon_start(void **state)
{
    (void)state;
    memset(&quiet, 0, sizeof quiet);
    memset(&rooms, 0, sizeof rooms);
    rooms_open(&rooms, &quiet);
    backlogs_start(&quiet.backlogs, SIZE_MAX, NULL);
    list_start(&quiet.post->pendings);
    list_start(&quiet.post->watches.asked);
    list_start(&quiet.post->watches.here);
    list_start(&quiet.member_room->deputies.held);
    if (loop_start(&quiet.loop) < 0 ||
        hosts_start(&quiet.post->hosts, &quiet, OWN_INDEX, "own") < 0)
        return -1;
    return tasks_start(&quiet.post->tasks, &quiet, 0);
}

int quiet_daemon_finish(void **state)
{
    struct host *host;
    (void)state;
    while (!list_is_empty(&quiet.post->tasks.list))
        task_free(task_at(quiet.post->tasks.list.next));
    tasks_finish(&quiet.post->tasks);
    while ((host = hosts_next_other(&quiet.post->hosts, NULL)) != NULL)
        quiet_daemon_remove_host(host);
    free(quiet.post->hosts.own);
    loop_finish(&quiet.loop);
    return 0;
}

struct host *quiet_daemon_add_host(uint32_t index)
{
    struct host *host = calloc(1, sizeof *host);
    assert_non_null(host);
    host->part = index << TID_HOST_SHIFT;
    host->link = calloc(1, sizeof *host->link);
    assert_non_null(host->link);
    host->link->daemon = &quiet;
    host->link->host = host;
    snprintf(host->name, sizeof host->name, "host%u", index);
    quiet.post->hosts.table[index] = host;
    return host;
}

void quiet_daemon_remove_host(struct host *host)
{
    quiet.post->hosts.table[host->part >> TID_HOST_SHIFT] = NULL;
    free(host->link);
    free(host);
}

enum request_result quiet_daemon_take(request_handler *handler, struct task *task, uint32_t part,
                                      struct message *question)
{
    const struct message_header *header = &question->header;
    struct request request = {
        .daemon = &quiet,
        .task = task,
        .origin = {.daemon = &quiet,
                   .tid = task ? task->tid : part | TID_DAEMON_BIT,
                   .tag = task ? header->tag : header->tag + 1,
                   .context = header->context,
                   .wait = header->wait},
        .message = question,
    };
    assert_true(control_is_whole(question));
    control_read(&request.body, question);
    enum request_result result = handler(&request);
    message_free(question);
    return result;
}

bool quiet_daemon_hear(uint32_t part, struct message *answer)
{
    bool taken = pending_take(&quiet, part, answer);
    message_free(answer);
    return taken;
}

static void quiet_daemon_end_loop(struct loop_timer *timer)
{
    (void)timer;
    loop_end(&quiet.loop);
}

void quiet_daemon_end_round(void)
{
    struct loop_timer end;
    quiet.loop.ended = false;
    loop_timer_start(&end, quiet_daemon_end_loop);
    loop_timer_set(&quiet.loop, &end, 0);
    assert_int_equal(loop_run(&quiet.loop), 0);
}
