/* program.c - the list of the programs that have been read. */
#include "ulp/program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* They stay when nobody uses them, until they are found to have changed. */
static struct program *programs;
static pthread_mutex_t programs_lock = PTHREAD_MUTEX_INITIALIZER;

static bool program_is_unchanged(const struct program *program, const struct stat *status)
{
    const struct stat *old = &program->status;
    return old->st_dev == status->st_dev && old->st_ino == status->st_ino &&
           old->st_size == status->st_size && old->st_mtim.tv_sec == status->st_mtim.tv_sec &&
           old->st_mtim.tv_nsec == status->st_mtim.tv_nsec;
}

static void program_free(struct program *program)
{
    program_file_close(&program->file);
    pthread_mutex_destroy(&program->lock);
    free(program->found);
    free(program->path);
    free(program);
}

/* With the lock: the one at this path, if it is as it was; an older one that nobody uses goes. */
static struct program *programs_find(const char *path, const struct stat *status)
{
    struct program **place = &programs;
    while (*place) {
        struct program *program = *place;
        bool same = strcmp(program->path, path) == 0;
        if (same && program_is_unchanged(program, status))
            return program;
        if (same && program->users == 0) {
            *place = program->next;
            program_free(program);
        } else {
            place = &program->next;
        }
    }
    return NULL;
}

/* With the lock. NULL, or what is wrong. */
static const char *programs_add(struct program **program, char *path, const struct stat *status)
{
    struct program *fresh = calloc(1, sizeof *fresh);
    if (!fresh) {
        free(path);
        return strerror(ENOMEM);
    }
    fresh->path = path;
    fresh->status = *status;
    pthread_mutex_init(&fresh->lock, NULL);
    const char *why = program_file_open(&fresh->file, path);
    if (why) {
        program_free(fresh);
        return why;
    }
    fresh->next = programs;
    programs = *program = fresh;
    return NULL;
}

const char *program_use(struct program **program, const char *path)
{
    struct stat status;
    const char *why = NULL;
    char *real = realpath(path, NULL);
    if (!real || stat(real, &status) < 0) {
        why = strerror(errno);
        free(real);
        return why;
    }
    pthread_mutex_lock(&programs_lock);
    *program = programs_find(real, &status);
    if (*program)
        free(real);
    else
        why = programs_add(program, real, &status);
    if (*program)
        (*program)->users++;
    pthread_mutex_unlock(&programs_lock);
    return why;
}

void program_leave(struct program *program)
{
    pthread_mutex_lock(&programs_lock);
    program->users--;
    pthread_mutex_unlock(&programs_lock);
}

void *program_recall(struct program *program, const struct image_symbol *symbol)
{
    pthread_mutex_lock(&program->lock);
    void *found = symbol->index < program->count ? program->found[symbol->index] : NULL;
    pthread_mutex_unlock(&program->lock);
    return found;
}

/* With the lock. False without memory. */
static bool program_has_room(struct program *program, size_t index)
{
    if (index < program->count)
        return true;
    size_t count = 2 * index + 1;
    void **grown = realloc(program->found, count * sizeof *grown);
    if (!grown)
        return false;
    memset(grown + program->count, 0, (count - program->count) * sizeof *grown);
    program->found = grown;
    program->count = count;
    return true;
}

void program_remember(struct program *program, const struct image_symbol *symbol, void *found)
{
    pthread_mutex_lock(&program->lock);
    if (program_has_room(program, symbol->index))
        program->found[symbol->index] = found;
    pthread_mutex_unlock(&program->lock);
}
