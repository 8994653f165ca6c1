/* memory_calls.c - the calls and their names. */
#include "ulp/memory_calls.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "ulp/blocking_calls.h"
#include "ulp/calls.h"
#include "ulp/heap_calls.h"
#include "ulp/ulp.h"

/* Texts. --------------------------------------------------------------------------------------- */

static void *own_copy(const void *memory, size_t size)
{
    void *copy = heap_call_malloc(size);
    return copy ? memcpy(copy, memory, size) : NULL;
}

/* Takes what the C library has made, or NULL; gives the program's own copy. */
static void *own_instead(void *made, size_t size)
{
    void *copy = made ? own_copy(made, size) : NULL;
    free(made);
    return copy;
}

static char *own_text_instead(char *made)
{
    return own_instead(made, made ? strlen(made) + 1 : 0);
}

static char *own_strdup(const char *text)
{
    return own_copy(text, strlen(text) + 1);
}

static char *own_strndup(const char *text, size_t most)
{
    size_t length = strnlen(text, most);
    char *copy = heap_call_malloc(length + 1);
    if (!copy)
        return NULL;
    copy[length] = '\0';
    return memcpy(copy, text, length);
}

static wchar_t *own_wcsdup(const wchar_t *text)
{
    return own_copy(text, (wcslen(text) + 1) * sizeof *text);
}

static int own_vasprintf(char **text, const char *format, va_list rest)
{
    int length = vasprintf(text, format, rest);
    if (length < 0)
        return length;
    *text = own_instead(*text, (size_t)length + 1);
    return *text ? length : -1;
}

static int own_asprintf(char **text, const char *format, ...)
{
    va_list rest;
    va_start(rest, format);
    int length = own_vasprintf(text, format, rest);
    va_end(rest);
    return length;
}

/* What a program calls that was compiled to be checked. */
static int own_vasprintf_checked(char **text, int flag, const char *format, va_list rest)
{
    (void)flag;
    return own_vasprintf(text, format, rest);
}

static int own_asprintf_checked(char **text, int flag, const char *format, ...)
{
    (void)flag;
    va_list rest;
    va_start(rest, format);
    int length = own_vasprintf(text, format, rest);
    va_end(rest);
    return length;
}

/* Puts a line into the program's buffer, which grows. False without memory. */
static bool put_line(char **line, size_t *room, const char *text, size_t size)
{
    if (!*line || *room < size) {
        size_t wanted = size < 120 ? 120 : 2 * size;
        char *grown = heap_call_realloc(*line, wanted);
        if (!grown)
            return false;
        *line = grown;
        *room = wanted;
    }
    memcpy(*line, text, size);
    return true;
}

/* The C library is not to make a buffer in a region for a stream that all share. */
static ssize_t own_getdelim(char **line, size_t *room, int end, FILE *stream)
{
    char *text = NULL;
    size_t text_room = 0;
    if (!line || !room) {
        errno = EINVAL;
        return -1;
    }
    blocking_call_begin(blocking_call_stream_is_ready(stream));
    ssize_t length = getdelim(&text, &text_room, end, stream);
    blocking_call_end();
    if (length >= 0 && !put_line(line, room, text, (size_t)length + 1))
        length = -1;
    free(text);
    return length;
}

static ssize_t own_getline(char **line, size_t *room, FILE *stream)
{
    return own_getdelim(line, room, '\n', stream);
}

/* Files. --------------------------------------------------------------------------------------- */

static char *own_realpath(const char *path, char *into)
{
    char *found = realpath(path, into);
    return into ? found : own_text_instead(found);
}

static char *own_realpath_checked(const char *path, char *into, size_t room)
{
    if (room < PATH_MAX)
        ulp_abort();
    return own_realpath(path, into);
}

static char *own_canonicalize(const char *path)
{
    return own_realpath(path, NULL);
}

static char *own_getcwd(char *into, size_t room)
{
    char *found = getcwd(into, room);
    if (into || !found)
        return found;
    return own_instead(found, room > 0 ? room : strlen(found) + 1);
}

static char *own_getcwd_checked(char *into, size_t size, size_t room)
{
    if (size > room)
        ulp_abort();
    return own_getcwd(into, size);
}

static char *own_get_current_dir_name(void)
{
    return own_text_instead(get_current_dir_name());
}

static char *own_tempnam(const char *folder, const char *prefix)
{
    return own_text_instead(tempnam(folder, prefix));
}

static int own_scandir(const char *path, struct dirent ***list,
                       int (*chosen)(const struct dirent *entry),
                       int (*order)(const struct dirent **one, const struct dirent **other))
{
    int count = scandir(path, list, chosen, order);
    if (count < 0)
        return count;
    for (int i = 0; i < count; i++)
        (*list)[i] = own_instead((*list)[i], (*list)[i]->d_reclen);
    *list = own_instead(*list, (size_t)count * sizeof **list);
    return count;
}

/* What outlives the program. ------------------------------------------------------------------- */

/* A buffer of the program does for its own streams alone. */
static char *buffer_for(FILE *stream, char *buffer)
{
    return stream == stdin || stream == stdout || stream == stderr ? NULL : buffer;
}

static int own_setvbuf(FILE *stream, char *buffer, int mode, size_t size)
{
    return setvbuf(stream, buffer_for(stream, buffer), mode, size);
}

static void own_setbuffer(FILE *stream, char *buffer, size_t size)
{
    own_setvbuf(stream, buffer, buffer ? _IOFBF : _IONBF, size);
}

static void own_setbuf(FILE *stream, char *buffer)
{
    own_setbuffer(stream, buffer, BUFSIZ);
}

/* The streams of C++ that all share stay those of C: they would get buffers in a region. */
static bool own_sync_with_stdio(bool synchronized)
{
    (void)synchronized;
    return true;
}

static const struct call calls[] = {
    {"strdup", (void *)own_strdup},
    {"__strdup", (void *)own_strdup},
    {"strndup", (void *)own_strndup},
    {"__strndup", (void *)own_strndup},
    {"wcsdup", (void *)own_wcsdup},
    {"asprintf", (void *)own_asprintf},
    {"vasprintf", (void *)own_vasprintf},
    {"__asprintf_chk", (void *)own_asprintf_checked},
    {"__vasprintf_chk", (void *)own_vasprintf_checked},
    {"getline", (void *)own_getline},
    {"getdelim", (void *)own_getdelim},
    {"__getdelim", (void *)own_getdelim},
    {"realpath", (void *)own_realpath},
    {"__realpath_chk", (void *)own_realpath_checked},
    {"canonicalize_file_name", (void *)own_canonicalize},
    {"getcwd", (void *)own_getcwd},
    {"__getcwd_chk", (void *)own_getcwd_checked},
    {"get_current_dir_name", (void *)own_get_current_dir_name},
    {"tempnam", (void *)own_tempnam},
    {"scandir", (void *)own_scandir},
    {"scandir64", (void *)own_scandir},
    {"setvbuf", (void *)own_setvbuf},
    {"setbuffer", (void *)own_setbuffer},
    {"setbuf", (void *)own_setbuf},
    {"_ZNSt8ios_base15sync_with_stdioEb", (void *)own_sync_with_stdio},
};

void *memory_call_find(const char *name)
{
    return call_find(calls, sizeof calls / sizeof *calls, name);
}
