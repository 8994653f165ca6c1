/* record.c - layouts and records, allocated one by one. */
#include "tracing/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND 1000000

void *record_allocate(void *old, size_t size)
{
    void *memory = realloc(old, size);
    if (!memory) {
        fprintf(stderr, "out of memory for the trace\n");
        exit(EXIT_FAILURE);
    }
    return memory;
}

char *record_copy_text(const char *text, size_t length)
{
    char *copy = record_allocate(NULL, length + 1);
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

static char *text_copy(const char *text)
{
    return record_copy_text(text, strlen(text));
}

struct record_layout *layout_create(const char *name, enum record_edge edge, int event)
{
    struct record_layout *layout = record_allocate(NULL, sizeof *layout);
    *layout = (struct record_layout){.name = text_copy(name), .edge = edge, .event = event};
    return layout;
}

void layout_add_field(struct record_layout *layout, const char *key, const char *description,
                      enum record_type type, bool array)
{
    size_t size = (size_t)(layout->count + 1) * sizeof *layout->field;
    layout->field = record_allocate(layout->field, size);
    layout->field[layout->count++] =
        (struct record_field){text_copy(key), text_copy(description), type, array};
}

void layout_free(struct record_layout *layout)
{
    for (int i = 0; i < layout->count; i++) {
        free(layout->field[i].key);
        free(layout->field[i].description);
    }
    free(layout->field);
    free(layout->name);
    free(layout);
}

static bool layout_is_like(const struct record_layout *one, const struct record_layout *other)
{
    if (one->count != other->count)
        return false;
    for (int i = 0; i < one->count; i++) {
        const struct record_field *a = &one->field[i], *b = &other->field[i];
        if (strcmp(a->key, b->key) != 0 || a->type != b->type || a->array != b->array)
            return false;
    }
    return true;
}

/*
 * The number in the file counts the forms of an event in order of appearance, of entries and exits
 * together, as 3.4.6 does: the first exit is usually number 1.
 */
struct record_layout *layouts_add(struct record_layouts *layouts, struct record_layout *layout)
{
    struct record_layout **link = &layouts->first;
    for (; *link; link = &(*link)->next) {
        struct record_layout *known = *link;
        if (strcmp(known->name, layout->name) != 0)
            continue;
        if (known->edge == layout->edge && layout_is_like(known, layout)) {
            layout_free(layout);
            return known;
        }
        layout->variant = known->variant + 1;
    }
    layout->number = layouts->count++;
    *link = layout;
    return layout;
}

void layouts_free(struct record_layouts *layouts)
{
    while (layouts->first) {
        struct record_layout *layout = layouts->first;
        layouts->first = layout->next;
        layout_free(layout);
    }
}

struct record *record_create(struct record_layout *layout)
{
    size_t values = (size_t)layout->count * sizeof(struct record_value);
    struct record *record = record_allocate(NULL, sizeof *record + values);
    memset(record, 0, sizeof *record + values);
    record->layout = layout;
    return record;
}

void value_clear(struct record_value *value)
{
    for (int item = 0; value->strings && item < value->count; item++)
        free(value->strings[item]);
    free(value->strings);
    free(value->integers);
    free(value->reals);
    *value = (struct record_value){.count = 0};
}

void record_free(struct record *record)
{
    for (int i = 0; i < record->layout->count; i++)
        value_clear(&record->value[i]);
    free(record);
}

/* Room for one item more: arrays grow by doubling. */
static void *value_extend(const struct record_value *value, void *items, size_t size)
{
    if ((value->count & (value->count - 1)) != 0)
        return items;
    return record_allocate(items, size * (value->count ? 2 * (size_t)value->count : 1));
}

void value_add_integer(struct record_value *value, int64_t integer)
{
    value->integers = value_extend(value, value->integers, sizeof integer);
    value->integers[value->count++] = integer;
}

void value_add_real(struct record_value *value, double real)
{
    value->reals = value_extend(value, value->reals, sizeof real);
    value->reals[value->count++] = real;
}

void value_add_string(struct record_value *value, char *text)
{
    value->strings = value_extend(value, value->strings, sizeof text);
    value->strings[value->count++] = text;
}

struct record_value *record_value(struct record *record, const char *key)
{
    for (int i = 0; i < record->layout->count; i++)
        if (strcmp(record->layout->field[i].key, key) == 0)
            return &record->value[i];
    return NULL;
}

int64_t record_integer(struct record *record, const char *key, int64_t otherwise)
{
    const struct record_value *value = record_value(record, key);
    return value && value->integers && value->count > 0 ? value->integers[0] : otherwise;
}

const char *record_string(struct record *record, const char *key, const char *otherwise)
{
    const struct record_value *value = record_value(record, key);
    return value && value->strings && value->count > 0 ? value->strings[0] : otherwise;
}

static int64_t limited(int64_t number)
{
    const int64_t limit = (int64_t)1 << 40;
    return number > limit ? limit : number < -limit ? -limit : number;
}

int64_t record_microseconds(int64_t seconds, int64_t microseconds)
{
    return limited(seconds) * SECOND + limited(microseconds);
}

int64_t record_time(struct record *record)
{
    return record_microseconds(record_integer(record, "TS", 0), record_integer(record, "TU", 0));
}

void record_set_time(struct record *record, int64_t microseconds)
{
    struct record_value *seconds = record_value(record, "TS"), *rest = record_value(record, "TU");
    if (!seconds || !rest || !seconds->integers || !rest->integers)
        return;
    int64_t left = microseconds % SECOND;
    seconds->integers[0] = microseconds / SECOND - (left < 0);
    rest->integers[0] = left < 0 ? left + SECOND : left;
}
