/* environment.c - the copy, and the calls that read and change it. */
#include "ulp/environment.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "ulp/calls.h"
#include "ulp/heap.h"
#include "ulp/heap_calls.h"
#include "ulp/room.h"
#include "ulp/ulp.h"

/* Around a change. */
static struct ulp *change_begin(void)
{
    struct ulp *ulp = room_owner();
    pthread_mutex_lock(&ulp->lock);
    return ulp;
}

static void change_end(struct ulp *ulp)
{
    environment_publish();
    pthread_mutex_unlock(&ulp->lock);
}

static size_t count_of(char *const *list)
{
    size_t count = 0;
    while (list && list[count])
        count++;
    return count;
}

bool environment_is(const char *name)
{
    return strcmp(name, "environ") == 0 || strcmp(name, "__environ") == 0 ||
           strcmp(name, "_environ") == 0;
}

/* The copy. ------------------------------------------------------------------------------------ */

/* A list of the same texts, with room for `room` of them. NULL without memory. */
static char **copy_list(struct heap *heap, char *const *from, size_t room)
{
    size_t count = count_of(from);
    char **list = heap_call_take(heap, (room + 1) * sizeof *list, HEAP_ALIGNMENT);
    if (!list)
        return NULL;
    for (size_t i = 0; i < count; i++)
        list[i] = from[i];
    list[count] = NULL;
    return list;
}

/* Copies of all texts of a list take the place of the texts. False without memory. */
static bool copy_texts(struct heap *heap, char **list)
{
    size_t size = 0;
    for (char **place = list; *place; place++)
        size += strlen(*place) + 1;
    char *text = heap_call_take(heap, size, HEAP_ALIGNMENT);
    for (char **place = list; text && *place; place++) {
        char *end = stpcpy(text, *place) + 1;
        *place = text;
        text = end;
    }
    return size == 0 || text;
}

struct environment *environment_begin(struct heap *heap)
{
    struct environment *fresh = heap_call_take(heap, sizeof *fresh, HEAP_ALIGNMENT);
    size_t room = count_of(environ);
    char **list = fresh ? copy_list(heap, environ, room) : NULL;
    if (!list || !copy_texts(heap, list))
        return NULL;
    *fresh = (struct environment){.variables = list, .list = list, .room = room};
    fresh->place = &fresh->variables;
    return fresh;
}

bool environment_publish(void)
{
    const struct ulp *ulp = room_owner();
    if (!ulp_has_process(ulp))
        return false;
    environ = *ulp->environment->place;
    return true;
}

/* Finding and putting. ------------------------------------------------------------------------- */

/* The bytes of a name; 0: it is none, and errno says so. */
static size_t name_length(const char *name)
{
    size_t length = name && !strchr(name, '=') ? strlen(name) : 0;
    if (length == 0)
        errno = EINVAL;
    return length;
}

/* Where the list has a variable whose name has so many bytes; NULL: nowhere. */
static char **find(const struct environment *environment, const char *name, size_t length)
{
    char **place = *environment->place;
    while (place && *place && !(strncmp(*place, name, length) == 0 && (*place)[length] == '='))
        place++;
    return place && *place ? place : NULL;
}

/*
 * Makes room for one more at the end of the list. A list that gets too short stays, since other
 * threads may read it. NULL without memory.
 */
static char **add_place(struct ulp *ulp)
{
    struct environment *environment = ulp->environment;
    size_t count = count_of(*environment->place);
    if (*environment->place != environment->list || count == environment->room) {
        size_t room = 2 * count + 8;
        char **grown = copy_list(ulp->heap, *environment->place, room);
        if (!grown)
            return NULL;
        *environment->place = environment->list = grown;
        environment->room = room;
    }
    char **place = *environment->place + count;
    place[1] = NULL;
    return place;
}

/* With the lock. 0, or -1 without memory. */
static int put(struct ulp *ulp, char *text, size_t length)
{
    char **place = find(ulp->environment, text, length);
    if (!place)
        place = add_place(ulp);
    if (!place) {
        errno = ENOMEM;
        return -1;
    }
    *place = text;
    return 0;
}

/* The calls. ----------------------------------------------------------------------------------- */

char *environment_call_get(const char *name)
{
    size_t length = strlen(name);
    char **place = find(room_owner()->environment, name, length);
    return place ? *place + length + 1 : NULL;
}

static char *own_secure_getenv(const char *name)
{
    return getauxval(AT_SECURE) ? NULL : environment_call_get(name);
}

/* "NAME=VALUE". NULL without memory. */
static char *join(struct ulp *ulp, const char *name, const char *value)
{
    size_t size = strlen(name) + strlen(value) + 2;
    char *text = heap_call_take(ulp->heap, size, HEAP_ALIGNMENT);
    if (text)
        snprintf(text, size, "%s=%s", name, value);
    return text;
}

/* With the lock. A value that was got before stays as it is. 0, or -1 without memory. */
static int set(struct ulp *ulp, const char *name, const char *value, size_t length)
{
    char **place = find(ulp->environment, name, length);
    if (place && strcmp(*place + length + 1, value) == 0)
        return 0;
    char *text = join(ulp, name, value);
    return text ? put(ulp, text, length) : -1;
}

int environment_call_set(const char *name, const char *value, int replace)
{
    size_t length = name_length(name);
    int result = 0;
    if (length == 0)
        return -1;
    struct ulp *ulp = change_begin();
    if (replace || !find(ulp->environment, name, length))
        result = set(ulp, name, value, length);
    change_end(ulp);
    return result;
}

static int own_unsetenv(const char *name)
{
    size_t length = name_length(name);
    char **place;
    if (length == 0)
        return -1;
    struct ulp *ulp = change_begin();
    while ((place = find(ulp->environment, name, length)) != NULL)
        do
            place[0] = place[1];
        while (*place++);
    change_end(ulp);
    return 0;
}

/* The text itself becomes part of the environment. */
static int own_putenv(char *text)
{
    const char *end = strchr(text, '=');
    if (!end)
        return own_unsetenv(text);
    struct ulp *ulp = change_begin();
    int result = put(ulp, text, (size_t)(end - text));
    change_end(ulp);
    return result;
}

static int own_pvmputenv(char *text)
{
    return text && *text != '=' && strchr(text, '=') ? own_putenv(text) : -1;
}

static int own_clearenv(void)
{
    struct ulp *ulp = change_begin();
    *ulp->environment->place = NULL;
    change_end(ulp);
    return 0;
}

static const struct call calls[] = {
    {"getenv", (void *)environment_call_get},
    {"secure_getenv", (void *)own_secure_getenv},
    {"__secure_getenv", (void *)own_secure_getenv},
    {"setenv", (void *)environment_call_set},
    {"unsetenv", (void *)own_unsetenv},
    {"putenv", (void *)own_putenv},
    {"pvmputenv", (void *)own_pvmputenv},
    {"clearenv", (void *)own_clearenv},
};

void *environment_call_find(const char *name)
{
    return call_find(calls, sizeof calls / sizeof *calls, name);
}
