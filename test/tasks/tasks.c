/* tasks.c - lets a test begin and end tasks beside the first; linked into a library (tasks.py). */
#include "tasks.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/life/belongings.h"
#include "lib/life/enrolment.h"
#include "lib/life/tasks.h"
#include "lib/task/own_program.h"
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

EXPORTED void tasks_allocate_by(void *(*allocate)(size_t size))
{
    static struct own_program program;
    if (!allocate) {
        own_program_set(NULL);
        return;
    }
    program = task_of_process;
    program.allocate = allocate;
    own_program_set(&program);
}

/* Everything of the luggage is got, and nothing more. */
static bool tasks_unpack(const struct luggage *luggage)
{
    struct luggage_reader reader = {.next = luggage->bytes, .rest = luggage->size};
    return belongings_get_tid(&reader) > 0 && belongings_get(caller_self(), &reader) &&
           reader.rest == 0;
}

EXPORTED int tasks_repack(void)
{
    struct luggage luggage = {.bytes = NULL};
    if (belongings_hindrance(caller_self()))
        return -1;
    belongings_put(caller_self(), &luggage);
    const struct own_program *program = caller_self()->task->program;
    own_program_set(NULL); /* the program's lists stay for it */
    bool moved = !luggage.failed && process_end_task() == 0 && process_begin_task(0) &&
                 enrolment_begin(caller_self()->task) == 0 && tasks_unpack(&luggage);
    own_program_set(program);
    free(luggage.bytes);
    return moved ? 0 : -1;
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
