/* finding.c - one child for one program. */
#include "daemon/finding.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "daemon/log.h"
#include "daemon/search.h"
#include "daemon/signals.h"

#define CHILD_OUTPUT 3

/* The child holds nothing of the daemon's open. */
static void __attribute__((noreturn))
finding_answer(int output, const char *name, const char *search_path, const char *directory)
{
    signals_restore();
    if (output != CHILD_OUTPUT)
        dup2(output, CHILD_OUTPUT);
    close_range(CHILD_OUTPUT + 1, ~0U, 0);
    int folder = directory ? open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
    char *path = search_program(name, search_path, folder < 0 ? AT_FDCWD : folder);
    size_t length = path ? strlen(path) : 0;
    _exit(length == 0 || write(CHILD_OUTPUT, path, length) == (ssize_t)length ? 0 : 1);
}

static void finding_run_done(struct loop_work *work)
{
    struct finding *finding = LIST_OWNER(work, struct finding, end);
    finding->done(finding);
}

/* The child lives while its end of the pipe is open. */
static void finding_close(struct finding *finding)
{
    if (finding->source.fd >= 0 && finding->child > 0)
        kill(finding->child, SIGKILL);
    loop_close(finding->loop, &finding->source);
    loop_timer_cancel(&finding->deadline);
}

static void finding_end(struct finding *finding)
{
    finding->path[finding->length] = '\0';
    finding_close(finding);
    loop_defer(finding->loop, &finding->end);
}

static void finding_expire(struct loop_timer *timer)
{
    log_write("the folders that programs are looked for in did not answer within %d seconds",
              FINDING_SECONDS);
    finding_end(LIST_OWNER(timer, struct finding, deadline));
}

/* A path that is too long could not be executed either. */
static void finding_handle(struct loop_source *source, uint32_t events)
{
    struct finding *finding = LIST_OWNER(source, struct finding, source);
    (void)events;
    ssize_t size = read(source->fd, finding->path + finding->length, PATH_MAX - finding->length);
    if (size > 0)
        finding->length += (size_t)size;
    else if (size == 0 || errno != EINTR)
        finding_end(finding);
}

static void finding_prepare(struct finding *finding, struct loop *loop)
{
    finding->loop = loop;
    finding->child = -1;
    finding->length = 0;
    loop_source_start(&finding->source, finding_handle);
    loop_timer_start(&finding->deadline, finding_expire);
    loop_work_start(&finding->end, finding_run_done);
}

void finding_run(struct finding *finding, struct loop *loop, const char *name,
                 const char *search_path)
{
    char *path = search_program(name, search_path, AT_FDCWD);
    finding_prepare(finding, loop);
    snprintf(finding->path, sizeof finding->path, "%s", path ? path : "");
    free(path);
}

bool finding_start(struct finding *finding, struct loop *loop, const char *name,
                   const char *search_path, const char *directory, void (*done)(struct finding *))
{
    int ends[2];
    finding_prepare(finding, loop);
    finding->done = done;
    if (pipe2(ends, O_CLOEXEC) < 0)
        return false;
    if (loop_watch(loop, &finding->source, ends[0], EPOLLIN) < 0)
        close(ends[0]);
    else
        finding->child = fork();
    if (finding->child == 0)
        finding_answer(ends[1], name, search_path, directory);
    close(ends[1]);
    loop_timer_set(loop, &finding->deadline, FINDING_SECONDS * 1000);
    return finding->child > 0;
}

void finding_finish(struct finding *finding)
{
    finding_close(finding);
    loop_work_cancel(&finding->end);
}
