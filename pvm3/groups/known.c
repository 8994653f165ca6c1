/* known.c - a list; most processes have one task. */
#include "groups/known.h"

#include <stdio.h>
#include <stdlib.h>

static struct {
    pthread_mutex_t mutex;
    pthread_key_t key; /* of what each thread remembers */
    struct known *tasks;
} all = {.mutex = PTHREAD_MUTEX_INITIALIZER};

void known_lock(void)
{
    pthread_mutex_lock(&all.mutex);
}

void known_unlock(void)
{
    pthread_mutex_unlock(&all.mutex);
}

void known_wait(struct known *known)
{
    pthread_cond_wait(&known->changed, &all.mutex);
}

/* A thread ends, or remembers something else now. */
static void known_forget(void *value)
{
    struct known *known = value;
    known_lock();
    known->threads--;
    known_unlock();
}

/* Before any thread can ask, so that no call has to look whether there is a key. */
__attribute__((constructor)) static void known_make_key(void)
{
    if (pthread_key_create(&all.key, known_forget) == 0)
        return;
    fprintf(stderr, "libgpvm: cannot start: the program uses all thread-specific keys\n");
    exit(EXIT_FAILURE);
}

static void known_free(struct known *known)
{
    static_groups_clear(&known->static_groups);
    pthread_cond_destroy(&known->changed);
    free(known);
}

/* Frees what no thread remembers. */
static void known_clear(void)
{
    struct known **place = &all.tasks;
    while (*place) {
        struct known *known = *place;
        if (known->threads > 0) {
            place = &known->next;
        } else {
            *place = known->next;
            known_free(known);
        }
    }
}

static struct known *known_make(int tid)
{
    struct known *known = calloc(1, sizeof *known);
    if (!known)
        return NULL;
    known->tid = tid;
    pthread_cond_init(&known->changed, NULL);
    known->next = all.tasks;
    all.tasks = known;
    return known;
}

struct known *known_find(int tid)
{
    struct known *known = all.tasks;
    while (known && known->tid != tid)
        known = known->next;
    return known;
}

struct known *known_begin(int tid)
{
    struct known *before = pthread_getspecific(all.key);
    if (before && before->tid == tid)
        return before;
    if (before)
        known_forget(before);
    known_lock();
    struct known *known = known_find(tid);
    if (!known) {
        known_clear();
        known = known_make(tid);
    }
    if (known)
        known->threads++;
    known_unlock();
    if (pthread_setspecific(all.key, known) == 0)
        return known;
    if (known)
        known_forget(known);
    return NULL;
}
