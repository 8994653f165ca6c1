#include <stdatomic.h>
#include <stdlib.h>

#include "mpi/datatypes/layout.h"

static struct layout *new_layout(enum layout_kind kind, size_t parts)
{
    struct layout *layout = calloc(1, sizeof *layout + parts * sizeof *layout->parts);

    if (!layout)
        return NULL;
    atomic_init(&layout->users, 1);
    layout->kind = kind;
    return layout;
}

const struct layout *layout_keep(const struct layout *layout)
{
    atomic_fetch_add_explicit(&((struct layout *)layout)->users, 1, memory_order_relaxed);
    return layout;
}

void layout_drop(const struct layout *layout)
{
    struct layout *own = (struct layout *)layout;

    if (!own || atomic_fetch_sub_explicit(&own->users, 1, memory_order_acq_rel) > 1)
        return;
    if (own->kind == LAYOUT_LOOP)
        layout_drop(own->body);
    if (own->kind == LAYOUT_LIST)
        for (MPI_Count i = 0; i < own->count; i++)
            layout_drop(own->parts[i].layout);
    free(own);
}

const struct layout *layout_block(const struct basic *basic, MPI_Count count)
{
    struct layout *block = new_layout(LAYOUT_BLOCK, 0);

    if (!block)
        return NULL;
    block->size = block->high = count * basic->size;
    block->elements = count;
    block->basic = basic;
    block->run = true;
    return block;
}

static MPI_Count least(MPI_Count one, MPI_Count other)
{
    return one < other ? one : other;
}

static MPI_Count most(MPI_Count one, MPI_Count other)
{
    return one > other ? one : other;
}

const struct layout *layout_loop(const struct layout *body, MPI_Count count, MPI_Count at,
                                 MPI_Count stride)
{
    MPI_Count last = (count - 1) * stride;
    struct layout *loop;

    if (count == 1 && at == 0)
        return layout_keep(body);
    if (body->kind == LAYOUT_BLOCK && at == 0 && stride == body->size)
        return layout_block(body->basic, count * body->elements);
    loop = new_layout(LAYOUT_LOOP, 0);
    if (!loop)
        return NULL;
    loop->body = layout_keep(body);
    loop->count = count;
    loop->at = at;
    loop->stride = stride;
    loop->size = count * body->size;
    loop->elements = count * body->elements;
    loop->basic = body->basic;
    loop->run = body->run && (count == 1 || stride == body->size);
    if (loop->size > 0) {
        loop->low = at + body->low + least(0, last);
        loop->high = at + body->high + most(0, last);
    }
    return loop;
}

struct layout *layout_list(MPI_Count parts)
{
    return new_layout(LAYOUT_LIST, (size_t)parts);
}

/* Makes the last part longer by one that follows it in memory. *merged says if it could be done;
 * false: no memory. */
static bool merge(struct layout *list, const struct layout *part, MPI_Count at, bool *merged)
{
    struct layout_part *last = &list->parts[list->count - 1];
    const struct layout *block;

    *merged = list->count > 0 && part->run && last->layout->run && part->basic && part->size > 0 &&
              part->basic == last->layout->basic && last->at + last->layout->high == at + part->low;
    if (!*merged)
        return true;
    block = layout_block(part->basic, last->layout->elements + part->elements);
    if (!block)
        return false;
    last->at += last->layout->low;
    layout_drop(last->layout);
    last->layout = block;
    return true;
}

bool layout_add(struct layout *list, const struct layout *part, MPI_Count at)
{
    bool first = list->size == 0;
    bool merged;

    if (part->size == 0)
        return true;
    if (!merge(list, part, at, &merged))
        return false;
    if (!merged) {
        list->parts[list->count].at = at;
        list->parts[list->count].packed = list->size;
        list->parts[list->count].layout = layout_keep(part);
        list->count++;
    }
    list->basic = first || list->basic == part->basic ? part->basic : NULL;
    list->run = part->run && (first || (list->run && list->high == at + part->low));
    list->low = first ? at + part->low : least(list->low, at + part->low);
    list->high = first ? at + part->high : most(list->high, at + part->high);
    list->size += part->size;
    list->elements += part->elements;
    return true;
}

const struct layout *layout_of_list(struct layout *list)
{
    const struct layout *only;

    list->run = list->run || list->size == 0;
    if (list->count != 1)
        return list;
    only = layout_loop(list->parts[0].layout, 1, list->parts[0].at, 0);
    layout_drop(list);
    return only;
}

/* Goes down in a loop or list to what the byte at an offset of the stream is in. */
static MPI_Count elements_of_loop(const struct layout *loop, MPI_Count bytes)
{
    MPI_Count whole = bytes / loop->body->size;
    MPI_Count rest = layout_elements(loop->body, bytes % loop->body->size);

    return rest < 0 ? rest : whole * loop->body->elements + rest;
}

static MPI_Count elements_of_list(const struct layout *list, MPI_Count bytes)
{
    MPI_Count found = 0;

    for (MPI_Count i = 0; i < list->count && bytes > 0; i++) {
        MPI_Count size = least(bytes, list->parts[i].layout->size);
        MPI_Count part = layout_elements(list->parts[i].layout, size);

        if (part < 0)
            return part;
        found += part;
        bytes -= size;
    }
    return found;
}

MPI_Count layout_elements(const struct layout *layout, MPI_Count bytes)
{
    if (bytes == 0)
        return 0;
    if (layout->basic)
        return bytes % layout->basic->size ? -1 : bytes / layout->basic->size;
    return layout->kind == LAYOUT_LOOP ? elements_of_loop(layout, bytes)
                                       : elements_of_list(layout, bytes);
}

static MPI_Count bytes_of_list(const struct layout *list, MPI_Count elements)
{
    MPI_Count bytes = 0;

    for (MPI_Count i = 0; i < list->count && elements > 0; i++) {
        MPI_Count some = least(elements, list->parts[i].layout->elements);

        bytes += layout_bytes(list->parts[i].layout, some);
        elements -= some;
    }
    return bytes;
}

MPI_Count layout_bytes(const struct layout *layout, MPI_Count elements)
{
    if (elements == 0)
        return 0;
    if (layout->basic)
        return elements * layout->basic->size;
    if (layout->kind == LAYOUT_LIST)
        return bytes_of_list(layout, elements);
    return elements / layout->body->elements * layout->body->size +
           layout_bytes(layout->body, elements % layout->body->elements);
}

void layout_visit(const struct layout *layout, char *memory, layout_visitor *visit, void *state)
{
    if (layout->size == 0)
        return;
    switch (layout->kind) {
    case LAYOUT_BLOCK:
        visit(state, memory, layout->basic, layout->elements);
        break;
    case LAYOUT_LOOP:
        for (MPI_Count i = 0; i < layout->count; i++)
            layout_visit(layout->body, memory + layout->at + i * layout->stride, visit, state);
        break;
    case LAYOUT_LIST:
        for (MPI_Count i = 0; i < layout->count; i++)
            layout_visit(layout->parts[i].layout, memory + layout->parts[i].at, visit, state);
        break;
    }
}
