/* layout_message.c - writing the tree of a layout, and reading it. */
#include "mpi/datatypes/layout_message.h"

#include <string.h>

/* A tree that is deeper is none that a program can make. */
enum { DEEPEST = 1000 };

/* Numbers that are written one behind the other, or only counted if `to` is NULL. */
struct writer {
    char *to;
    size_t count;
};

static void write_number(struct writer *writer, int64_t number)
{
    if (writer->to)
        memcpy(writer->to + writer->count * sizeof number, &number, sizeof number);
    writer->count++;
}

static void write_node(struct writer *writer, const struct layout *layout)
{
    write_number(writer, layout->kind);
    switch (layout->kind) {
    case LAYOUT_BLOCK:
        write_number(writer, (intptr_t)layout->basic->handle);
        write_number(writer, layout->elements);
        break;
    case LAYOUT_LOOP:
        write_number(writer, layout->count);
        write_number(writer, layout->at);
        write_number(writer, layout->stride);
        write_node(writer, layout->body);
        break;
    case LAYOUT_LIST:
        write_number(writer, layout->count);
        for (MPI_Count i = 0; i < layout->count; i++) {
            write_number(writer, layout->parts[i].at);
            write_node(writer, layout->parts[i].layout);
        }
        break;
    }
}

size_t layout_write_size(const struct layout *layout)
{
    struct writer writer = {NULL, 0};
    write_node(&writer, layout);
    return writer.count * sizeof(int64_t);
}

void layout_write(const struct layout *layout, void *to)
{
    struct writer writer = {to, 0};
    write_node(&writer, layout);
}

/* Numbers that are read. Behind the last one there are zeros, and `ended` is set. */
struct reader {
    const char *from;
    size_t left;
    int depth;
    bool ended;
};

static int64_t read_number(struct reader *reader)
{
    int64_t number = 0;
    if (reader->left == 0) {
        reader->ended = true;
        return number;
    }
    memcpy(&number, reader->from, sizeof number);
    reader->from += sizeof number;
    reader->left--;
    return number;
}

static const struct layout *read_node(struct reader *reader);

static const struct layout *read_block(struct reader *reader)
{
    const struct basic *basic = basic_of((MPI_Datatype)(intptr_t)read_number(reader));
    MPI_Count count = read_number(reader);
    return basic && count >= 0 && count <= INT64_MAX / basic->size ? layout_block(basic, count)
                                                                   : NULL;
}

static const struct layout *read_loop(struct reader *reader)
{
    MPI_Count count = read_number(reader), at = read_number(reader), stride = read_number(reader);
    const struct layout *body = read_node(reader);
    MPI_Count size;
    if (!body)
        return NULL;
    bool fits = count > 0 && !__builtin_mul_overflow(count, body->size, &size) &&
                !__builtin_mul_overflow(count, stride, &size);
    const struct layout *loop = fits ? layout_loop(body, count, at, stride) : NULL;
    layout_drop(body);
    return loop;
}

static bool read_part(struct reader *reader, struct layout *list)
{
    MPI_Count at = read_number(reader);
    const struct layout *part = read_node(reader);
    bool added = part && layout_add(list, part, at);
    layout_drop(part);
    return added;
}

static const struct layout *read_list(struct reader *reader)
{
    MPI_Count count = read_number(reader);
    if (count < 0 || (size_t)count > reader->left)
        return NULL;
    struct layout *list = layout_list(count);
    bool whole = list != NULL;
    for (MPI_Count i = 0; whole && i < count; i++)
        whole = read_part(reader, list);
    if (whole)
        return layout_of_list(list);
    layout_drop(list);
    return NULL;
}

static const struct layout *read_node(struct reader *reader)
{
    const struct layout *layout = NULL;
    int64_t kind = read_number(reader);
    if (reader->ended || ++reader->depth > DEEPEST)
        return NULL;
    if (kind == LAYOUT_BLOCK)
        layout = read_block(reader);
    else if (kind == LAYOUT_LOOP)
        layout = read_loop(reader);
    else if (kind == LAYOUT_LIST)
        layout = read_list(reader);
    reader->depth--;
    return layout;
}

const struct layout *layout_read(const void *from, size_t size)
{
    struct reader reader = {from, size / sizeof(int64_t), 0, false};
    const struct layout *layout = read_node(&reader);
    if (layout && !reader.ended && reader.left == 0)
        return layout;
    layout_drop(layout);
    return NULL;
}
