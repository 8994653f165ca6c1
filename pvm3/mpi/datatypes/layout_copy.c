/* Both directions share their code: into is whether the bytes go from the stream into memory. */
#include <string.h>

#include "mpi/datatypes/layout.h"

static void copy_part(const struct layout *layout, char *memory, MPI_Count offset, MPI_Count size,
                      char *stream, bool into);

static inline void copy_bytes(char *memory, char *stream, size_t size, bool into)
{
    if (into)
        memcpy(memory, stream, size);
    else
        memcpy(stream, memory, size);
}

/* Copies runs of a size, which a compiler makes a move of if it is a constant. */
static inline void copy_runs(char *memory, MPI_Count stride, MPI_Count count, char *stream,
                             size_t size, bool into)
{
    for (MPI_Count i = 0; i < count; i++)
        copy_bytes(memory + i * stride, stream + (size_t)i * size, size, into);
}

static void copy_whole_runs(char *memory, MPI_Count stride, MPI_Count count, char *stream,
                            size_t size, bool into)
{
    switch (size) {
    case 4:
        copy_runs(memory, stride, count, stream, 4, into);
        break;
    case 8:
        copy_runs(memory, stride, count, stream, 8, into);
        break;
    case 16:
        copy_runs(memory, stride, count, stream, 16, into);
        break;
    default:
        copy_runs(memory, stride, count, stream, size, into);
    }
}

static void copy_loop(const struct layout *loop, char *memory, MPI_Count offset, MPI_Count size,
                      char *stream, bool into)
{
    const struct layout *body = loop->body;
    MPI_Count turn = offset / body->size;

    offset %= body->size;
    while (size > 0) {
        char *at = memory + loop->at + turn * loop->stride;
        MPI_Count whole = offset == 0 && body->run ? size / body->size : 0;
        MPI_Count part = whole * body->size;

        if (whole > 0) {
            copy_whole_runs(at + body->low, loop->stride, whole, stream, (size_t)body->size, into);
        } else {
            part = body->size - offset < size ? body->size - offset : size;
            copy_part(body, at, offset, part, stream, into);
            whole = 1;
        }
        turn += whole;
        stream += part;
        size -= part;
        offset = 0;
    }
}

/* The part of a list that has the byte at an offset. */
static MPI_Count part_at(const struct layout *list, MPI_Count offset)
{
    MPI_Count low = 0, high = list->count;

    while (high - low > 1) {
        MPI_Count middle = low + (high - low) / 2;

        if (list->parts[middle].packed <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void copy_list(const struct layout *list, char *memory, MPI_Count offset, MPI_Count size,
                      char *stream, bool into)
{
    MPI_Count number = part_at(list, offset);

    offset -= list->parts[number].packed;
    while (size > 0) {
        const struct layout_part *part = &list->parts[number];
        MPI_Count left = part->layout->size - offset;
        MPI_Count here = left < size ? left : size;

        copy_part(part->layout, memory + part->at, offset, here, stream, into);
        stream += here;
        size -= here;
        offset = 0;
        number++;
    }
}

static void copy_part(const struct layout *layout, char *memory, MPI_Count offset, MPI_Count size,
                      char *stream, bool into)
{
    if (size == 0)
        return;
    if (layout->run)
        copy_bytes(memory + layout->low + offset, stream, (size_t)size, into);
    else if (layout->kind == LAYOUT_LOOP)
        copy_loop(layout, memory, offset, size, stream, into);
    else
        copy_list(layout, memory, offset, size, stream, into);
}

void layout_pack(const struct layout *layout, const char *memory, MPI_Count offset, MPI_Count size,
                 char *stream)
{
    copy_part(layout, (char *)memory, offset, size, stream, false);
}

void layout_unpack(const struct layout *layout, char *memory, MPI_Count offset, MPI_Count size,
                   const char *stream)
{
    copy_part(layout, memory, offset, size, (char *)stream, true);
}
