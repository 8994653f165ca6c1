/* command_calls.c - the calls and their names. */
#include "ulp/command_calls.h"

#include <alloca.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/search.h"
#include "ulp/blocking_calls.h"
#include "ulp/calls.h"
#include "ulp/environment.h"
#include "ulp/room.h"
#include "ulp/ulp.h"

/* In its place. -------------------------------------------------------------------------------- */

/* Whether the caller may put another program in place of its process: a child of fork may. */
static bool may_replace(const char *path)
{
    if (environment_publish())
        return true;
    fprintf(stderr,
            "pvmulp: %s cannot take the place of a process that has other tasks: fork first\n",
            path);
    errno = EBUSY;
    return false;
}

static int own_execve(const char *path, char *const *words, char *const *environment)
{
    return may_replace(path) ? execve(path, words, environment) : -1;
}

static int own_execv(const char *path, char *const *words)
{
    return may_replace(path) ? execv(path, words) : -1;
}

static int own_execvp(const char *file, char *const *words)
{
    return may_replace(file) ? execvp(file, words) : -1;
}

static int own_execvpe(const char *file, char *const *words, char *const *environment)
{
    return may_replace(file) ? execvpe(file, words, environment) : -1;
}

/* Calls `function` with the words that follow `first` up to a null pointer. */
static int own_exec_list(int (*function)(const char *path, char *const *words), const char *path,
                         const char *first, va_list *rest)
{
    va_list counted;
    size_t count = 1;
    va_copy(counted, *rest);
    for (const char *word = first; word; word = va_arg(counted, const char *))
        count++;
    va_end(counted);
    const char **words = alloca(count * sizeof *words);
    words[0] = first;
    for (size_t i = 1; i < count; i++)
        words[i] = va_arg(*rest, const char *);
    return function(path, (char *const *)(void *)words);
}

static int own_execl(const char *path, const char *first, ...)
{
    va_list rest;
    va_start(rest, first);
    int result = own_exec_list(own_execv, path, first, &rest);
    va_end(rest);
    return result;
}

static int own_execlp(const char *file, const char *first, ...)
{
    va_list rest;
    va_start(rest, first);
    int result = own_exec_list(own_execvp, file, first, &rest);
    va_end(rest);
    return result;
}

/* Beside it. ----------------------------------------------------------------------------------- */

static int own_posix_spawnp(pid_t *child, const char *file,
                            const posix_spawn_file_actions_t *actions,
                            const posix_spawnattr_t *attributes, char *const *words,
                            char *const *environment)
{
    const char *folders = environment_call_get("PATH");
    char *path = search_program(file, folders ? folders : "/bin:/usr/bin", AT_FDCWD);
    if (!path)
        return ENOENT;
    int error = posix_spawn(child, path, actions, attributes, words, environment);
    free(path);
    return error;
}

/* Starts a shell with the program's environment, in which `from` is the file `to`. */
static int start_shell(const char *command, int from, int to, pid_t *child)
{
    posix_spawn_file_actions_t actions;
    char *const words[] = {"sh", "-c", (char *)command, NULL};
    posix_spawn_file_actions_init(&actions);
    if (from >= 0)
        posix_spawn_file_actions_adddup2(&actions, from, to);
    int error =
        posix_spawn(child, "/bin/sh", &actions, NULL, words, *room_owner()->environment->place);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* The status of a child that has ended; -1: it cannot be known. */
static int status_of(pid_t child)
{
    int status;
    pid_t ended;
    do
        ended = waitpid(child, &status, 0);
    while (ended < 0 && errno == EINTR);
    return ended == child ? status : -1;
}

/* While others run, nobody ignores the signals of the terminal, as the C library would. */
static int system_beside_others(const char *command)
{
    pid_t child;
    int error = start_shell(command, -1, -1, &child);
    if (error == 0)
        return status_of(child);
    errno = error;
    return -1;
}

static int own_system(const char *command)
{
    if (!command)
        return system(command);
    blocking_call_begin(false);
    int status = environment_publish() ? system(command) : system_beside_others(command);
    blocking_call_end();
    return status;
}

/* A stream of the descriptor, which is closed if there can be none. */
static FILE *stream_of(int descriptor, const char *mode)
{
    FILE *stream = fdopen(descriptor, mode);
    if (!stream)
        close(descriptor);
    return stream;
}

/* No child of the program gets the other end, so that whoever reads it sees its end. */
static FILE *own_popen(const char *command, const char *mode)
{
    int ends[2];
    pid_t child;
    bool reads = *mode == 'r';
    if ((!reads && *mode != 'w') || mode[1 + strspn(mode + 1, "e")]) {
        errno = EINVAL;
        return NULL;
    }
    if (pipe2(ends, O_CLOEXEC) < 0)
        return NULL;
    int error = start_shell(command, ends[reads], reads, &child);
    close(ends[reads]);
    if (error == 0)
        return files_add_command(&room_owner()->files, stream_of(ends[!reads], reads ? "r" : "w"),
                                 child);
    close(ends[!reads]);
    errno = error;
    return NULL;
}

static int own_pclose(FILE *stream)
{
    pid_t child = files_drop_stream(&room_owner()->files, stream);
    blocking_call_begin(false);
    fclose(stream);
    int status = child > 0 ? status_of(child) : -1;
    blocking_call_end();
    return status;
}

static const struct call calls[] = {
    {"execve", (void *)own_execve}, {"execv", (void *)own_execv},
    {"execvp", (void *)own_execvp}, {"execvpe", (void *)own_execvpe},
    {"execl", (void *)own_execl},   {"execlp", (void *)own_execlp},
    {"system", (void *)own_system}, {"posix_spawnp", (void *)own_posix_spawnp},
    {"popen", (void *)own_popen},   {"pclose", (void *)own_pclose},
};

void *command_call_find(const char *name)
{
    return call_find(calls, sizeof calls / sizeof *calls, name);
}
