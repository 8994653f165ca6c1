/* view.c - pvmview has a process group of its own, and is not waited for. */
#include "console/view.h"

#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char program[] = "pvmview";

bool view_start(void)
{
    char *words[] = {program, NULL};
    posix_spawnattr_t attributes;
    pid_t pid;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    int error = posix_spawnp(&pid, program, NULL, &attributes, words, environ);
    posix_spawnattr_destroy(&attributes);
    if (error)
        fprintf(stderr, "pvm: %s cannot be started: %s\n", program, strerror(error));
    return error == 0;
}
