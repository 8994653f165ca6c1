#include "mpi/windows/attached.h"

#include <stdlib.h>

#include "mpi/datatypes/layout.h"

struct attached_range {
    struct attached_range *next;
    uintptr_t base;
    uintptr_t end;
};

void attached_begin(struct attached *attached)
{
    pthread_mutex_init(&attached->lock, NULL);
}

void attached_end(struct attached *attached)
{
    struct attached_range *next;
    for (struct attached_range *range = attached->first; range; range = next) {
        next = range->next;
        free(range);
    }
    pthread_mutex_destroy(&attached->lock);
}

int attached_add(struct attached *attached, void *base, size_t size)
{
    struct attached_range *made = malloc(sizeof *made);
    if (!made)
        return MPI_ERR_NO_MEM;
    made->base = (uintptr_t)base;
    made->end = made->base + size;
    bool free_there = true;
    pthread_mutex_lock(&attached->lock);
    for (struct attached_range *range = attached->first; range; range = range->next)
        free_there = free_there && (made->end <= range->base || range->end <= made->base);
    if (free_there) {
        made->next = attached->first;
        attached->first = made;
    }
    pthread_mutex_unlock(&attached->lock);
    if (free_there)
        return MPI_SUCCESS;
    free(made);
    return MPI_ERR_RMA_ATTACH;
}

int attached_remove(struct attached *attached, const void *base)
{
    pthread_mutex_lock(&attached->lock);
    struct attached_range **place = &attached->first;
    while (*place && (*place)->base != (uintptr_t)base)
        place = &(*place)->next;
    struct attached_range *range = *place;
    if (range)
        *place = range->next;
    pthread_mutex_unlock(&attached->lock);
    free(range);
    return range ? MPI_SUCCESS : MPI_ERR_RMA_ATTACH;
}

/* What is asked for, and whether all of it was there so far. */
struct attached_question {
    const struct attached *attached;
    bool there;
};

static const struct attached_range *attached_at(const struct attached *attached, uintptr_t address)
{
    const struct attached_range *range = attached->first;
    while (range && (address < range->base || range->end <= address))
        range = range->next;
    return range;
}

/* A block may begin in one range and end in the next one behind it. */
static void attached_look(void *state, char *memory, const struct basic *basic, MPI_Count count)
{
    struct attached_question *question = state;
    uintptr_t address = (uintptr_t)memory, end = address + (uintptr_t)(count * basic->size);
    const struct attached_range *range;
    while (address < end && (range = attached_at(question->attached, address)) != NULL)
        address = range->end;
    question->there = question->there && address >= end;
}

bool attached_has(struct attached *attached, char *memory, const struct layout *layout)
{
    struct attached_question question = {attached, true};
    pthread_mutex_lock(&attached->lock);
    layout_visit(layout, memory, attached_look, &question);
    pthread_mutex_unlock(&attached->lock);
    return question.there;
}
