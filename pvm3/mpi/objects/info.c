#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/objects/info.h"

struct pair {
    struct pair *next;
    char *key, *value;
};

struct info {
    struct object object;
    pthread_mutex_t lock;
    struct pair *first;
};

static struct info environment = {
    .object = {.kind = OBJECT_INFO, .users = 1, .predefined = true},
    .lock = PTHREAD_MUTEX_INITIALIZER,
};

struct info *info_environment(void)
{
    return &environment;
}

struct info *info_of(MPI_Info handle)
{
    return handle == MPI_INFO_ENV ? &environment : object_at(handle, OBJECT_INFO);
}

MPI_Info info_handle(struct info *info)
{
    return info == &environment ? MPI_INFO_ENV : (MPI_Info)info;
}

struct info *info_make(void)
{
    struct info *info = calloc(1, sizeof *info);

    if (!info)
        return NULL;
    object_begin(&info->object, OBJECT_INFO);
    pthread_mutex_init(&info->lock, NULL);
    return info;
}

static void free_pair(struct pair *pair)
{
    free(pair->key);
    free(pair->value);
    free(pair);
}

void info_free(struct info *info)
{
    if (!object_drop(&info->object))
        return;
    while (info->first) {
        struct pair *pair = info->first;

        info->first = pair->next;
        free_pair(pair);
    }
    pthread_mutex_destroy(&info->lock);
    free(info);
}

/* Where the pair with a key is linked, or where a new one would be. With the lock. */
static struct pair **find(struct info *info, const char *key)
{
    struct pair **link = &info->first;

    while (*link && strcmp((*link)->key, key) != 0)
        link = &(*link)->next;
    return link;
}

/* Puts a pair at the end. NULL: no memory. */
static struct pair *new_pair(const char *key, char *value)
{
    struct pair *pair = calloc(1, sizeof *pair);
    char *copy = strdup(key);

    if (!pair || !copy) {
        free(pair);
        free(copy);
        return NULL;
    }
    pair->key = copy;
    pair->value = value;
    return pair;
}

int info_set(struct info *info, const char *key, const char *value)
{
    char *copy = strdup(value), *old = NULL;
    struct pair **link;

    if (!copy)
        return MPI_ERR_NO_MEM;
    pthread_mutex_lock(&info->lock);
    link = find(info, key);
    if (*link) {
        old = (*link)->value;
        (*link)->value = copy;
    } else {
        *link = new_pair(key, copy);
        old = *link ? NULL : copy;
    }
    pthread_mutex_unlock(&info->lock);
    free(old);
    return old == copy ? MPI_ERR_NO_MEM : MPI_SUCCESS;
}

int info_get(struct info *info, const char *key, char *value, int size)
{
    const struct pair *pair;
    size_t length = 0, part;

    pthread_mutex_lock(&info->lock);
    pair = *find(info, key);
    if (pair) {
        length = strlen(pair->value);
        part = size > 0 && length >= (size_t)size ? (size_t)size - 1 : length;
        if (size > 0) {
            memcpy(value, pair->value, part);
            value[part] = '\0';
        }
    }
    pthread_mutex_unlock(&info->lock);
    return pair ? (int)length : -1;
}

bool info_delete(struct info *info, const char *key)
{
    struct pair **link, *pair;

    pthread_mutex_lock(&info->lock);
    link = find(info, key);
    pair = *link;
    if (pair)
        *link = pair->next;
    pthread_mutex_unlock(&info->lock);
    if (pair)
        free_pair(pair);
    return pair != NULL;
}

int info_count(struct info *info)
{
    int count = 0;

    pthread_mutex_lock(&info->lock);
    for (const struct pair *pair = info->first; pair; pair = pair->next)
        count++;
    pthread_mutex_unlock(&info->lock);
    return count;
}

bool info_key(struct info *info, int number, char *key)
{
    const struct pair *pair;

    pthread_mutex_lock(&info->lock);
    pair = info->first;
    while (pair && number-- > 0)
        pair = pair->next;
    if (pair)
        strcpy(key, pair->key);
    pthread_mutex_unlock(&info->lock);
    return pair != NULL;
}

struct info *info_copy(struct info *info)
{
    struct info *copy = info_make();
    bool failed = false;

    if (!copy)
        return NULL;
    pthread_mutex_lock(&info->lock);
    for (const struct pair *pair = info->first; pair && !failed; pair = pair->next)
        failed = info_set(copy, pair->key, pair->value) != MPI_SUCCESS;
    pthread_mutex_unlock(&info->lock);
    if (!failed)
        return copy;
    info_free(copy);
    return NULL;
}
