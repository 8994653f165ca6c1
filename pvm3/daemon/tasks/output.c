/* output.c - pipes of tasks. */
#include "daemon/tasks/output.h"

#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/control.h"
#include "daemon/base/log.h"
#include "daemon/post/router.h"
#include "daemon/tasks/task_room.h"

static bool output_has_sink(const struct sink *sink)
{
    return (int32_t)sink->tid > 0;
}

static struct message *output_message(const struct sink *sink, uint32_t tid, int32_t what)
{
    struct message *message = control_new(sink->tag, sink->context, 0);
    control_put_tid(message, tid);
    control_put_int(message, what);
    return message;
}

static void output_pass(struct task *task, const char *text, size_t size)
{
    const struct hosts *hosts = &task->daemon->post->hosts;
    if (!output_has_sink(&task->output) && hosts_is_master(hosts)) {
        log_output(task->tid, text, size);
        return;
    }
    if (!output_has_sink(&task->output)) {
        struct message *message = control_new(DM_TASKOUT, 0, 0);
        control_put_tid(message, task->tid);
        control_put_int(message, (int32_t)size);
        control_put_bytes(message, text, size);
        router_send(task->daemon, hosts->master->part | TID_DAEMON_BIT, message);
        return;
    }
    struct message *message = output_message(&task->output, task->tid, (int32_t)size);
    control_put_bytes(message, text, size);
    router_send(task->daemon, task->output.tid, message);
}

/* Reads one piece; returns its size, 0 when there is nothing now or no more at all. */
static ssize_t output_read(struct task *task)
{
    char text[CONTROL_OUTPUT_MOST];
    ssize_t size = read(task->pipe.fd, text, sizeof text);
    if (size < 0)
        return 0;
    if (size == 0) {
        loop_close(&task->daemon->loop, &task->pipe);
        output_end(task);
        return 0;
    }
    output_pass(task, text, (size_t)size);
    return size;
}

/* A held pipe is read from again only for its end: what it holds then is little. */
static void output_handle(struct loop_source *source, uint32_t events)
{
    struct task *task = LIST_OWNER(source, struct task, pipe);
    struct backlogs *backlogs = &task->daemon->backlogs;
    if (feeder_is_held(&task->printer) && !(events & (EPOLLHUP | EPOLLERR)))
        return;
    feeder_release(&task->printer);
    backlogs->feeder = &task->printer;
    output_read(task);
    backlogs->feeder = NULL;
    if (feeder_is_held(&task->printer))
        loop_watch_for(&task->daemon->loop, source, 0);
}

static void output_resume(struct feeder *printer)
{
    struct task *task = LIST_OWNER(printer, struct task, printer);
    loop_watch_for(&task->daemon->loop, &task->pipe, EPOLLIN);
}

int output_start(struct task *task, int fd)
{
    loop_source_start(&task->pipe, output_handle);
    feeder_start(&task->printer, output_resume);
    return loop_watch(&task->daemon->loop, &task->pipe, fd, EPOLLIN);
}

/* No more than is there now: a process that the task left behind may write without end. */
void output_drain(struct task *task)
{
    int left = 0;
    if (task->pipe.fd < 0 || ioctl(task->pipe.fd, FIONREAD, &left) < 0)
        return;
    while (left > 0) {
        int size = (int)output_read(task);
        left = size > 0 ? left - size : 0;
    }
}

void output_end(struct task *task)
{
    if (output_has_sink(&task->output) && !task->output_ended)
        router_send(task->daemon, task->output.tid,
                    output_message(&task->output, task->tid, OUTPUT_END));
    task->output_ended = true;
}

void output_tell(struct daemon *daemon, const struct sink *sink, uint32_t tid, int32_t what,
                 int32_t parent)
{
    if (!output_has_sink(sink))
        return;
    struct message *message = output_message(sink, tid, what);
    control_put_int(message, parent);
    router_send(daemon, sink->tid, message);
}

void output_tell_sink(struct task *task, int32_t what)
{
    output_tell(task->daemon, &task->output, task->tid, what, task->parent);
}

enum request_result output_take(struct request *request)
{
    char text[CONTROL_OUTPUT_MOST + 128];
    uint32_t tid = control_get_tid(&request->body);
    int32_t size = control_get_count(&request->body, 1);
    const struct host *host = places_host(request->daemon, tid);
    bool of_sender = host && host->part == tid_host_part(request->origin.tid);
    if (request->body.failed || (size_t)size > sizeof text || !of_sender)
        return REQUEST_MALFORMED;
    control_get_bytes(&request->body, text, (size_t)size);
    if (request->body.failed)
        return REQUEST_MALFORMED;
    log_output(tid, text, (size_t)size);
    return REQUEST_DONE;
}

void output_redirect(struct task *task, const struct sink *sink)
{
    if (output_has_sink(&task->output))
        router_send(task->daemon, task->output.tid,
                    output_message(&task->output, task->tid, OUTPUT_END));
    task->output = *sink;
    output_tell_sink(task, OUTPUT_SPAWNED);
    output_tell_sink(task, OUTPUT_STARTED);
}
