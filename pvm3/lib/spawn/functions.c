/* functions.c - a list that only grows, and the dynamic linker. */
#include "lib/spawn/functions.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pvm3.h>

#include "lib/task/process.h"

/* A program that is linked statically has these only if it needs them itself. */
#pragma weak dlsym
#pragma weak dladdr

#define NAMELESS "thread"

/* One that the program has registered. */
struct function {
    struct function *next;
    task_function *function;
    char name[];
};

/* With the lock of the process. */
static struct function *function_of_name(const struct process *process, const char *name)
{
    struct function *function = process->functions;
    while (function && strcmp(function->name, name) != 0)
        function = function->next;
    return function;
}

int functions_register(struct process *process, const char *name, task_function *function)
{
    size_t size = strlen(name) + 1;
    struct function *fresh = malloc(sizeof *fresh + size);
    if (!fresh)
        return PvmNoMem;
    fresh->function = function;
    memcpy(fresh->name, name, size);
    lock_acquire(&process->lock);
    struct function *known = function_of_name(process, name);
    if (known) {
        known->function = function;
    } else {
        fresh->next = process->functions;
        process->functions = fresh;
        fresh = NULL;
    }
    lock_release(&process->lock);
    free(fresh);
    return PvmOk;
}

static task_function *function_of_symbol(const char *name)
{
    task_function *function = NULL;
    if (dlsym)
        *(void **)&function = dlsym(RTLD_DEFAULT, name);
    return function;
}

bool functions_program(char path[PATH_MAX])
{
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    path[length > 0 ? length : 0] = '\0';
    return length > 0;
}

bool functions_are_of(const char *file)
{
    char path[PATH_MAX];
    return strchr(file, '/') ? functions_program(path) && strcmp(file, path) == 0
                             : strcmp(file, program_invocation_short_name) == 0;
}

static bool function_is_program(const char *name)
{
    const char *slash = strrchr(name, '/');
    return strcmp(slash ? slash + 1 : name, program_invocation_short_name) == 0;
}

task_function *functions_find(struct process *process, const char *name)
{
    lock_acquire(&process->lock);
    struct function *known = function_of_name(process, name);
    if (!known)
        known = function_of_name(process, "");
    task_function *function = known ? known->function : NULL;
    lock_release(&process->lock);
    if (!function)
        function = function_of_symbol(name);
    if (!function && function_is_program(name))
        function = function_of_symbol("main");
    return function;
}

const char *functions_name(struct process *process, task_function *function)
{
    Dl_info symbol = {.dli_sname = NULL};
    lock_acquire(&process->lock);
    struct function *known = process->functions;
    while (known && known->function != function)
        known = known->next;
    lock_release(&process->lock);
    if (known)
        return known->name;
    if (dladdr && dladdr(*(void **)&function, &symbol) != 0 && symbol.dli_sname)
        return symbol.dli_sname;
    return NAMELESS;
}
