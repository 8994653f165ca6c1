/* known.c - a list; most processes have one task. */
#include "groups/known.h"

#include <limits.h>
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

void known_wait_for_change(struct known *known)
{
    pthread_cond_wait(&known->changed, &all.mutex);
}

/* A piece of the memory of a thread's calls. */
struct known_room {
    struct known_room *next;
    max_align_t memory[];
};

void *known_room(struct known_thread *thread, size_t size)
{
    struct known_room *room = malloc(sizeof *room + size);
    if (!room)
        return NULL;
    room->next = thread->rooms;
    thread->rooms = room;
    return room->memory;
}

void known_free_rooms(struct known_thread *thread, const struct known_room *mark)
{
    while (thread->rooms != mark) {
        struct known_room *room = thread->rooms;
        thread->rooms = room->next;
        free(room);
    }
}

void known_add_wait(struct known_thread *thread, struct known_wait *wait)
{
    struct known *known = thread->known;
    wait->thread = thread;
    wait->number = known->wait_number = known->wait_number == INT_MAX ? 1 : known->wait_number + 1;
    wait->next = known->waits;
    known->waits = wait;
}

/* Takes out one wait; NULL: all of the thread. */
void known_remove_wait(struct known_thread *thread, const struct known_wait *wait)
{
    struct known_wait **place = &thread->known->waits;
    while (*place)
        if (wait ? *place == wait : (*place)->thread == thread)
            *place = (*place)->next;
        else
            place = &(*place)->next;
}

/* The thread ends, or its task is another one now. */
static void known_leave(struct known_thread *thread)
{
    if (!thread->known)
        return;
    known_lock();
    known_remove_wait(thread, NULL);
    thread->known->threads--;
    known_unlock();
    thread->known = NULL;
}

static void known_end_thread(void *value)
{
    struct known_thread *thread = value;
    known_leave(thread);
    known_free_rooms(thread, NULL);
    free(thread);
}

/* Before any thread can ask, so that no call has to look whether there is a key. */
__attribute__((constructor)) static void known_make_key(void)
{
    if (pthread_key_create(&all.key, known_end_thread) == 0)
        return;
    fprintf(stderr, "libgpvm: cannot start: the program uses all thread-specific keys\n");
    exit(EXIT_FAILURE);
}

void known_drop_server(struct known *known)
{
    changes_close(known->server.changes);
    known->server = (struct known_server){0};
    known_groups_drop_changing(&known->groups);
}

void known_begin_anew(struct known *known)
{
    known_lock();
    known_drop_server(known);
    known->watching = known->noticing = false;
    known->noticed_count = 0;
    known_unlock();
}

static void known_free(struct known *known)
{
    known_drop_server(known);
    known_groups_clear(&known->groups);
    free(known->noticed);
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

/* What the task knows, with one more thread that remembers it. NULL without memory. */
static struct known *known_join(int tid)
{
    known_lock();
    struct known *known = known_find(tid);
    if (!known) {
        known_clear();
        known = known_make(tid);
    }
    if (known) {
        known->found_again = known->found_again || known->threads == 0;
        known->threads++;
    }
    known_unlock();
    return known;
}

static struct known_thread *known_make_thread(void)
{
    struct known_thread *thread = calloc(1, sizeof *thread);
    if (thread && pthread_setspecific(all.key, thread) != 0) {
        free(thread);
        thread = NULL;
    }
    return thread;
}

struct known_thread *known_begin(int tid)
{
    struct known_thread *thread = pthread_getspecific(all.key);
    if (!thread)
        thread = known_make_thread();
    if (!thread || (thread->known && thread->known->tid == tid))
        return thread;
    known_leave(thread);
    thread->known = known_join(tid);
    return thread->known ? thread : NULL;
}
