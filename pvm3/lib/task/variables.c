/* variables.c - getenv and setenv under a lock. */
#include "lib/task/variables.h"

#include <stdlib.h>
#include <unistd.h>

#include "lib/task/own_program.h"
#include "lib/task/process.h"
#include "lib/task/public.h"

void variables_hold(struct task *task)
{
    lock_acquire(&task->process->lock);
}

void variables_let_go(struct task *task)
{
    lock_release(&task->process->lock);
}

const char *variables_find(struct task *task, const char *name)
{
    variables_hold(task);
    const char *value = task->program->getenv(name);
    variables_let_go(task);
    return value;
}

const char *variables_get(struct task *task, const char *name, const char *fallback)
{
    variables_hold(task);
    const char *value = environment_get(name, fallback);
    variables_let_go(task);
    return value;
}

long variables_get_number(struct task *task, const char *name, long fallback)
{
    variables_hold(task);
    long number = environment_get_number(name, fallback);
    variables_let_go(task);
    return number;
}

const char *variables_temporary_folder(struct task *task)
{
    variables_hold(task);
    const char *folder = environment_temporary_folder();
    variables_let_go(task);
    return folder;
}

bool variables_address_file(struct task *task, char path[ENVIRONMENT_PATH_SIZE], unsigned uid)
{
    variables_hold(task);
    bool fits = environment_address_file(path, uid);
    variables_let_go(task);
    return fits;
}

bool variables_temporary_name(struct task *task, char path[ENVIRONMENT_PATH_SIZE], unsigned number)
{
    variables_hold(task);
    bool fits = environment_temporary_name(path, (long)getpid(), number);
    variables_let_go(task);
    return fits;
}

int variables_set(struct task *task, const char *name, const char *value)
{
    variables_hold(task);
    int result = setenv(name, value, 1);
    variables_let_go(task);
    return result == 0 ? PvmOk : PvmNoMem;
}

int variables_change(struct task *task, const char *name,
                     char *(*change)(const char *value, const void *context, int *error),
                     const void *context)
{
    int error = PvmOk;
    variables_hold(task);
    const char *before = task->program->getenv(name);
    char *value = change(before ? before : "", context, &error);
    if (value && task->program->setenv(name, value, 1) < 0)
        error = PvmNoMem;
    variables_let_go(task);
    free(value);
    return error;
}
