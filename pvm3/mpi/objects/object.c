#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "mpi/objects/object.h"

/* The objects that have numbers, from OBJECT_SMALL on; NULL: the number is free. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct object **numbered;
static int numbered_count;

void object_begin(struct object *object, enum object_kind kind)
{
    object->kind = kind;
    atomic_init(&object->users, 1);
    object->number = 0;
    object->predefined = false;
}

void object_keep(struct object *object)
{
    if (!object->predefined)
        atomic_fetch_add_explicit(&object->users, 1, memory_order_relaxed);
}

/* Of an object to which nobody else refers: hardly any has a number. */
static void free_number(const struct object *object)
{
    if (!object->number)
        return;
    pthread_mutex_lock(&lock);
    numbered[object->number - OBJECT_SMALL] = NULL;
    pthread_mutex_unlock(&lock);
}

bool object_drop(struct object *object)
{
    if (object->predefined ||
        atomic_fetch_sub_explicit(&object->users, 1, memory_order_acq_rel) > 1)
        return false;
    free_number(object);
    object->kind = 0;
    return true;
}

void *object_at(const void *handle, enum object_kind kind)
{
    uintptr_t address = (uintptr_t)handle;
    struct object *object = (struct object *)address;

    if (address < OBJECT_SMALL || address % _Alignof(struct object) || object->kind != kind)
        return NULL;
    return object;
}

/* A free place for a number, or -1: no memory. With the lock. */
static int free_place(void)
{
    struct object **more;

    for (int i = 0; i < numbered_count; i++)
        if (!numbered[i])
            return i;
    more = realloc(numbered, (size_t)(numbered_count + 1) * sizeof(struct object *));
    if (!more)
        return -1;
    numbered = more;
    numbered[numbered_count] = NULL;
    return numbered_count++;
}

int object_number(const void *handle, enum object_kind kind)
{
    struct object *object = object_at(handle, kind);
    int place, number;

    if ((uintptr_t)handle < OBJECT_SMALL)
        return (int)(uintptr_t)handle;
    if (!object)
        return -1;
    pthread_mutex_lock(&lock);
    if (!object->number) {
        place = free_place();
        if (place >= 0) {
            numbered[place] = object;
            object->number = OBJECT_SMALL + place;
        }
    }
    number = object->number ? object->number : -1;
    pthread_mutex_unlock(&lock);
    return number;
}

void *object_of_number(int number, enum object_kind kind)
{
    struct object *object = NULL;

    if (number >= 0 && number < OBJECT_SMALL)
        return (void *)(uintptr_t)number;
    pthread_mutex_lock(&lock);
    if (number >= OBJECT_SMALL && number - OBJECT_SMALL < numbered_count)
        object = numbered[number - OBJECT_SMALL];
    pthread_mutex_unlock(&lock);
    return object_at(object, kind);
}
