/*
 * export.c - PVM_EXPORT, the list of variables that children inherit. Like setenv, not for use
 * beside getenv.
 */
#include <stdlib.h>
#include <string.h>

#include "core/environment.h"
#include "lib/public.h"

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

static int export_set(const char *list)
{
    return setenv(EXPORT_LIST, list, 1) == 0 ? PvmOk : PvmNoMem;
}

int pvm_export(char *name)
{
    const char *list = environment_get(EXPORT_LIST, "");
    char *longer;
    if (!*name || export_find(list, name))
        return PvmOk;
    if (asprintf(&longer, "%s%s%s", list, *list ? ":" : "", name) < 0)
        return PvmNoMem;
    int result = export_set(longer);
    free(longer);
    return result;
}

int pvm_unexport(char *name)
{
    const char *list = environment_get(EXPORT_LIST, "");
    const char *found = *name ? export_find(list, name) : NULL;
    if (!found)
        return PvmOk;
    const char *rest = found + strlen(name);
    char *shorter;
    if (*rest == ':')
        rest++;
    else if (found > list)
        found--;
    if (asprintf(&shorter, "%.*s%s", (int)(found - list), list, rest) < 0)
        return PvmNoMem;
    int result = export_set(shorter);
    free(shorter);
    return result;
}
