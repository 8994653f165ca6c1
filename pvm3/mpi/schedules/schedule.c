/*
 * schedule.c - builds lists of steps.
 */
#include "mpi/schedules/schedule.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/schedules/items.h"

/*
 * Tags of collectives are below this one, those that the program chose are from it on. The greatest of
 * all is that of MPI_Finalize.
 */
#define TAGS_CHOSEN 0x40000000u

struct schedule_block {
    struct schedule_block *next;
    _Alignas(max_align_t) char bytes[];
};

static void begin(struct schedule *schedule, struct communicator *communicator, int tag)
{
    schedule->communicator = communicator;
    schedule->tag = tag;
    schedule->error = MPI_SUCCESS;
    schedule->steps = schedule->few;
    schedule->count = 0;
    schedule->room = SCHEDULE_FEW;
    schedule->used = 0;
    schedule->blocks = NULL;
}

void schedule_begin(struct schedule *schedule, struct communicator *communicator)
{
    unsigned number =
        atomic_fetch_add_explicit(&communicator->collectives, 1, memory_order_relaxed);
    begin(schedule, communicator, (int)(number % TAGS_CHOSEN));
}

void schedule_begin_tagged(struct schedule *schedule, struct communicator *communicator, int tag)
{
    begin(schedule, communicator, (int)(TAGS_CHOSEN + (unsigned)tag % (TAGS_CHOSEN - 1)));
}

void schedule_end(struct schedule *schedule)
{
    if (schedule->steps != schedule->few)
        free(schedule->steps);
    while (schedule->blocks) {
        struct schedule_block *block = schedule->blocks;
        schedule->blocks = block->next;
        free(block);
    }
}

void schedule_fail(struct schedule *schedule, int code)
{
    if (schedule->error == MPI_SUCCESS)
        schedule->error = code;
}

/* Twice the room. */
static bool grow(struct schedule *schedule)
{
    size_t size = (size_t)schedule->room * 2 * sizeof *schedule->steps;
    bool few = schedule->steps == schedule->few;
    struct step *steps = realloc(few ? NULL : schedule->steps, size);
    if (!steps) {
        schedule_fail(schedule, MPI_ERR_NO_MEM);
        return false;
    }
    if (few)
        memcpy(steps, schedule->few, sizeof schedule->few);
    schedule->steps = steps;
    schedule->room *= 2;
    return true;
}

static struct step *next_step(struct schedule *schedule, enum step_kind kind)
{
    if (schedule->count == schedule->room && !grow(schedule))
        return NULL;
    struct step *step = &schedule->steps[schedule->count++];
    step->kind = kind;
    return step;
}

static struct items items(const void *buffer, MPI_Count count, struct datatype *datatype)
{
    return (struct items){(void *)(uintptr_t)buffer, count, datatype};
}

void schedule_receive(struct schedule *schedule, struct communicator *on, int rank, void *to,
                      MPI_Count count, struct datatype *datatype)
{
    struct step *step = next_step(schedule, STEP_RECEIVE);
    if (!step)
        return;
    step->on = on;
    step->rank = rank;
    step->items = items(to, count, datatype);
}

void schedule_send(struct schedule *schedule, struct communicator *on, int rank, const void *from,
                   MPI_Count count, struct datatype *datatype)
{
    struct step *step = next_step(schedule, STEP_SEND);
    if (!step)
        return;
    step->on = on;
    step->rank = rank;
    step->items = items(from, count, datatype);
}

void schedule_wait(struct schedule *schedule)
{
    next_step(schedule, STEP_WAIT);
}

void schedule_reduce(struct schedule *schedule, struct operation *operation, const void *in,
                     void *inout, MPI_Count count, struct datatype *datatype)
{
    struct step *step = next_step(schedule, STEP_REDUCE);
    if (!step)
        return;
    step->operation = operation;
    step->from = items(in, count, datatype);
    step->items = items(inout, count, datatype);
}

void schedule_copy(struct schedule *schedule, const void *from, MPI_Count from_count,
                   struct datatype *from_type, void *to, MPI_Count to_count,
                   struct datatype *to_type)
{
    struct step *step = next_step(schedule, STEP_COPY);
    if (!step)
        return;
    step->from = items(from, from_count, from_type);
    step->items = items(to, to_count, to_type);
}

void schedule_receive_items(struct schedule *schedule, int rank, const struct items *items)
{
    if (items_bytes(items) > 0)
        schedule_receive(schedule, schedule->communicator, rank, items->buffer, items->count,
                         items->datatype);
}

void schedule_send_items(struct schedule *schedule, int rank, const struct items *items)
{
    if (items_bytes(items) > 0)
        schedule_send(schedule, schedule->communicator, rank, items->buffer, items->count,
                      items->datatype);
}

void schedule_copy_items(struct schedule *schedule, const struct items *from,
                         const struct items *to)
{
    if (items_bytes(from) > 0)
        schedule_copy(schedule, from->buffer, from->count, from->datatype, to->buffer, to->count,
                      to->datatype);
}

void *schedule_memory(struct schedule *schedule, size_t size)
{
    size_t whole = (size + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    if (whole <= sizeof schedule->bytes - schedule->used) {
        void *memory = schedule->bytes + schedule->used;
        schedule->used += whole;
        return memory;
    }
    struct schedule_block *block = malloc(sizeof *block + size);
    if (!block) {
        schedule_fail(schedule, MPI_ERR_NO_MEM);
        return NULL;
    }
    block->next = schedule->blocks;
    schedule->blocks = block;
    return block->bytes;
}

void *schedule_items(struct schedule *schedule, MPI_Count count, const struct datatype *datatype)
{
    MPI_Count before;
    MPI_Count span = datatype_span(datatype, count, &before);
    char *memory = schedule_memory(schedule, (size_t)span);
    return memory ? (void *)((uintptr_t)memory - (uintptr_t)before) : NULL;
}

struct channel schedule_channel(const struct schedule *schedule, const struct step *step)
{
    return (struct channel){.communicator = step->on,
                            .rank = step->rank,
                            .tag = schedule->tag,
                            .which = CONTEXT_COLLECTIVES};
}

int step_compute(const struct step *step)
{
    if (step->kind == STEP_COPY)
        return items_copy(&step->from, &step->items);
    operation_apply(step->operation, step->from.buffer, step->items.buffer, step->items.count,
                    datatype_handle(step->items.datatype));
    return MPI_SUCCESS;
}
