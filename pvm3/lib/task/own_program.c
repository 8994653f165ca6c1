/* own_program.c - where the program of a thread sees errors. */
#include "lib/task/own_program.h"

#include <stddef.h>

#include "lib/task/caller.h"

bool own_program_is_task(void)
{
    const struct caller *caller = caller_current();
    return caller && atomic_load(&caller->task->tid) > 0;
}

int *own_program_error(void)
{
    const struct caller *caller = caller_current();
    return caller ? caller->task->program->error : task_of_process.error;
}
