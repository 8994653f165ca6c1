/* export.c - PVM_EXPORT, the list of variables that children inherit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/task/process.h"
#include "lib/task/public.h"
#include "lib/task/variables.h"

#define EXPORT_LIST "PVM_EXPORT"

/* Where `name` stands in a list separated by colons; NULL when it does not. */
static const char *export_find(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; *at;) {
        size_t size = strcspn(at, ":");
        if (size == length && strncmp(at, name, length) == 0)
            return at;
        at += size;
        at += *at == ':';
    }
    return NULL;
}

static char *export_add(const char *list, const void *name, int *error)
{
    char *longer = NULL;
    if (!export_find(list, name) &&
        asprintf(&longer, "%s%s%s", list, *list ? ":" : "", (const char *)name) < 0) {
        *error = PvmNoMem;
        return NULL;
    }
    return longer;
}

static char *export_remove(const char *list, const void *name, int *error)
{
    const char *found = export_find(list, name);
    if (!found)
        return NULL;
    const char *rest = found + strlen(name);
    char *shorter;
    if (*rest == ':')
        rest++;
    else if (found > list)
        found--;
    if (asprintf(&shorter, "%.*s%s", (int)(found - list), list, rest) < 0) {
        *error = PvmNoMem;
        return NULL;
    }
    return shorter;
}

int pvm_export(const char *name)
{
    struct task *task = caller_self()->task;
    if (!name)
        return task_report(task, "pvm_export", PvmBadParam);
    return *name ? variables_change(task, EXPORT_LIST, export_add, name) : PvmOk;
}

int pvm_unexport(const char *name)
{
    struct task *task = caller_self()->task;
    if (!name)
        return task_report(task, "pvm_unexport", PvmBadParam);
    return *name ? variables_change(task, EXPORT_LIST, export_remove, name) : PvmOk;
}
