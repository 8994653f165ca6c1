/* finding.c - one child for one program. */
#include "daemon/tasks/finding.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/log.h"
#include "core/search.h"

struct finding_question {
    const char *name;
    const char *search_path;
    const char *directory;
};

/* In the child. A path that is too long for the answer could not be executed either. */
static void finding_answer(int output, void *argument)
{
    const struct finding_question *question = argument;
    int folder =
        question->directory ? open(question->directory, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
    char *path =
        search_program(question->name, question->search_path, folder < 0 ? AT_FDCWD : folder);
    if (path && write(output, path, strlen(path)) < 0)
        _exit(1);
    free(path);
}

static void finding_run_done(struct loop_work *work)
{
    struct finding *finding = LIST_OWNER(work, struct finding, end);
    finding->done(finding);
}

static void finding_take(struct inquiry *inquiry, const void *piece, size_t size)
{
    struct finding *finding = LIST_OWNER(inquiry, struct finding, inquiry);
    size_t room = PATH_MAX - finding->length;
    size_t taken = size < room ? size : room;
    memcpy(finding->path + finding->length, piece, taken);
    finding->length += taken;
}

static void finding_ended(struct inquiry *inquiry, bool in_time)
{
    struct finding *finding = LIST_OWNER(inquiry, struct finding, inquiry);
    if (!in_time)
        log_write("the folders that programs are looked for in did not answer within %d seconds",
                  FINDING_SECONDS);
    finding->path[finding->length] = '\0';
    loop_defer(inquiry->loop, &finding->end);
}

static void finding_prepare(struct finding *finding, struct loop *loop)
{
    finding->length = 0;
    inquiry_prepare(&finding->inquiry, loop, finding_take, finding_ended);
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
    struct finding_question question = {name, search_path, directory};
    finding_prepare(finding, loop);
    finding->done = done;
    return inquiry_start(&finding->inquiry, FINDING_SECONDS, finding_answer, &question);
}

void finding_finish(struct finding *finding)
{
    inquiry_end(&finding->inquiry);
    loop_work_cancel(&finding->end);
}
