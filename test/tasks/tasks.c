/* tasks.c - lets a test begin and end tasks beside the first; linked into a library (tasks.py). */
#include "tasks.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/life/tasks.h"
#include "lib/task/process.h"

#define EXPORTED __attribute__((visibility("default")))

struct start {
    struct task *task;
    void *(*function)(void *);
    void *argument;
};

EXPORTED int tasks_begin(void)
{
    return tasks_begin_under(0);
}

EXPORTED int tasks_begin_under(int parent)
{
    return process_begin_task(parent) ? 0 : -1;
}

EXPORTED int tasks_end(void)
{
    return process_end_task();
}

static void *tasks_start(void *memory)
{
    const struct start start = *(struct start *)memory;
    free(memory);
    if (!process_join_task(start.task))
        abort();
    return start.function(start.argument);
}

EXPORTED int tasks_thread(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*function)(void *), void *argument)
{
    struct start *start = malloc(sizeof *start);
    if (!start)
        return EAGAIN;
    *start = (struct start){caller_self()->task, function, argument};
    int error = pthread_create(thread, attributes, tasks_start, start);
    if (error)
        free(start);
    return error;
}
