/* search.c - folders of a path, one after the other. */
#include "core/search.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool search_is_program(const char *file, int directory)
{
    struct stat status;
    return fstatat(directory, file, &status, 0) == 0 && S_ISREG(status.st_mode) &&
           (status.st_mode & S_IXUSR);
}

/* `file` itself when it is a program, else NULL; it is freed then. */
static char *search_accept(char *file, int directory)
{
    if (file && search_is_program(file, directory))
        return file;
    free(file);
    return NULL;
}

char *search_program(const char *name, const char *path, int directory)
{
    if (strchr(name, '/'))
        return search_accept(strdup(name), directory);
    while (*path) {
        char *file;
        size_t length = strcspn(path, ":");
        if (length > 0 && asprintf(&file, "%.*s/%s", (int)length, path, name) >= 0) {
            file = search_accept(file, directory);
            if (file)
                return file;
        }
        path += length;
        path += *path == ':';
    }
    return NULL;
}
